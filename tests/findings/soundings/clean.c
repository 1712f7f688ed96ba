/* SPDX-License-Identifier: MIT */
/* Programs that look as if something were wrong. */
#include "soundings.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

/* A casting cools down: a step in place of the other, and now and then how far it is. */
static const char cooling_source[] =
	"kernel void cool(global const float *old, global float *new, int width)\n"
	"{\n"
	"	int n = get_global_size(0), i = get_global_id(0);\n"
	"	float a = old[i], sum = old[(i + 1) % n] + old[(i + n - 1) % n];\n"
	"	sum += old[(i + width) % n] + old[(i + n - width) % n];\n"
	"	new[i] = a + 0.2f * (sum * 0.25f - a);\n"
	"}\n"
	"kernel void hottest(global const float *cells, global float *most, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float max = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		max = fmax(max, cells[i * each + k]);\n"
	"	most[i] = max;\n"
	"}\n";

void sounding_clean_cooling(struct app *app)
{
	enum { WIDTH = 512, CELLS = WIDTH * 256, PARTS = 256, STEPS = 600, EACH = 100 };

	cl_program program = program_new(app, cooling_source, "");
	cl_kernel cool = kernel_new(program, "cool"), hottest = kernel_new(program, "hottest");
	cl_mem cells[2] = {filled(app, CELLS, 1), buffer_new(app, CELLS * sizeof(float))};
	cl_mem most = buffer_new(app, PARTS * sizeof(float));
	double sum = 0;

	for (int step = 0; step < STEPS; step++) {
		args(cool, "bbi", cells[step % 2], cells[(step + 1) % 2], WIDTH);
		run(app->queue, cool, CELLS, 64);
		if (step % EACH < EACH - 1)
			continue;
		args(hottest, "bbi", cells[(step + 1) % 2], most, CELLS / PARTS);
		run(app->queue, hottest, PARTS, 16);
		sum += sum_of(app, most, PARTS);
	}
	answer(sum);
	DROP(cells[0]);
	DROP(cells[1]);
	DROP(most);
	DROP(cool);
	DROP(hottest);
	DROP(program);
}

/* Packets of a digitiser: one goes in while the one before is worked on. */
void sounding_clean_capture(struct app *app)
{
	enum { SAMPLES = 131072, PACKETS = 160, SLOTS = 2 };

	size_t bytes = SAMPLES * sizeof(float);
	cl_command_queue uploads = queue_new(app, 0);
	cl_kernel filter = kernel_of(app, DIGEST("filter"), "filter");
	cl_mem in[SLOTS], out = buffer_new(app, bytes);
	cl_event ran[SLOTS] = {NULL}, put_done[SLOTS] = {NULL};
	float *packet[SLOTS];

	for (unsigned s = 0; s < SLOTS; s++) {
		in[s] = buffer_new(app, bytes);
		packet[s] = floats(SAMPLES, s);
	}
	for (int p = 0; p < PACKETS; p++) {
		int s = p % SLOTS;

		if (p >= SLOTS) {
			settle(ran[s]);
			DROP(put_done[s]);
		}
		refill(packet[s], SAMPLES, p);
		put_done[s] = put_after(uploads, in[s], bytes, packet[s], 0, NULL);
		flush(uploads);
		args(filter, "bbi", in[s], out, 12);
		ran[s] = run_after(app->queue, filter, SAMPLES, 64, 1, &put_done[s]);
		flush(app->queue);
	}
	for (int s = 0; s < SLOTS; s++) {
		settle(ran[s]);
		DROP(put_done[s]);
		DROP(in[s]);
		free(packet[s]);
	}
	answer(sum_of(app, out, SAMPLES));
	DROP(out);
	DROP(filter);
	DROP(uploads);
}

/* Two workers with requests of their own; each keeps its queue, its kernel and its buffers. */
struct worker {
	const struct app *app;
	cl_program program;
	int number;
	double sum;
};

static void *worker_main(void *data)
{
	enum { WORDS = 131072, REQUESTS = 70 };

	struct worker *w = data;
	size_t bytes = WORDS * sizeof(float);
	cl_command_queue queue = queue_new(w->app, 0);
	cl_kernel translate = kernel_new(w->program, "translate");
	cl_mem in = buffer_new(w->app, bytes), out = buffer_new(w->app, bytes);
	float *words = floats(WORDS, 3), *reply = memory(bytes);

	args(translate, "bbi", in, out, 15);
	for (int r = 0; r < REQUESTS; r++) {
		refill(words, WORDS, r * 2 + w->number);
		put(queue, in, bytes, words);
		run(queue, translate, WORDS, 64);
		get(queue, out, bytes, reply);
		w->sum += (double)reply[r];
	}
	free(words);
	free(reply);
	DROP(in);
	DROP(out);
	DROP(translate);
	DROP(queue);
	return NULL;
}

void sounding_clean_pool(struct app *app)
{
	struct worker workers[2] = {{.app = app, .number = 0}, {.app = app, .number = 1}};
	cl_program program = program_new(app, DIGEST("translate"), "");

	workers[0].program = workers[1].program = program;
	threads_run(2, worker_main, workers, sizeof(*workers));
	answer(workers[0].sum + workers[1].sum);
	DROP(program);
}

/* Messages of any size: the buffers are made anew when a larger one comes than ever before. */
void sounding_clean_growth(struct app *app)
{
	enum { MOST = 131072, MESSAGES = 160 };

	size_t room = 0;
	cl_kernel hash = kernel_of(app, DIGEST("hash"), "hash");
	cl_mem in = NULL, out = NULL;
	float *message = floats(MOST, 27), *reply = memory(MOST * sizeof(float));
	double sum = 0;

	for (int m = 0; m < MESSAGES; m++) {
		size_t count = 8192u * (1 + (unsigned)(m * 7 + m / 9) % 16);

		if (count > room) {
			if (room) {
				DROP(in);
				DROP(out);
			}
			for (room = room ? room : 8192; room < count;)
				room *= 2;
			in = buffer_new(app, room * sizeof(float));
			out = buffer_new(app, room * sizeof(float));
		}
		message[m] += (float)m;
		put(app->queue, in, count * sizeof(float), message);
		args(hash, "bbi", in, out, 25);
		run(app->queue, hash, count, 64);
		get(app->queue, out, count * sizeof(float), reply);
		sum += total(reply, 16);
	}
	answer(sum);
	free(message);
	free(reply);
	DROP(in);
	DROP(out);
	DROP(hash);
}

/* A matched filter of three lengths, each built for its length once. */
void sounding_clean_variants(struct app *app)
{
	enum { ITEMS = 131072, LENGTHS = 3, RUNS = 150 };

	static const char source[] =
		"kernel void match(global const float *in, global float *out)\n"
		"{\n"
		"	size_t i = get_global_id(0), n = get_global_size(0);\n"
		"	float sum = 0;\n"
		"	for (int k = 0; k < LENGTH; k++)\n"
		"		sum = sum * 0.9f + in[(i + k) % n];\n"
		"	out[i] = sum * 0.1f + 0.1f;\n"
		"}\n";
	cl_kernel match[LENGTHS];
	cl_mem data[2] = {filled(app, ITEMS, 21), buffer_new(app, ITEMS * sizeof(float))};

	for (int i = 0; i < LENGTHS; i++) {
		char option[32];
		cl_program program;

		snprintf(option, sizeof(option), "-DLENGTH=%d", 8 << i);
		program = program_new(app, source, option);
		match[i] = kernel_new(program, "match");
		DROP(program);
	}
	for (int r = 0; r < RUNS; r++) {
		args(match[r % LENGTHS], "bb", data[r % 2], data[(r + 1) % 2]);
		run(app->queue, match[r % LENGTHS], ITEMS, 64);
		if (r % 32 == 31)
			flush(app->queue);
	}
	answer(sum_of(app, data[0], ITEMS));
	for (int i = 0; i < LENGTHS; i++)
		DROP(match[i]);
	DROP(data[0]);
	DROP(data[1]);
}

/* A random walk: each step needs the one before. */
void sounding_clean_chain(struct app *app)
{
	enum { WALKERS = 65536, STEPS = 700 };

	cl_kernel walk = kernel_of(app, DIGEST("walk"), "walk");
	cl_mem at[2] = {filled(app, WALKERS, 35), buffer_new(app, WALKERS * sizeof(float))};

	for (int s = 0; s < STEPS; s++) {
		args(walk, "bbi", at[s % 2], at[(s + 1) % 2], 7);
		run(app->queue, walk, WALKERS, 64);
		if (s % 64 == 63)
			flush(app->queue);
	}
	answer(sum_of(app, at[0], WALKERS));
	DROP(at[0]);
	DROP(at[1]);
	DROP(walk);
}

/* A face is found in a picture by two ways that start from one and end in one. */
void sounding_clean_diamond(struct app *app)
{
	enum { PIXELS = 65536, PICTURES = 90 };

	size_t bytes = PIXELS * sizeof(float);
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(
		app, DIGEST("grey") DIGEST("edges") DIGEST("skin") DIGEST("decide"), "");
	cl_kernel grey = kernel_new(program, "grey"), edges = kernel_new(program, "edges");
	cl_kernel skin = kernel_new(program, "skin"), decide = kernel_new(program, "decide");
	cl_mem picture = filled(app, PIXELS, 90), plane = buffer_new(app, bytes);
	cl_mem outline = buffer_new(app, bytes), tone = buffer_new(app, bytes);
	cl_event last = NULL;

	args(edges, "bbi", plane, outline, 18);
	args(skin, "bbi", plane, tone, 18);
	for (int p = 0; p < PICTURES; p++) {
		cl_event start, ways[2];

		args(grey, "bbi", picture, plane, 12 + p % 8);
		start = run_after(queue, grey, PIXELS, 64, last ? 1 : 0, &last);
		ways[0] = run_after(queue, edges, PIXELS, 64, 1, &start);
		ways[1] = run_after(queue, skin, PIXELS, 64, 1, &start);
		if (last)
			DROP(last);
		args(decide, "bbi", p % 2 ? outline : tone, picture, 8);
		last = run_after(queue, decide, PIXELS, 64, 2, ways);
		flush(queue);
		DROP(start);
		DROP(ways[0]);
		DROP(ways[1]);
	}
	settle(last);
	answer(sum_of(app, picture, PIXELS));
	DROP(picture);
	DROP(plane);
	DROP(outline);
	DROP(tone);
	DROP(grey);
	DROP(edges);
	DROP(skin);
	DROP(decide);
	DROP(program);
	DROP(queue);
}

/* A weather mast's spectra: a callback tells the thread that takes them of each that is there. */
static void CL_CALLBACK spectrum_ready(cl_event event, cl_int status, void *data)
{
	(void)event;
	must(status, "command");
	sem_post(data);
}

void sounding_clean_post(struct app *app)
{
	enum { POINTS = 131072, SPECTRA = 120, AHEAD = 4 };

	size_t bytes = POINTS * sizeof(float);
	cl_kernel spectrum = kernel_of(app, DIGEST("spectrum"), "spectrum");
	cl_mem wind = filled(app, POINTS, 64), out = buffer_new(app, bytes);
	cl_event got[AHEAD] = {NULL};
	float *taken = memory(AHEAD * bytes);
	double sum = 0;
	sem_t ready;

	sem_init(&ready, 0, 0);
	for (int s = 0; s < SPECTRA + AHEAD; s++) {
		float *slot = taken + (size_t)(s % AHEAD) * POINTS;

		if (s >= AHEAD) {
			sem_wait(&ready);
			sum += (double)slot[s];
			DROP(got[s % AHEAD]);
		}
		if (s >= SPECTRA)
			continue;
		args(spectrum, "bbi", wind, out, 15 + s % 8);
		run(app->queue, spectrum, POINTS, 64);
		got[s % AHEAD] = get_after(app->queue, out, bytes, slot, 0, NULL);
		TRY(clSetEventCallback(got[s % AHEAD], CL_COMPLETE, spectrum_ready, &ready));
		flush(app->queue);
	}
	answer(sum);
	finish(app->queue);
	sem_destroy(&ready);
	free(taken);
	DROP(wind);
	DROP(out);
	DROP(spectrum);
}
