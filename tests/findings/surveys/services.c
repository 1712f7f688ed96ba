/* SPDX-License-Identifier: MIT */
/* Work that is handed from one to the next: requests to threads, pictures to stages. */
#include "surveys.h"

#include <pthread.h>
#include <stdlib.h>

/* Scans of a clinic come in, a few at a time; two threads reconstruct them, each with a queue and
 * buffers of its own, and sleep where there are none. */
static const char scan_source[] =
	"kernel void reconstruct(global const float *scan, global float *slice, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0), count = (int)get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		sum = sum * 0.9375f + scan[(i + r * 128) % count];\n"
	"	slice[i] = sum;\n"
	"}\n";

enum { SCAN_SAMPLES = 64 * 1024, SCAN_BYTES = SCAN_SAMPLES * 4, SCANS = 180, SCAN_ROOM = 8 };

struct clinic {
	pthread_mutex_t lock;
	pthread_cond_t come, gone;
	int waiting[SCAN_ROOM], first, count;
	double sums[SCANS];
};

struct scanner {
	const struct app *app;
	struct clinic *clinic;
	cl_program program;
};

static int scan_take(struct clinic *clinic)
{
	int number;

	pthread_mutex_lock(&clinic->lock);
	while (!clinic->count)
		pthread_cond_wait(&clinic->come, &clinic->lock);
	number = clinic->waiting[clinic->first];
	clinic->first = (clinic->first + 1) % SCAN_ROOM;
	clinic->count--;
	pthread_cond_signal(&clinic->gone);
	pthread_mutex_unlock(&clinic->lock);
	return number;
}

static void scan_bring(struct clinic *clinic, int number)
{
	pthread_mutex_lock(&clinic->lock);
	while (clinic->count == SCAN_ROOM)
		pthread_cond_wait(&clinic->gone, &clinic->lock);
	clinic->waiting[(clinic->first + clinic->count++) % SCAN_ROOM] = number;
	pthread_cond_signal(&clinic->come);
	pthread_mutex_unlock(&clinic->lock);
}

static void *scanner_main(void *arg)
{
	const struct scanner *scanner = arg;
	cl_command_queue queue = queue_new(scanner->app, 0);
	cl_kernel reconstruct = kernel_new(scanner->program, "reconstruct");
	cl_mem scan = buffer_new(scanner->app, SCAN_BYTES);
	cl_mem slice = buffer_new(scanner->app, SCAN_BYTES);
	float *data = memory(SCAN_BYTES);
	int number;

	args(reconstruct, "bbi", scan, slice, 24);
	while ((number = scan_take(scanner->clinic)) >= 0) {
		refill(data, SCAN_SAMPLES, number);
		put(queue, scan, SCAN_BYTES, data);
		run(queue, reconstruct, SCAN_SAMPLES, 64);
		get(queue, slice, SCAN_BYTES, data);
		scanner->clinic->sums[number] = (double)data[number];
	}
	free(data);
	DROP(slice);
	DROP(scan);
	DROP(reconstruct);
	DROP(queue);
	return NULL;
}

static void *clinic_main(void *arg)
{
	struct clinic *clinic = arg;

	for (int n = 0; n < SCANS; n++)
		scan_bring(clinic, n);
	scan_bring(clinic, -1);
	scan_bring(clinic, -1);
	return NULL;
}

void survey_clean_desk(struct app *app)
{
	struct clinic clinic = {PTHREAD_MUTEX_INITIALIZER,
				PTHREAD_COND_INITIALIZER,
				PTHREAD_COND_INITIALIZER,
				{0},
				0,
				0,
				{0}};
	struct scanner scanner = {app, &clinic, program_new(app, scan_source, "")};
	pthread_t threads[2];
	double sum = 0;

	for (int t = 0; t < 2; t++)
		if (pthread_create(&threads[t], NULL, scanner_main, &scanner))
			must(-1, "scanner");
	clinic_main(&clinic);
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
	for (int n = 0; n < SCANS; n++)
		sum += clinic.sums[n];
	answer(sum);
	DROP(scanner.program);
}

/* Depth from two cameras, in a queue out of order: each command waits for what it uses, and no
 * other. */
static const char stereo_source[] =
	"kernel void rectify(global const float *in, global float *out, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	float v = in[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = v * 0.9375f + 0.0625f * in[min(i + r, last)];\n"
	"	out[i] = v;\n"
	"}\n"
	"kernel void match(global const float *left, global const float *right,\n"
	"		   global float *depth, int shifts)\n"
	"{\n"
	"	int i = (int)get_global_id(0), best = 0;\n"
	"	float least = 1000;\n"
	"	for (int s = 0; s < shifts; s++) {\n"
	"		float miss = fabs(left[i] - right[max(i - s, 0)]);\n"
	"		best = miss < least ? s : best;\n"
	"		least = min(miss, least);\n"
	"	}\n"
	"	depth[i] = (float)best;\n"
	"}\n";

enum { STEREO_PIXELS = 96 * 1024, STEREO_BYTES = STEREO_PIXELS * 4, STEREO_PAIRS = 120 };

struct stereo {
	cl_command_queue queue;
	cl_kernel rectify, match;
	cl_mem taken[2], straight[2], depth;
	float *pictures[4], *map;
	cl_event straightened[2], matched, shown; /* of the pair before, or NULL */
};

static void event_set(cl_event *kept, cl_event event)
{
	if (*kept)
		DROP(*kept);
	*kept = event;
}

static cl_uint event_add(cl_event *waits, cl_uint count, cl_event event)
{
	if (event)
		waits[count++] = event;
	return count;
}

static void stereo_start(struct stereo *stereo, int pair)
{
	cl_event waits[3], sent;
	cl_uint count;

	for (int eye = 0; eye < 2; eye++) {
		count = event_add(waits, 0, stereo->straightened[eye]);
		sent = put_after(stereo->queue, stereo->taken[eye], STEREO_BYTES,
				 stereo->pictures[(pair + eye) % 4], count, waits);
		count = event_add(waits, event_add(waits, 0, sent), stereo->matched);
		args(stereo->rectify, "bbi", stereo->taken[eye], stereo->straight[eye], 8);
		event_set(&stereo->straightened[eye], run_after(stereo->queue, stereo->rectify,
								STEREO_PIXELS, 128, count, waits));
		DROP(sent);
	}
	count = event_add(waits, event_add(waits, 0, stereo->straightened[0]),
			  stereo->straightened[1]);
	count = event_add(waits, count, stereo->shown);
	args(stereo->match, "bbbi", stereo->straight[0], stereo->straight[1], stereo->depth, 8);
	event_set(&stereo->matched,
		  run_after(stereo->queue, stereo->match, STEREO_PIXELS, 128, count, waits));
	flush(stereo->queue);
}

void survey_clean_stages(struct app *app)
{
	struct stereo stereo = {.queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
	cl_program program = program_new(app, stereo_source, "");
	double sum = 0;

	stereo.rectify = kernel_new(program, "rectify");
	stereo.match = kernel_new(program, "match");
	stereo.depth = buffer_new(app, STEREO_BYTES);
	stereo.map = memory(STEREO_BYTES);
	for (int eye = 0; eye < 2; eye++) {
		stereo.taken[eye] = buffer_new(app, STEREO_BYTES);
		stereo.straight[eye] = buffer_new(app, STEREO_BYTES);
	}
	for (unsigned i = 0; i < 4; i++)
		stereo.pictures[i] = floats(STEREO_PIXELS, 157 + i);
	stereo_start(&stereo, 0);
	for (int pair = 1; pair <= STEREO_PAIRS; pair++) {
		event_set(&stereo.shown, get_after(stereo.queue, stereo.depth, STEREO_BYTES,
						   stereo.map, 1, &stereo.matched));
		flush(stereo.queue);
		if (pair < STEREO_PAIRS)
			stereo_start(&stereo, pair);
		TRY(clWaitForEvents(1, &stereo.shown));
		sum += (double)stereo.map[pair * 83];
	}
	finish(stereo.queue);
	answer(sum);
	for (int eye = 0; eye < 2; eye++) {
		DROP(stereo.straightened[eye]);
		DROP(stereo.straight[eye]);
		DROP(stereo.taken[eye]);
	}
	for (int i = 0; i < 4; i++)
		free(stereo.pictures[i]);
	DROP(stereo.matched);
	DROP(stereo.shown);
	DROP(stereo.depth);
	DROP(stereo.match);
	DROP(stereo.rectify);
	DROP(program);
	DROP(stereo.queue);
	free(stereo.map);
}
