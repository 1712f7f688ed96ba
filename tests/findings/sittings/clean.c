/* SPDX-License-Identifier: MIT */
/* Programs without a fault, each near to one. */
#include "sittings.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A star cluster: the next step's length hangs on this step's error. */
enum { STARS = 96 * KIB, ERRORS = 64, MOST_STEPS = 220 };

static const char march_source[] =
	"kernel void advance(global const float *now, global float *next, float dt)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float v = now[i];\n"
	"	for (int r = 0; r < 12; r++)\n"
	"		v += dt * 0.1f * (0.3f - v) * (1.1f - v);\n"
	"	next[i] = v;\n"
	"}\n"
	"kernel void compare(global const float *now, global const float *next,\n"
	"		    global float *errors)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float d = fabs(now[i] - next[i]);\n"
	"	for (int r = 0; r < 4; r++)\n"
	"		d = 0.5f * (d + fabs(now[(i + r) % 98304] - next[(i + r) % 98304]));\n"
	"	if (i % 1536 == 0)\n"
	"		errors[i / 1536] = d;\n"
	"}\n";

void sitting_clean_march(struct app *app)
{
	cl_program program = program_new(app, march_source, "");
	cl_kernel step = kernel_new(program, "advance"), compare = kernel_new(program, "compare");
	cl_mem states[2] = {seeded(app, STARS * sizeof(float), 1),
			    seeded(app, STARS * sizeof(float), 2)};
	cl_mem errors = seeded(app, ERRORS * sizeof(float), 3);
	float dt = 0.01f, time = 0, worst[ERRORS];
	int at = 0;

	for (int i = 0; i < MOST_STEPS && time < 100; i++) {
		args(step, "bbf", states[at], states[1 - at], (double)dt);
		run(app->queue, step, STARS, 64);
		args(compare, "bbb", states[at], states[1 - at], errors);
		run(app->queue, compare, STARS, 64);
		get(app->queue, errors, sizeof(worst), worst);

		double error = total(worst, ERRORS) / ERRORS;

		if (error > 0.02) {
			dt *= 0.7f;
			continue;
		}
		time += dt;
		at = 1 - at;
		dt *= error < 0.01 ? 1.1f : 1.0f;
	}
	answer((double)dt);
	DROP(states[0]);
	DROP(states[1]);
	DROP(errors);
	DROP(step);
	DROP(compare);
	DROP(program);
}

/* A camera for inspection: each picture is new, and larger than what is done with it. */
enum { SHOTS = 240, SIDE = 768, SHOT_BYTES = SIDE * SIDE * 2, SLOTS = 3, FLAWS = 4096 };

static const char camera_source[] =
	"kernel void flaws(global const ushort *shot, global uint *found)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	uint sum = 0;\n"
	"	for (int j = 0; j < 18; j++)\n"
	"		sum += shot[i * 18 + j];\n"
	"	if (i % 8 == 0)\n"
	"		found[i / 8] = sum > 700000u ? sum : 0;\n"
	"}\n";

void sitting_clean_camera(struct app *app)
{
	cl_command_queue up = queue_new(app, 0);
	cl_kernel kernel = kernel_of(app, camera_source, "flaws");
	cl_mem shots[SLOTS], found[SLOTS];
	uint16_t *pictures[SLOTS];
	uint32_t *flaws[SLOTS];
	cl_event done[SLOTS] = {NULL};
	unsigned count = 0;

	for (int i = 0; i < SLOTS; i++) {
		shots[i] = buffer_new(app, SHOT_BYTES);
		found[i] = buffer_new(app, FLAWS * sizeof(uint32_t));
		pictures[i] = memory(SHOT_BYTES);
		flaws[i] = memory(FLAWS * sizeof(uint32_t));
	}
	for (int i = 0; i < SHOTS; i++) {
		int slot = i % SLOTS;
		cl_event uploaded;

		if (done[slot])
			settle(done[slot]);
		count += flaws[slot][i % FLAWS] != 0;
		memset(pictures[slot], i, SHOT_BYTES);
		uploaded = put_after(up, shots[slot], SHOT_BYTES, pictures[slot], 0, NULL);
		flush(up);
		args(kernel, "bb", shots[slot], found[slot]);
		run_with(app->queue, kernel, FLAWS * 8, 64, 1, &uploaded, NULL);
		done[slot] = get_after(app->queue, found[slot], FLAWS * sizeof(uint32_t),
				       flaws[slot], 0, NULL);
		flush(app->queue);
		DROP(uploaded);
	}
	for (int i = 0; i < SLOTS; i++)
		settle(done[i]);
	answer(count);
	for (int i = 0; i < SLOTS; i++) {
		DROP(shots[i]);
		DROP(found[i]);
		free(pictures[i]);
		free(flaws[i]);
	}
	DROP(kernel);
	DROP(up);
}

/* A raw developer: one program of four stages, made once; each picture goes through all. */
enum { STAGES = 4, RAWS = 12, RAW = 256 * KIB, SENSOR = 8 * KIB };

static const char stage_source[] = "kernel void demosaic(global float *v)\n"
				   "{\n"
				   "	int i = get_global_id(0);\n"
				   "	for (int r = 0; r < 4; r++)\n"
				   "		v[i] = v[i] * 0.6f + 0.2f * (1 - v[i] * v[i]);\n"
				   "}\n"
				   "kernel void denoise(global float *v)\n"
				   "{\n"
				   "	int i = get_global_id(0);\n"
				   "	for (int r = 0; r < 4; r++)\n"
				   "		v[i] = v[i] * 0.5f + 0.3f * (1 - v[i] * v[i]);\n"
				   "}\n"
				   "kernel void tone(global float *v)\n"
				   "{\n"
				   "	int i = get_global_id(0);\n"
				   "	for (int r = 0; r < 4; r++)\n"
				   "		v[i] = v[i] * 0.7f + 0.1f * (1 - v[i] * v[i]);\n"
				   "}\n"
				   "kernel void sharpen(global float *v)\n"
				   "{\n"
				   "	int i = get_global_id(0);\n"
				   "	for (int r = 0; r < 4; r++)\n"
				   "		v[i] = v[i] * 0.4f + 0.3f * (1 - v[i] * v[i]);\n"
				   "}\n";

void sitting_clean_stages(struct app *app)
{
	static const char *const names[STAGES] = {"demosaic", "denoise", "tone", "sharpen"};
	cl_program program = program_new(app, stage_source, "");
	cl_mem raw = seeded(app, RAW * sizeof(float), 4);
	float *data = memory(SENSOR * sizeof(float));
	cl_kernel stages[STAGES];
	double sum = 0;

	for (int i = 0; i < STAGES; i++) {
		stages[i] = kernel_new(program, names[i]);
		args(stages[i], "b", raw);
	}
	for (int i = 0; i < RAWS; i++) {
		refill(data, SENSOR, i);
		put(app->queue, raw, SENSOR * sizeof(float), data);
		for (int pass = 0; pass < 5 * STAGES; pass++)
			run(app->queue, stages[pass / 5], RAW, 64);
		get(app->queue, raw, SENSOR * sizeof(float), data);
		sum += (double)data[i];
	}
	answer(sum);
	for (int i = 0; i < STAGES; i++)
		DROP(stages[i]);
	free(data);
	DROP(raw);
	DROP(program);
}

/* A codec: a thread prepares groups of pictures ahead, the other one keeps the device at work. */
enum { GROUP = 16 * KIB, GROUPS = 120, AHEAD = 4 };

static const char feed_source[] =
	"kernel void estimate(global const float *group, global float *vectors)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float best = 1e9f;\n"
	"	for (int r = 0; r < 6; r++)\n"
	"		best = fmin(best, fabs(group[i % 16384] - group[(i + r * 7) % 16384]));\n"
	"	if (i < 16384)\n"
	"		vectors[i] = best;\n"
	"}\n";

struct feed {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	float *groups[AHEAD];
	int ready, over;
};

static void feed_reach(struct feed *feed, const int *count, int least)
{
	pthread_mutex_lock(&feed->lock);
	while (*count < least)
		pthread_cond_wait(&feed->changed, &feed->lock);
	pthread_mutex_unlock(&feed->lock);
}

static void feed_count(struct feed *feed, int *count)
{
	pthread_mutex_lock(&feed->lock);
	(*count)++;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
}

static void *groups_prepare(void *arg)
{
	struct feed *feed = arg;

	for (int i = 0; i < GROUPS; i++) {
		feed_reach(feed, &feed->over, i - AHEAD + 1);
		refill(feed->groups[i % AHEAD], GROUP, i);
		feed_count(feed, &feed->ready);
	}
	return NULL;
}

void sitting_clean_feed(struct app *app)
{
	struct feed feed = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	cl_kernel kernel = kernel_of(app, feed_source, "estimate");
	cl_command_queue up = queue_new(app, 0), down = queue_new(app, 0);
	cl_mem groups[2], vectors[2];
	cl_event done[2] = {NULL};
	float *result[2];
	double sum = 0;
	pthread_t thread;

	for (int i = 0; i < AHEAD; i++)
		feed.groups[i] = memory(GROUP * sizeof(float));
	for (int i = 0; i < 2; i++) {
		groups[i] = buffer_new(app, GROUP * sizeof(float));
		vectors[i] = buffer_new(app, GROUP * sizeof(float));
		result[i] = memory(GROUP * sizeof(float));
	}
	if (pthread_create(&thread, NULL, groups_prepare, &feed))
		must(-1, "pthread_create");
	for (int i = 0; i <= GROUPS; i++) {
		if (i < GROUPS) {
			cl_event there, worked;

			feed_reach(&feed, &feed.ready, i + 1);
			there = put_after(up, groups[i % 2], GROUP * sizeof(float),
					  feed.groups[i % AHEAD], 0, NULL);
			flush(up);
			args(kernel, "bb", groups[i % 2], vectors[i % 2]);
			worked = run_after(app->queue, kernel, (size_t)GROUP * 32, 64, 1, &there);
			flush(app->queue);
			done[i % 2] = get_after(down, vectors[i % 2], GROUP * sizeof(float),
						result[i % 2], 1, &worked);
			flush(down);
			DROP(there);
			DROP(worked);
		}
		if (i) {
			settle(done[(i - 1) % 2]);
			sum += (double)result[(i - 1) % 2][i];
			feed_count(&feed, &feed.over);
		}
	}
	pthread_join(thread, NULL);
	answer(sum);
	for (int i = 0; i < AHEAD; i++)
		free(feed.groups[i]);
	for (int i = 0; i < 2; i++) {
		DROP(groups[i]);
		DROP(vectors[i]);
		free(result[i]);
	}
	DROP(kernel);
	DROP(up);
	DROP(down);
}

/* Heat in a plate: many steps, each from the one before, and nothing waits until the end. */
enum { PLATE = 64 * KIB, HEATS = 1200 };

static const char heat_source[] =
	"kernel void heat(global const float *now, global float *next)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float v = now[i], n = now[(i + 1) % 65536], s = now[(i + 65535) % 65536];\n"
	"	for (int r = 0; r < 8; r++)\n"
	"		v += 0.01f * (n + s - 2 * v);\n"
	"	next[i] = v;\n"
	"}\n";

void sitting_clean_chain(struct app *app)
{
	cl_kernel heat = kernel_of(app, heat_source, "heat");
	cl_mem plates[2] = {seeded(app, PLATE * sizeof(float), 5),
			    seeded(app, PLATE * sizeof(float), 6)};
	float *plate = memory(PLATE * sizeof(float));

	for (int i = 0; i < HEATS; i++) {
		args(heat, "bb", plates[i % 2], plates[1 - i % 2]);
		run(app->queue, heat, PLATE, 64);
		if (i % 50 == 49)
			flush(app->queue);
	}
	get(app->queue, plates[HEATS % 2], PLATE * sizeof(float), plate);
	answer(total(plate, PLATE));
	free(plate);
	DROP(plates[0]);
	DROP(plates[1]);
	DROP(heat);
}

/* Documents of all lengths: the buffer grows to twice what it was when one does not fit. */
enum { DOCUMENTS = 160, LONGEST = 128 * KIB };

static const char document_source[] =
	"kernel void digest(global const uint *text, global uint *digests, int words, int document)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	uint h = 2166136261u + i;\n"
	"	for (int j = 0; j < 2; j++)\n"
	"		h = (h ^ text[(i * 13 + j) % words]) * 16777619u;\n"
	"	if (i < 256)\n"
	"		digests[document * 256 + i] = h;\n"
	"}\n";

void sitting_clean_documents(struct app *app)
{
	enum { DIGEST = 256, DIGESTS = DOCUMENTS * DIGEST * sizeof(uint32_t) };
	cl_kernel digest = kernel_of(app, document_source, "digest");
	size_t room = 16 * KIB;
	cl_mem text = buffer_new(app, room), digests = buffer_new(app, DIGESTS);
	float *words = floats((LONGEST + (size_t)DOCUMENTS * KIB) / sizeof(float), 7);
	uint32_t *result = memory(DIGESTS), all = 0;

	for (int i = 0; i < DOCUMENTS; i++) {
		size_t bytes = (size_t)(8 + i * 37 % (8 + i / 2)) * KIB;

		if (bytes > room) {
			finish(app->queue);
			DROP(text);
			while (room < bytes)
				room *= 2;
			text = buffer_new(app, room);
		}
		put(app->queue, text, bytes, words + (size_t)i * KIB / sizeof(float));
		args(digest, "bbii", text, digests, (int)(bytes / 4), i);
		run(app->queue, digest, 160 * KIB, 64);
		flush(app->queue);
	}
	get(app->queue, digests, DIGESTS, result);
	for (int i = 0; i < DOCUMENTS; i++)
		all ^= result[i * DIGEST];
	answer(all != 1);
	free(words);
	free(result);
	DROP(text);
	DROP(digests);
	DROP(digest);
}

/* A long search with a bar of its progress: a look at it each 50 ms. */
enum { SEARCHES = 200, KEYS = 128 * KIB };

static const char key_source[] = "kernel void keys(global uint *found, uint base)\n"
				 "{\n"
				 "	uint k = base + get_global_id(0);\n"
				 "	for (int r = 0; r < 3; r++)\n"
				 "		k = (k ^ (k >> 7)) * 1664525u + 1013904223u;\n"
				 "	if (k < 40000u)\n"
				 "		atomic_inc(&found[k % 64]);\n"
				 "}\n";

struct bar {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	cl_event searches[SEARCHES];
	int shown;
	bool over;
};

static void bar_look(struct bar *bar)
{
	int ended = bar->shown;
	cl_int status = CL_COMPLETE;

	while (ended < SEARCHES && status == CL_COMPLETE) {
		TRY(clGetEventInfo(bar->searches[ended], CL_EVENT_COMMAND_EXECUTION_STATUS,
				   sizeof(status), &status, NULL));
		ended += status == CL_COMPLETE;
	}
	bar->shown = ended;
}

static void *bar_show(void *arg)
{
	struct bar *bar = arg;

	pthread_mutex_lock(&bar->lock);
	while (!bar->over) {
		struct timespec next;

		bar_look(bar);
		clock_gettime(CLOCK_REALTIME, &next);
		next.tv_nsec += 50000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&bar->changed, &bar->lock, &next);
	}
	pthread_mutex_unlock(&bar->lock);
	return NULL;
}

void sitting_clean_progress(struct app *app)
{
	struct bar bar = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	cl_kernel kernel = kernel_of(app, key_source, "keys");
	cl_mem found = seeded(app, 64 * sizeof(uint32_t), 8);
	uint32_t counts[64];
	pthread_t thread;

	for (int i = 0; i < SEARCHES; i++) {
		args(kernel, "bi", found, i * KEYS);
		bar.searches[i] = run_after(app->queue, kernel, KEYS, 64, 0, NULL);
	}
	flush(app->queue);
	if (pthread_create(&thread, NULL, bar_show, &bar))
		must(-1, "pthread_create");
	get(app->queue, found, sizeof(counts), counts);
	pthread_mutex_lock(&bar.lock);
	bar.over = true;
	pthread_cond_signal(&bar.changed);
	pthread_mutex_unlock(&bar.lock);
	pthread_join(thread, NULL);
	answer(counts[0]);
	for (int i = 0; i < SEARCHES; i++)
		DROP(bar.searches[i]);
	DROP(found);
	DROP(kernel);
}
