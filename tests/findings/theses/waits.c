/* SPDX-License-Identifier: MIT */
/* Waits that need not be, or that are made in the wrong way. */
#include "theses.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A correlator of antennas, which says how long each of its stages took. */
enum { BLOCKS = 420, ANTENNAS = 32 * 1024, STAGES_OF_BLOCK = 4 };

struct stage_log {
	bool repaired;
	cl_event pending[BLOCKS * STAGES_OF_BLOCK];
	int count;
	cl_ulong spent_ns;
};

static void stage_read(struct stage_log *log, cl_event event)
{
	cl_ulong start, end;

	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				    NULL));
	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	log->spent_ns += end - start;
	DROP(event);
}

static void stage_note(struct stage_log *log, cl_event event)
{
	if (log->repaired) {
		log->pending[log->count++] = event;
		return;
	}
	TRY(clWaitForEvents(1, &event));
	stage_read(log, event);
}

static void stages_read(struct stage_log *log)
{
	for (int i = 0; i < log->count; i++)
		stage_read(log, log->pending[i]);
	log->count = 0;
}

void thesis_stage_times(struct app *app)
{
	static const char source[] = SPIN("channelize") SPIN("delay") SPIN("multiply");
	static const char *const names[] = {"channelize", "delay", "multiply"};
	struct stage_log log = {.repaired = app->repaired};
	cl_command_queue timed = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_program program = program_new(app, source, "");
	cl_mem signal = buffer_new(app, ANTENNAS * sizeof(float));
	float *samples = floats((size_t)BLOCKS * 4096, 5);
	cl_kernel stages[3];

	for (int i = 0; i < 3; i++) {
		stages[i] = kernel_new(program, names[i]);
		args(stages[i], "bi", signal, 2);
	}
	for (int block = 0; block < BLOCKS; block++) {
		stage_note(&log, put_after(timed, signal, 4096 * sizeof(float),
					   samples + (size_t)block * 4096, 0, NULL));
		for (int i = 0; i < 3; i++)
			stage_note(&log, run_after(timed, stages[i], ANTENNAS, 0, 0, NULL));
		if (block % 10 == 9)
			flush(timed);
	}
	get(timed, signal, 4096 * sizeof(float), samples);
	stages_read(&log);
	answer((double)samples[17]);
	fprintf(stderr, "stages: %.3f ms\n", (double)log.spent_ns * 1e-6);
	for (int i = 0; i < 3; i++)
		DROP(stages[i]);
	DROP(program);
	DROP(signal);
	DROP(timed);
	free(samples);
}

/* An index that many tenants share, each with a queue of its own. */
enum { TENANTS = 512, LOOKUPS = 1600, KEYS = 4 * 1024 };

struct index {
	struct app *app;
	cl_command_queue queues[TENANTS];
};

/* Until nobody uses what the tenant is about to change. */
static void index_quiesce(const struct index *index, int tenant)
{
	for (int i = 0; i < TENANTS; i++)
		if (!index->app->repaired || i == tenant)
			finish(index->queues[i]);
}

void thesis_tenant_quiesce(struct app *app)
{
	struct index index = {.app = app};
	cl_mem keys = blank(app, KEYS * sizeof(float));
	cl_kernel look = kernel_of(app, SPIN("look_up"), "look_up");
	float found[LOOKUPS / 32];
	double sum = 0;

	finish(app->queue);
	args(look, "bi", keys, 4);
	for (int i = 0; i < TENANTS; i++)
		index.queues[i] = queue_new(app, 0);
	for (int i = 0; i < LOOKUPS; i++) {
		int tenant = i * 37 % TENANTS;

		run(index.queues[tenant], look, KEYS, 0);
		index_quiesce(&index, tenant);
		if (i % 32 == 31)
			get(index.queues[tenant], keys, sizeof(float), &found[i / 32]);
	}
	sum = total(found, LOOKUPS / 32);
	answer(sum);
	for (int i = 0; i < TENANTS; i++)
		DROP(index.queues[i]);
	DROP(look);
	DROP(keys);
}

/* A print server: two printers, whose pages pass three stages each. The loop of the server starts a
 * page's next stage. */
enum { PRINTERS = 2, PAGES = 110, PAGE = 128 * 1024, TICK_US = 2000 };

struct printer {
	struct app *app;
	cl_command_queue queue;
	cl_mem page;
	cl_kernel raster, screen;
	cl_event current;
	float *paper;
	int number, stage, printed, post;
	double ink;
};

static void CL_CALLBACK stage_over(cl_event event, cl_int status, void *argument)
{
	struct printer *printer = argument;
	char number = (char)printer->number;

	(void)event, (void)status;
	if (write(printer->post, &number, 1) != 1)
		abort();
}

static void stage_start(struct printer *printer)
{
	if (printer->stage == 0)
		printer->current = run_after(printer->queue, printer->raster, PAGE, 0, 0, NULL);
	else if (printer->stage == 1)
		printer->current = run_after(printer->queue, printer->screen, PAGE, 0, 0, NULL);
	else
		printer->current = get_after(printer->queue, printer->page, PAGE * sizeof(float),
					     printer->paper, 0, NULL);
	if (printer->app->repaired)
		TRY(clSetEventCallback(printer->current, CL_COMPLETE, stage_over, printer));
	flush(printer->queue);
}

/* Whether that was the last page. */
static bool stage_end(struct printer *printer)
{
	DROP(printer->current);
	if (printer->stage == 2) {
		printer->ink += total(printer->paper, PAGE);
		printer->printed++;
	}
	printer->stage = (printer->stage + 1) % 3;
	if (printer->printed == PAGES)
		return true;
	stage_start(printer);
	return false;
}

static bool stage_is_over(const struct printer *printer)
{
	cl_int status;

	if (printer->printed == PAGES)
		return false;
	TRY(clGetEventInfo(printer->current, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
			   &status, NULL));
	return status == CL_COMPLETE;
}

static void serve_by_post(struct printer *printers, int post)
{
	struct pollfd wanted = {.fd = post, .events = POLLIN};
	char number;

	for (int left = PRINTERS; left;) {
		if (poll(&wanted, 1, -1) != 1 || read(post, &number, 1) != 1)
			abort();
		left -= stage_end(&printers[(int)number]);
	}
}

static void serve_by_clock(struct printer *printers)
{
	for (int left = PRINTERS; left; nap(TICK_US))
		for (int i = 0; i < PRINTERS; i++)
			if (stage_is_over(&printers[i]))
				left -= stage_end(&printers[i]);
}

void thesis_print_spooler(struct app *app)
{
	struct printer printers[PRINTERS];
	cl_program program = program_new(app, SPIN("raster") SPIN("screen"), "");
	int post[2];

	if (pipe(post))
		abort();
	for (int i = 0; i < PRINTERS; i++) {
		printers[i] = (struct printer){
			.app = app,
			.queue = queue_new(app, 0),
			.page = blank(app, PAGE * sizeof(float)),
			.raster = kernel_new(program, "raster"),
			.screen = kernel_new(program, "screen"),
			.paper = memory(PAGE * sizeof(float)),
			.number = i,
			.post = post[1],
		};
		args(printers[i].raster, "bi", printers[i].page, 8);
		args(printers[i].screen, "bi", printers[i].page, 12);
	}
	finish(app->queue);
	for (int i = 0; i < PRINTERS; i++)
		stage_start(&printers[i]);
	if (app->repaired)
		serve_by_post(printers, post[0]);
	else
		serve_by_clock(printers);
	for (int i = 0; i < PRINTERS; i++) {
		answer(printers[i].ink);
		DROP(printers[i].queue);
		DROP(printers[i].page);
		DROP(printers[i].raster);
		DROP(printers[i].screen);
		free(printers[i].paper);
	}
	close(post[0]);
	close(post[1]);
	DROP(program);
}

/* A mixing desk for sound: the device mixes, a thread shows how loud each block is. */
enum { TURNS = 120, TONES = 256 * 1024, SHOWN_TONES = 2048 };

struct meter {
	bool repaired;
	float block[TURNS][SHOWN_TONES];
	atomic_int mixed; /* blocks so far */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	double loud;
};

static void meter_await(struct meter *meter, int block)
{
	if (!meter->repaired) {
		while (atomic_load_explicit(&meter->mixed, memory_order_acquire) <= block) {
		}
		return;
	}
	pthread_mutex_lock(&meter->lock);
	while (atomic_load(&meter->mixed) <= block)
		pthread_cond_wait(&meter->changed, &meter->lock);
	pthread_mutex_unlock(&meter->lock);
}

static void meter_advance(struct meter *meter)
{
	pthread_mutex_lock(&meter->lock);
	atomic_fetch_add(&meter->mixed, 1);
	pthread_cond_signal(&meter->changed);
	pthread_mutex_unlock(&meter->lock);
}

static void *meter_main(void *argument)
{
	struct meter *meter = argument;

	for (int block = 0; block < TURNS; block++) {
		meter_await(meter, block);
		for (int i = 0; i < SHOWN_TONES; i++)
			meter->loud += (double)fabsf(meter->block[block][i]);
	}
	return NULL;
}

void thesis_mix_meters(struct app *app)
{
	static struct meter meter = {.lock = PTHREAD_MUTEX_INITIALIZER,
				     .changed = PTHREAD_COND_INITIALIZER};
	cl_mem tones = blank(app, TONES * sizeof(float));
	cl_kernel mix = kernel_of(app, SPIN("mix_tones"), "mix_tones");
	pthread_t thread;

	meter.repaired = app->repaired;
	finish(app->queue);
	args(mix, "bi", tones, 24);
	if (pthread_create(&thread, NULL, meter_main, &meter))
		must(-1, "pthread_create");
	for (int i = 0; i < TURNS; i++) {
		run(app->queue, mix, TONES, 0);
		get(app->queue, tones, sizeof(meter.block[0]), meter.block[i]);
		meter_advance(&meter);
	}
	pthread_join(thread, NULL);
	answer(meter.loud);
	DROP(mix);
	DROP(tones);
}
