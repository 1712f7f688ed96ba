/* SPDX-License-Identifier: MIT */
/* Programs without a fault, with something in each that may look like one. */
#include "exams.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* A search that keeps the best of many ways: each step begins where the last one's 64 scores were
 * best, so that the host has to read them and cannot be ahead. */
void exam_clean_beam(struct app *app)
{
	enum { items = 64 * KIB, scores = 64, steps = 100, bytes = items * sizeof(float) };
	cl_kernel extend = kernel_of(app, STIR("extend"), "extend");
	cl_mem ways = buffer_new(app, bytes);
	float *data = floats(items, 30), score[scores];
	double sum = 0;
	int best = 0;

	put_now(app->queue, ways, bytes, data);
	for (int i = 0; i < steps; i++) {
		args(extend, "bi", ways, 36 + best % 8);
		run(app->queue, extend, items, 64);
		get(app->queue, ways, sizeof(score), score);
		best = 0;
		for (int j = 1; j < scores; j++)
			if (score[j] > score[best])
				best = j;
		sum += (double)score[best] + best;
	}
	answer(sum);
	DROP(extend);
	DROP(ways);
	free(data);
}

static const char dialect_source[] = "kernel void hear(global float *v)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	v[i] = v[i] * SCALE;\n"
				     "}\n" STIR("speak");

/* One source, built for two precisions, both of which each step needs. */
void exam_clean_dialects(struct app *app)
{
	enum { items = 96 * KIB, steps = 90, bytes = items * sizeof(float) };
	cl_program program[2] = {program_new(app, dialect_source, "-DSCALE=0.5f"),
				 program_new(app, dialect_source, "-DSCALE=0.25f")};
	cl_mem text = buffer_new(app, bytes);
	cl_kernel speak[2], hear[2];
	float *data = floats(items, 31);

	for (int i = 0; i < 2; i++) {
		speak[i] = kernel_new(program[i], "speak");
		hear[i] = kernel_new(program[i], "hear");
		args(speak[i], "bi", text, 12 + 4 * i);
		args(hear[i], "b", text);
	}
	put_now(app->queue, text, bytes, data);
	for (int i = 0; i < steps; i++) {
		run(app->queue, speak[i % 2], items, 64);
		run(app->queue, hear[i % 2], items, 64);
		run(app->queue, speak[1 - i % 2], items, 64);
	}
	get(app->queue, text, bytes, data);
	answer(total(data, items));
	for (int i = 0; i < 2; i++) {
		DROP(speak[i]);
		DROP(hear[i]);
		DROP(program[i]);
	}
	DROP(text);
	free(data);
}

static const char counts_source[] =
	STIR("draw_lots") "kernel void count(global const float *v, global int *counts)\n"
			  "{\n"
			  "	atomic_inc(&counts[(int)(v[get_global_id(0) * 16] * 128) & 127]);\n"
			  "}\n";

/* Counters are set to zero by a write in front of each frame's kernel, always of the same zeros:
 * the kernel has counted on. */
void exam_clean_tables(struct app *app)
{
	enum { items = 128 * KIB, frames = 110, bytes = items * sizeof(float) };
	static const int zeros[128];
	cl_program program = program_new(app, counts_source, "");
	cl_kernel lots = kernel_new(program, "draw_lots"), count = kernel_new(program, "count");
	cl_mem field = buffer_new(app, bytes), counts = buffer_new(app, sizeof(zeros));
	float *data = floats(items, 32);
	static int all[110][128];
	double sum = 0;

	put_now(app->queue, field, bytes, data);
	args(lots, "bi", field, 12);
	args(count, "bb", field, counts);
	for (int i = 0; i < frames; i++) {
		put(app->queue, counts, sizeof(zeros), zeros);
		run(app->queue, lots, items, 64);
		run(app->queue, count, items / 16, 64);
		TRY(clEnqueueReadBuffer(app->queue, counts, CL_FALSE, 0, sizeof(all[i]), all[i], 0,
					NULL, NULL));
		if (i % 4 == 3)
			flush(app->queue);
	}
	finish(app->queue);
	for (int i = 0; i < frames; i++)
		for (int j = 0; j < 128; j++)
			sum += all[i][j] * (j + i);
	answer(sum);
	DROP(lots);
	DROP(count);
	DROP(program);
	DROP(field);
	DROP(counts);
	free(data);
}

/* All of each result is read, and all of it goes into a sum; two queues have every other one, so
 * that the host sums up one while the next is made and read. */
void exam_clean_readback(struct app *app)
{
	enum { items = 48 * KIB, results = 160, bytes = items * sizeof(float) };
	cl_command_queue queue[2] = {app->queue, queue_new(app, 0)};
	cl_kernel make = kernel_of(app, STIR("make"), "make");
	cl_mem buffer[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	float *out[2] = {floats(items, 33), floats(items, 34)};
	cl_event home[2] = {NULL, NULL};
	double sum = 0;

	for (int i = 0; i < 2; i++)
		put_now(queue[i], buffer[i], bytes, out[i]);
	for (int i = 0; i < results + 2; i++) {
		int at = i % 2;

		if (home[at]) {
			settle(home[at]);
			sum += total(out[at], items);
			home[at] = NULL;
		}
		if (i >= results)
			continue;
		args(make, "bi", buffer[at], 16);
		run(queue[at], make, items, 64);
		home[at] = get_after(queue[at], buffer[at], bytes, out[at], 0, NULL);
		flush(queue[at]);
	}
	answer(sum);
	for (int i = 0; i < 2; i++) {
		DROP(buffer[i]);
		free(out[i]);
	}
	DROP(queue[1]);
	DROP(make);
}

struct desk {
	struct app *app;
	pthread_mutex_t lock;
	cl_kernel kernel;
};

struct visitor {
	struct desk *desk;
	int number;
	double sum;
};

static void *visitor_run(void *pointer)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), forms = 90 };
	struct visitor *visitor = pointer;
	struct desk *desk = visitor->desk;
	cl_command_queue queue = desk->app->queue;
	cl_mem form = buffer_new(desk->app, bytes);
	float *data = memory(bytes);

	for (int i = 0; i < forms; i++) {
		cl_event done;

		refill(data, items / 8, 2 * i + visitor->number);
		pthread_mutex_lock(&desk->lock);
		put(queue, form, bytes, data);
		args(desk->kernel, "bi", form, 24);
		run(queue, desk->kernel, items, 64);
		done = get_after(queue, form, bytes, data, 0, NULL);
		flush(queue);
		pthread_mutex_unlock(&desk->lock);
		settle(done);
		visitor->sum += total(data, KIB);
	}
	DROP(form);
	free(data);
	return NULL;
}

/* Two threads share a queue and a kernel under a lock, which they hold while they enqueue, and not
 * while they wait. */
void exam_clean_desk(struct app *app)
{
	struct desk desk = {app, PTHREAD_MUTEX_INITIALIZER, kernel_of(app, STIR("file"), "file")};
	struct visitor visitors[2] = {{&desk, 0, 0}, {&desk, 1, 0}};

	threads_run(2, visitor_run, visitors, sizeof(*visitors));
	answer(visitors[0].sum + visitors[1].sum);
	DROP(desk.kernel);
}

static void *sensor_run(void *pointer)
{
	for (int i = 0; i < 60; i++) {
		nap(4000);
		if (write(*(int *)pointer, &i, sizeof(i)) != sizeof(i))
			must(-1, "write");
	}
	return NULL;
}

/* A sensor says something each four milliseconds, and what it says is worked on at once; there is
 * nothing else to do. */
void exam_clean_sensor(struct app *app)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float) };
	cl_kernel feel = kernel_of(app, STIR("feel"), "feel");
	cl_mem skin = buffer_new(app, bytes);
	float *data = memory(bytes);
	pthread_t sensor;
	double sum = 0;
	int ends[2], said;

	if (pipe(ends))
		must(-1, "pipe");
	pthread_create(&sensor, NULL, sensor_run, &ends[1]);
	for (int i = 0; i < 60; i++) {
		if (read(ends[0], &said, sizeof(said)) != sizeof(said))
			must(-1, "read");
		refill(data, items, said);
		put(app->queue, skin, bytes, data);
		args(feel, "bi", skin, 8);
		run(app->queue, feel, items, 64);
		get(app->queue, skin, bytes, data);
		sum += total(data, items);
	}
	pthread_join(sensor, NULL);
	answer(sum);
	close(ends[0]);
	close(ends[1]);
	DROP(feel);
	DROP(skin);
	free(data);
}

/* Four users, one after the other. Each has a queue, a kernel and a buffer, which are made when he
 * comes, and released when he goes, some hundred launches later. */
void exam_clean_sessions(struct app *app)
{
	enum { users = 4, items = 96 * KIB, bytes = items * sizeof(float), launches = 70 };
	cl_program program = program_new(app, STIR("serve_user"), "");
	float *data = memory(bytes);
	double sum = 0;

	for (int i = 0; i < users; i++) {
		cl_command_queue queue = queue_new(app, 0);
		cl_kernel serve = kernel_new(program, "serve_user");
		cl_mem room = buffer_new(app, bytes);

		refill(data, items, i);
		put(queue, room, bytes, data);
		for (int j = 0; j < launches; j++) {
			args(serve, "bi", room, 10 + j % 3);
			run(queue, serve, items, 64);
		}
		get(queue, room, bytes, data);
		sum += total(data, items);
		DROP(serve);
		DROP(room);
		DROP(queue);
	}
	answer(sum);
	DROP(program);
	free(data);
}

/* The events of all launches are kept until the end, when the journal asks each for its times, and
 * releases it. */
void exam_clean_journal(struct app *app)
{
	enum { items = 96 * KIB, bytes = items * sizeof(float), launches = 260 };
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel note = kernel_of(app, STIR("note"), "note");
	cl_mem page = buffer_new(app, bytes);
	float *data = floats(items, 35);
	cl_event events[launches];
	cl_ulong begin, end, all = 0;

	put_now(queue, page, bytes, data);
	args(note, "bi", page, 12);
	for (int i = 0; i < launches; i++)
		events[i] = run_after(queue, note, items, 64, 0, NULL);
	get(queue, page, bytes, data);
	for (int i = 0; i < launches; i++) {
		TRY(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof(begin),
					    &begin, NULL));
		TRY(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof(end), &end,
					    NULL));
		all += end - begin;
		DROP(events[i]);
	}
	answer(all ? total(data, items) : 0);
	DROP(note);
	DROP(page);
	DROP(queue);
	free(data);
}

/* Two branches and what joins them, in a queue that keeps no order, by events that are all needed:
 * the next turn's branches both read what was joined. */
void exam_clean_diamond(struct app *app)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), turns = 80 };
	cl_command_queue queue = loose_queue(app);
	cl_program program = program_new(app, STIR("branch"), "");
	cl_mem side[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	cl_kernel branch[2];
	float *data = floats(items, 36);
	cl_event done[2], joined = NULL;

	for (int i = 0; i < 2; i++) {
		put_now(queue, side[i], bytes, data);
		branch[i] = kernel_new(program, "branch");
		args(branch[i], "bi", side[i], 14 + i);
	}
	for (int i = 0; i < turns; i++) {
		for (int j = 0; j < 2; j++)
			done[j] = run_after(queue, branch[j], items, 64, joined != NULL, &joined);
		if (joined)
			DROP(joined);
		TRY(clEnqueueCopyBuffer(queue, side[i % 2], side[1 - i % 2], 0, bytes / 2,
					bytes / 2, 2, done, &joined));
		DROP(done[0]);
		DROP(done[1]);
		flush(queue);
	}
	settle(joined);
	get(queue, side[0], bytes, data);
	answer(total(data, items));
	for (int i = 0; i < 2; i++) {
		DROP(side[i]);
		DROP(branch[i]);
	}
	DROP(program);
	DROP(queue);
	free(data);
}

struct rider {
	struct app *app;
	cl_command_queue queue;
	cl_kernel kernel;
	int cpu;
	double sum;
};

static void *rider_run(void *pointer)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), laps = 70 };
	struct rider *rider = pointer;
	cl_mem track = buffer_new(rider->app, bytes);
	float *data = memory(bytes);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(rider->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		must(-1, "sched_setaffinity");
	args(rider->kernel, "bi", track, 24);
	for (int i = 0; i < laps; i++) {
		refill(data, items / 8, 2 * i + rider->cpu);
		put(rider->queue, track, bytes, data);
		run(rider->queue, rider->kernel, items, 64);
		get(rider->queue, track, bytes, data);
		rider->sum += total(data, KIB);
	}
	DROP(track);
	free(data);
	return NULL;
}

/* Two threads that wait for the device most of the time, bound to a CPU each, and not to the same
 * one; the driver's threads are free. */
void exam_clean_pins(struct app *app)
{
	cl_program program = program_new(app, STIR("ride"), "");
	struct rider riders[2];

	for (int i = 0; i < 2; i++)
		riders[i] =
			(struct rider){app, queue_new(app, 0), kernel_new(program, "ride"), i, 0};
	threads_run(2, rider_run, riders, sizeof(*riders));
	answer(riders[0].sum + riders[1].sum);
	for (int i = 0; i < 2; i++) {
		DROP(riders[i].queue);
		DROP(riders[i].kernel);
	}
	DROP(program);
}

static const char sorter_source[] =
	"kernel void exchange(global float *v, int half_size, int size)\n"
	"{\n"
	"	int i = get_global_id(0), low = i / half_size * half_size * 2 + i % half_size;\n"
	"	float a = v[low], b = v[low + half_size];\n"
	"	bool up = !(low & size);\n"
	"	v[low] = up ? fmin(a, b) : fmax(a, b);\n"
	"	v[low + half_size] = up ? fmax(a, b) : fmin(a, b);\n"
	"}\n";

/* A bitonic sort: a hundred and more launches of one kernel, each of which needs all of the one
 * before. */
void exam_clean_sorter(struct app *app)
{
	enum { items = 256 * KIB, bytes = items * sizeof(float), lists = 2 };
	cl_kernel exchange = kernel_of(app, sorter_source, "exchange");
	cl_mem list = buffer_new(app, bytes);
	double sum = 0;

	for (int i = 0; i < lists; i++) {
		float *data = floats(items, 37 + (unsigned)i);

		put(app->queue, list, bytes, data);
		for (int size = 2; size <= items; size *= 2)
			for (int half = size / 2; half; half /= 2) {
				args(exchange, "bii", list, half, size);
				run(app->queue, exchange, items / 2, 64);
			}
		get(app->queue, list, bytes, data);
		for (int j = 0; j < items; j += 1024)
			sum += (double)data[j] * j;
		free(data);
	}
	answer(sum);
	DROP(exchange);
	DROP(list);
}

static double shift_work(struct app *app, unsigned seed)
{
	enum { items = 96 * KIB, bytes = items * sizeof(float), pieces = 100 };
	cl_kernel weld = kernel_of(app, STIR("weld"), "weld");
	cl_mem part = buffer_new(app, bytes);
	float *data = floats(items, seed);
	double sum;

	put_now(app->queue, part, bytes, data);
	args(weld, "bi", part, 14);
	for (int i = 0; i < pieces; i++)
		run(app->queue, weld, items, 64);
	get(app->queue, part, bytes, data);
	sum = total(data, items);
	DROP(weld);
	DROP(part);
	free(data);
	return sum;
}

void exam_second_shift(struct app *app)
{
	answer(shift_work(app, 40));
}

/* A second process has the device when this one is through with it, and not before. */
void exam_clean_handoff(struct app *app)
{
	double sum = shift_work(app, 39);

	process_end(process_start(app, "second_shift", NULL, -1));
	answer(sum);
}

static const char compact_source[] =
	"kernel void keep(global const float *v, global float *kept, global int *count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (v[i] > 0.9f)\n"
	"		kept[atomic_inc(count)] = v[i];\n"
	"}\n" STIR("scatter");

/* What a kernel keeps is a tenth; how many that are is read first, since only so many are read. */
void exam_clean_compact(struct app *app)
{
	enum { items = 128 * KIB, bytes = items * sizeof(float), rounds = 80 };
	cl_program program = program_new(app, compact_source, "");
	cl_kernel keep = kernel_new(program, "keep"), scatter = kernel_new(program, "scatter");
	cl_mem all = buffer_new(app, bytes), kept = buffer_new(app, bytes);
	cl_mem count = buffer_new(app, sizeof(int));
	float *data = floats(items, 38);
	int many, zero = 0;
	double sum = 0;

	put_now(app->queue, all, bytes, data);
	args(scatter, "bi", all, 24);
	args(keep, "bbb", all, kept, count);
	for (int i = 0; i < rounds; i++) {
		put(app->queue, count, sizeof(zero), &zero);
		run(app->queue, scatter, items, 64);
		run(app->queue, keep, items, 64);
		get(app->queue, count, sizeof(many), &many);
		get(app->queue, kept, (size_t)many * sizeof(float), data);
		for (int j = 0; j < many; j++)
			sum += (double)data[j];
	}
	answer(sum);
	DROP(keep);
	DROP(scatter);
	DROP(program);
	DROP(all);
	DROP(kept);
	DROP(count);
	free(data);
}

/* Two places in memory of the driver's, mapped once for all of the run, from which the data go up;
 * the next are filled in while the last are worked on. */
void exam_clean_staging(struct app *app)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), loads = 170 };
	cl_kernel sift = kernel_of(app, STIR("sift"), "sift");
	cl_mem pinned[2], sieve = buffer_new(app, bytes);
	cl_event sent[2] = {NULL, NULL};
	float *place[2], *data = memory(bytes);
	cl_int status;

	for (int i = 0; i < 2; i++) {
		pinned[i] = clCreateBuffer(app->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
					   bytes, NULL, &status);
		must(status, "clCreateBuffer");
		place[i] = clEnqueueMapBuffer(app->queue, pinned[i], CL_TRUE, CL_MAP_WRITE, 0,
					      bytes, 0, NULL, NULL, &status);
		must(status, "clEnqueueMapBuffer");
	}
	args(sift, "bi", sieve, 24);
	for (int i = 0; i < loads; i++) {
		int at = i % 2;

		if (sent[at])
			settle(sent[at]);
		refill(place[at], items / 4, i);
		sent[at] = put_after(app->queue, sieve, bytes, place[at], 0, NULL);
		run(app->queue, sift, items, 64);
		flush(app->queue);
	}
	for (int i = 0; i < 2; i++) {
		settle(sent[i]);
		TRY(clEnqueueUnmapMemObject(app->queue, pinned[i], place[i], 0, NULL, NULL));
	}
	get(app->queue, sieve, bytes, data);
	answer(total(data, items));
	for (int i = 0; i < 2; i++)
		DROP(pinned[i]);
	DROP(sift);
	DROP(sieve);
	free(data);
}
