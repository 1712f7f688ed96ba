/* SPDX-License-Identifier: MIT */
/* Programs that only look as if something were wrong with them. */
#include "briefings.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* Heat in a plate. How much it still changes is logged each 32 steps; nobody waits for it. */
enum { PLATE_WIDTH = 256, PLATE = PLATE_WIDTH * PLATE_WIDTH, HEAT_STEPS = 1024, HEAT_EACH = 32 };
enum { HEAT_PARTS = 256, HEAT_LOGS = HEAT_STEPS / HEAT_EACH };

static const char heat_source[] =
	"kernel void heat(global const float *now, global float *next, int width)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width, y = i / width;\n"
	"	float c = now[i];\n"
	"	if (x > 0 && x < width - 1 && y > 0 && y < width - 1)\n"
	"		c += 0.2f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * c);\n"
	"	next[i] = c;\n"
	"}\n"
	"kernel void change(global const float *now, global const float *next,\n"
	"		   global float *parts, int length)\n"
	"{\n"
	"	int first = get_global_id(0) * length;\n"
	"	float sum = 0;\n"
	"	for (int i = first; i < first + length; i++)\n"
	"		sum += fabs(next[i] - now[i]);\n"
	"	parts[get_global_id(0)] = sum;\n"
	"}\n";

void briefing_clean_heat(struct app *app)
{
	cl_program program = program_new(app, heat_source, "");
	cl_kernel heat = kernel_new(program, "heat"), change = kernel_new(program, "change");
	size_t log_bytes = HEAT_PARTS * sizeof(float);
	float *start = floats(PLATE, 3), *logs = memory(HEAT_LOGS * log_bytes);
	cl_mem plates[2] = {loaded(app, PLATE * sizeof(float), start),
			    loaded(app, PLATE * sizeof(float), start)};
	cl_mem parts = buffer_new(app, log_bytes);

	for (int step = 0; step < HEAT_STEPS; step++) {
		cl_mem now = plates[step % 2], next = plates[(step + 1) % 2];

		args(heat, "bbi", now, next, PLATE_WIDTH);
		run(app->queue, heat, PLATE, 64);
		if (step % HEAT_EACH != HEAT_EACH - 1)
			continue;
		args(change, "bbbi", now, next, parts, PLATE / HEAT_PARTS);
		run(app->queue, change, HEAT_PARTS, 16);
		TRY(clEnqueueReadBuffer(app->queue, parts, CL_FALSE, 0, log_bytes,
					logs + step / HEAT_EACH * HEAT_PARTS, 0, NULL, NULL));
		flush(app->queue);
	}
	finish(app->queue);
	answer(total(logs, HEAT_LOGS * HEAT_PARTS));
	DROP(plates[0]);
	DROP(plates[1]);
	DROP(parts);
	DROP(heat);
	DROP(change);
	DROP(program);
	free(start);
	free(logs);
}

/* A mosaic of aerial pictures: while one is warped, the next one comes and the last one goes;
 * events keep the three queues in step.
 */
enum { AERIAL = 96 * KIB, AERIALS = 300, SLOTS = 3 };

static const char aerial_source[] =
	"kernel void warp(global const float *in, global float *out, int rounds)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float v = in[i], w = 0;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		w = w * 0.5f + v * (1 - w * 0.25f);\n"
	"	out[i] = w;\n"
	"}\n";

struct slot {
	cl_mem in, out;
	float *picture, *warped;
	cl_kernel warp;
	cl_event sent, done, back;
};

void briefing_clean_mosaic(struct app *app)
{
	cl_program program = program_new(app, aerial_source, "");
	cl_command_queue up = queue_new(app, 0), down = queue_new(app, 0);
	size_t bytes = AERIAL * sizeof(float);
	struct slot slots[SLOTS];
	double light = 0;

	for (int i = 0; i < SLOTS; i++) {
		slots[i] = (struct slot){.in = buffer_new(app, bytes),
					 .out = buffer_new(app, bytes),
					 .picture = memory(bytes),
					 .warped = memory(bytes),
					 .warp = kernel_new(program, "warp")};
		args(slots[i].warp, "bbi", slots[i].in, slots[i].out, 8);
	}
	for (int i = 0; i < AERIALS + SLOTS; i++) {
		struct slot *slot = &slots[i % SLOTS];

		if (slot->back) {
			settle(slot->back);
			DROP(slot->sent);
			DROP(slot->done);
			slot->back = NULL;
			light += (double)slot->warped[i];
		}
		if (i >= AERIALS)
			continue;
		refill(slot->picture, AERIAL, i);
		slot->sent = put_after(up, slot->in, bytes, slot->picture, 0, NULL);
		flush(up);
		slot->done = run_after(app->queue, slot->warp, AERIAL, 64, 1, &slot->sent);
		flush(app->queue);
		slot->back = get_after(down, slot->out, bytes, slot->warped, 1, &slot->done);
		flush(down);
	}
	answer(light);
	for (int i = 0; i < SLOTS; i++) {
		DROP(slots[i].in);
		DROP(slots[i].out);
		DROP(slots[i].warp);
		free(slots[i].picture);
		free(slots[i].warped);
	}
	DROP(up);
	DROP(down);
	DROP(program);
}

/* A market's ticks: they come when they come, and an alarm must go out before the next ones. */
enum { TICKS = 512, MARKET_PACKETS = 110 };

static const char tick_source[] =
	"kernel void spread(global const float *ticks, global float *book)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	book[i] = book[i] * 0.9f + ticks[i] * 0.1f;\n"
	"}\n";

void briefing_clean_ticks(struct app *app)
{
	cl_kernel spread = kernel_of(app, tick_source, "spread");
	size_t bytes = TICKS * sizeof(float);
	float *ticks = memory(bytes), *book = memory(bytes);
	cl_mem in = buffer_new(app, bytes), state = loaded(app, bytes, book);
	int alarms = 0;

	args(spread, "bb", in, state);
	for (int i = 0; i < MARKET_PACKETS; i++) {
		nap(2500); /* until the exchange sends some */
		refill(ticks, TICKS, i);
		put(app->queue, in, bytes, ticks);
		run(app->queue, spread, TICKS, 64);
		get(app->queue, state, bytes, book);
		alarms += book[i] > 0.5f;
	}
	answer(alarms);
	DROP(in);
	DROP(state);
	DROP(spread);
	free(ticks);
	free(book);
}

/* An old game's screen: pictures of 256 colours stay on the device, the colours fade in each frame,
 * and every other second the picture is another one.
 */
enum { SCREEN = 640 * 400, COLOURS = 256, FADES = 600, FADES_EACH = 60 };

static const char fade_source[] =
	"kernel void show(global const uchar *picture, global const uint *colours,\n"
	"		 global uint *screen)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	screen[i] = colours[picture[i]] + (screen[i] >> 1);\n"
	"}\n";

void briefing_clean_fades(struct app *app)
{
	cl_kernel show = kernel_of(app, fade_source, "show");
	uint8_t *pixels = memory(SCREEN);
	uint32_t colours[2][COLOURS], *screen = memory(SCREEN * sizeof(*screen));
	cl_mem picture_in = buffer_new(app, SCREEN);
	cl_mem colours_in = buffer_new(app, sizeof(colours[0]));
	cl_mem out = loaded(app, SCREEN * sizeof(*screen), screen);
	cl_event sent[2] = {NULL, NULL};
	uint32_t sum = 0;

	args(show, "bbb", picture_in, colours_in, out);
	for (int i = 0; i < FADES; i++) {
		uint32_t *now = colours[i % 2];

		if (sent[i % 2])
			settle(sent[i % 2]);
		for (unsigned c = 0; c < COLOURS; c++)
			now[c] = c * (unsigned)(i + 1) / 4 * 0x010101u;
		if (i % FADES_EACH == 0) {
			picture(pixels, SCREEN, i);
			put_now(app->queue, picture_in, SCREEN, pixels);
		}
		sent[i % 2] = put_after(app->queue, colours_in, sizeof(colours[0]), now, 0, NULL);
		run(app->queue, show, SCREEN, 128);
		flush(app->queue);
	}
	settle(sent[0]);
	settle(sent[1]);
	get(app->queue, out, SCREEN * sizeof(*screen), screen);
	for (int i = 0; i < SCREEN; i++)
		sum += screen[i];
	answer(sum);
	DROP(picture_in);
	DROP(colours_in);
	DROP(out);
	DROP(show);
	free(pixels);
	free(screen);
}

/* A census: ages are counted in local memory, group by group, and the groups' counts are joined.
 * The last work-items of each district have nobody to count.
 */
enum { PEOPLE = 99900, PLACES = 99968, AGES = 64, CENSUS_GROUP = 64, DISTRICTS = 150 };
enum { CENSUS_GROUPS = PLACES / CENSUS_GROUP };

static const char census_source[] =
	"kernel void count(global const uchar *ages, global int *counts, int people, local int *own)\n"
	"{\n"
	"	int i = get_global_id(0), l = get_local_id(0);\n"
	"	own[l] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (i < people)\n"
	"		atomic_inc(&own[ages[i] & 63]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	counts[i] = own[l];\n"
	"}\n"
	"kernel void join(global const int *counts, global int *all, int groups)\n"
	"{\n"
	"	int age = get_global_id(0) % 64, part = get_global_id(0) / 64, sum = 0;\n"
	"	for (int g = part; g < groups; g += 8)\n"
	"		sum += counts[g * 64 + age];\n"
	"	all[get_global_id(0)] += sum;\n"
	"}\n";

void briefing_clean_census(struct app *app)
{
	cl_program program = program_new(app, census_source, "");
	cl_kernel count = kernel_new(program, "count"), join = kernel_new(program, "join");
	uint8_t *ages[2] = {memory(PEOPLE), memory(PEOPLE)};
	cl_int pyramid[AGES * 8] = {0};
	cl_mem in = buffer_new(app, PEOPLE), counts = buffer_new(app, PLACES * sizeof(cl_int));
	cl_mem all = loaded(app, sizeof(pyramid), pyramid);
	cl_event sent[2] = {NULL, NULL};
	double sum = 0;

	args(count, "bbil", in, counts, PEOPLE, CENSUS_GROUP * sizeof(cl_int));
	args(join, "bbi", counts, all, CENSUS_GROUPS);
	for (int i = 0; i < DISTRICTS; i++) {
		if (sent[i % 2])
			settle(sent[i % 2]);
		picture(ages[i % 2], PEOPLE, i);
		sent[i % 2] = put_after(app->queue, in, PEOPLE, ages[i % 2], 0, NULL);
		run(app->queue, count, PLACES, CENSUS_GROUP);
		run(app->queue, join, (size_t)AGES * 8, 64);
		flush(app->queue);
	}
	settle(sent[0]);
	settle(sent[1]);
	get(app->queue, all, sizeof(pyramid), pyramid);
	for (int i = 0; i < AGES * 8; i++)
		sum += (double)pyramid[i] * (i % AGES);
	answer(sum);
	DROP(in);
	DROP(counts);
	DROP(all);
	DROP(count);
	DROP(join);
	DROP(program);
	free(ages[0]);
	free(ages[1]);
}

/* A clinic's server: two workers take heart traces from a list, each with a queue and buffers that
 * it keeps.
 */
enum { WORKERS = 2, TRACE = 48 * KIB, TRACE_BYTES = TRACE * sizeof(float), PATIENTS = 480 };

static const char heart_source[] =
	"kernel void filter(global const float *trace, global float *smooth, int taps)\n"
	"{\n"
	"	int i = get_global_id(0), all = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < taps; k++)\n"
	"		sum += trace[min(i + k, all - 1)];\n"
	"	smooth[i] = sum / (float)taps;\n"
	"}\n"
	"kernel void beats(global const float *smooth, global float *counts, int length)\n"
	"{\n"
	"	int first = get_global_id(0) * length;\n"
	"	float count = 0;\n"
	"	for (int i = first + 1; i < first + length; i++)\n"
	"		count += smooth[i - 1] < 0.5f && smooth[i] >= 0.5f ? 1.0f : 0.0f;\n"
	"	counts[get_global_id(0)] = count;\n"
	"}\n";

struct clinic {
	struct app *app;
	cl_program program;
	pthread_mutex_t lock;
	int next;
	double beats[PATIENTS];
};

static void *clinic_worker(void *argument)
{
	struct clinic *clinic = *(struct clinic **)argument;
	struct app *app = clinic->app;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel filter = kernel_new(clinic->program, "filter");
	cl_kernel beats = kernel_new(clinic->program, "beats");
	float *trace = memory(TRACE_BYTES), counts[256];
	cl_mem in = buffer_new(app, TRACE_BYTES), smooth = buffer_new(app, TRACE_BYTES);
	cl_mem found = buffer_new(app, sizeof(counts));

	args(filter, "bbi", in, smooth, 8);
	args(beats, "bbi", smooth, found, TRACE / 256);
	for (;;) {
		pthread_mutex_lock(&clinic->lock);
		int patient = clinic->next < PATIENTS ? clinic->next++ : -1;
		pthread_mutex_unlock(&clinic->lock);

		if (patient < 0)
			break;
		refill(trace, TRACE, patient);
		put(queue, in, TRACE_BYTES, trace);
		run(queue, filter, TRACE, 64);
		run(queue, beats, 256, 16);
		get(queue, found, sizeof(counts), counts);
		clinic->beats[patient] = total(counts, 256);
	}
	DROP(in);
	DROP(smooth);
	DROP(found);
	DROP(filter);
	DROP(beats);
	DROP(queue);
	free(trace);
	return NULL;
}

void briefing_clean_clinic(struct app *app)
{
	struct clinic clinic = {.app = app, .program = program_new(app, heart_source, "")};
	struct clinic *each[WORKERS] = {&clinic, &clinic};
	double sum = 0;

	pthread_mutex_init(&clinic.lock, NULL);
	threads_run(WORKERS, clinic_worker, each, sizeof(*each));
	for (int i = 0; i < PATIENTS; i++)
		sum += clinic.beats[i];
	answer(sum);
	pthread_mutex_destroy(&clinic.lock);
	DROP(clinic.program);
}

/* Sonograms of whales: a callback says that one is there, and the main thread writes it down. Four
 * are under way at any time, in two queues.
 */
enum { SONG = 64 * KIB, SONGS = 200, UNDER_WAY = 4, SONG_WINDOWS = 512 };

static const char song_source[] =
	"kernel void bands(global const float *song, global float *power, int length)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	global const float *part = song + i / 64 * length;\n"
	"	float re = 0, im = 0, c = 1, s = 0, w = (float)(i % 64) * 0.01f;\n"
	"	for (int k = 0; k < length; k += 8) {\n"
	"		re += part[k] * c;\n"
	"		im += part[k] * s;\n"
	"		float next = c - w * s;\n"
	"		s = s + w * next;\n"
	"		c = next;\n"
	"	}\n"
	"	power[i] = re * re + im * im;\n"
	"}\n";

struct song {
	cl_command_queue queue;
	cl_mem in, out;
	cl_kernel bands;
	float *samples, *power;
	cl_event done;
	sem_t there;
};

static void CL_CALLBACK song_there(cl_event event, cl_int status, void *data)
{
	struct song *song = data;

	(void)event;
	must(status, "bands");
	sem_post(&song->there);
}

void briefing_clean_signal(struct app *app)
{
	cl_program program = program_new(app, song_source, "");
	size_t in_bytes = SONG * sizeof(float), out_bytes = SONG / 2 * sizeof(float);
	cl_command_queue second = queue_new(app, 0);
	struct song songs[UNDER_WAY];
	double power = 0;

	for (int i = 0; i < UNDER_WAY; i++) {
		songs[i] = (struct song){.queue = i % 2 ? second : app->queue,
					 .in = buffer_new(app, in_bytes),
					 .out = buffer_new(app, out_bytes),
					 .bands = kernel_new(program, "bands"),
					 .samples = memory(in_bytes),
					 .power = memory(out_bytes)};
		sem_init(&songs[i].there, 0, 0);
		args(songs[i].bands, "bbi", songs[i].in, songs[i].out, SONG / SONG_WINDOWS);
	}
	for (int i = 0; i < SONGS + UNDER_WAY; i++) {
		struct song *song = &songs[i % UNDER_WAY];

		if (song->done) {
			while (sem_wait(&song->there))
				;
			DROP(song->done);
			song->done = NULL;
			power += total(song->power, SONG / 2);
		}
		if (i >= SONGS)
			continue;
		refill(song->samples, SONG, i);
		put(song->queue, song->in, in_bytes, song->samples);
		run(song->queue, song->bands, SONG / 2, 64);
		song->done = get_after(song->queue, song->out, out_bytes, song->power, 0, NULL);
		TRY(clSetEventCallback(song->done, CL_COMPLETE, song_there, song));
		flush(song->queue);
	}
	answer(power);
	for (int i = 0; i < UNDER_WAY; i++) {
		sem_destroy(&songs[i].there);
		DROP(songs[i].in);
		DROP(songs[i].out);
		DROP(songs[i].bands);
		free(songs[i].samples);
		free(songs[i].power);
	}
	DROP(second);
	DROP(program);
}
