/* SPDX-License-Identifier: MIT */
/* Programs in which nobody would change anything. */
#include "tutorials.h"

#include <pthread.h>
#include <stdlib.h>

/* A model is tuned: which parameter is tried next follows from what the last one gave. */
static const char model_source[] =
	"kernel void model(global const float *seen, global float *costs, float k, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int s = 0; s < each; s++) {\n"
	"		float off = seen[s * n + i] * k - 0.3f * seen[s * n + (i ^ 1)];\n"
	"		sum += off * off;\n"
	"	}\n"
	"	costs[i] = sum / each;\n"
	"}\n";

void tutorial_clean_tuning(struct app *app)
{
	enum { TRIALS = 300, SAMPLES = 1024 * KIB, COSTS = 4096 };
	cl_kernel model = kernel_of(app, model_source, "model");
	cl_mem seen = loaded(app, SAMPLES, 1), costs = buffer_new(app, COSTS * sizeof(float));
	float *found = memory(COSTS * sizeof(*found));
	double k = 1, step = 0.2, last = 1e9;

	for (int t = 0; t < TRIALS; t++) {
		double cost;

		args(model, "bbfi", seen, costs, k, SAMPLES / COSTS);
		run(app->queue, model, COSTS, 64);
		get(app->queue, costs, COSTS * sizeof(*found), found);
		cost = total(found, COSTS) / COSTS;
		step = cost < last ? step : -0.5 * step;
		k += step;
		last = cost;
	}
	answer(last);
	free(found);
	DROP(seen);
	DROP(costs);
	DROP(model);
}

/* A camera's frames go up in one queue and are worked on in another, three in flight; only what is
 * three frames old is waited for. */
void tutorial_clean_ring(struct app *app)
{
	enum { FRAMES = 220, SLOTS = 3, PIXELS = 128 * KIB, BYTES = PIXELS * sizeof(float) };
	cl_kernel grade = kernel_of(app, STIR("grade"), "grade");
	cl_command_queue copies = queue_new(app, 0);
	cl_mem raw[SLOTS], graded[SLOTS];
	cl_event worked[SLOTS] = {NULL};
	float *frames[SLOTS];
	double sum = 0;

	for (int s = 0; s < SLOTS; s++) {
		raw[s] = buffer_new(app, BYTES);
		graded[s] = buffer_new(app, BYTES);
		frames[s] = memory(BYTES);
	}
	for (int f = 0; f < FRAMES; f++) {
		int s = f % SLOTS;
		cl_event up;

		if (worked[s])
			settle(worked[s]);
		for (int i = f % 4; i < PIXELS; i += 4) /* the sensor's next lines */
			frames[s][i] = (float)(i % 251 + f);
		up = put_after(copies, raw[s], BYTES, frames[s], 0, NULL);
		flush(copies);
		args(grade, "bbi", raw[s], graded[s], 16);
		worked[s] = run_after(app->queue, grade, PIXELS, 64, 1, &up);
		flush(app->queue);
		DROP(up);
	}
	for (int s = 0; s < SLOTS; s++)
		settle(worked[s]);
	for (int s = 0; s < SLOTS; s++) {
		sum += sum_of(app, graded[s], PIXELS);
		free(frames[s]);
		DROP(raw[s]);
		DROP(graded[s]);
	}
	answer(sum);
	DROP(copies);
	DROP(grade);
}

/* A panorama's octaves: each is half as large as the one before, down to a stamp. */
static const char octave_source[] =
	"kernel void halve(global const float *in, global float *out, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float a = in[2 * i], b = in[2 * i + 1];\n"
	"	for (int r = 0; r < rounds; r++) {\n"
	"		a = a * 0.9f + 0.1f * b;\n"
	"		b = b * 0.95f + 0.04f * a;\n"
	"	}\n"
	"	out[i] = 0.5f * (a + b);\n"
	"}\n";

void tutorial_clean_octaves(struct app *app)
{
	enum { OCTAVES = 9, LARGEST = 2048 * KIB, PANORAMAS = 24 };
	cl_kernel halve = kernel_of(app, octave_source, "halve");
	cl_mem octaves[OCTAVES];
	double sum = 0;
	size_t size = LARGEST;

	octaves[0] = loaded(app, LARGEST, 1);
	for (int o = 1; o < OCTAVES; o++)
		octaves[o] = buffer_new(app, (LARGEST >> o) * sizeof(float));
	for (int p = 0; p < PANORAMAS; p++) {
		for (int o = 1; o < OCTAVES; o++) {
			args(halve, "bbi", octaves[o - 1], octaves[o], 2 + p % 4);
			run(app->queue, halve, LARGEST >> o, 64);
		}
		flush(app->queue);
	}
	for (int o = OCTAVES - 1; o > 4; o--)
		sum += sum_of(app, octaves[o], size >> o);
	answer(sum);
	for (int o = 0; o < OCTAVES; o++)
		DROP(octaves[o]);
	DROP(halve);
}

/* A synthesizer's voices are kernels of their own, each built once and then played. */
void tutorial_clean_variants(struct app *app)
{
	enum { VOICES = 4, BARS = 60, SAMPLES = 192 * KIB };
	static const char *const sources[VOICES] = {STIR("saw"), STIR("bell"), STIR("reed"),
						    STIR("drum")};
	static const char *const names[VOICES] = {"saw", "bell", "reed", "drum"};
	cl_mem tracks[2] = {loaded(app, SAMPLES, 1), loaded(app, SAMPLES, 2)};
	cl_kernel voices[VOICES];

	for (int v = 0; v < VOICES; v++)
		voices[v] = kernel_of(app, sources[v], names[v]);
	for (int b = 0; b < BARS; b++) {
		for (int v = 0; v < VOICES; v++) {
			args(voices[v], "bbi", tracks[v % 2], tracks[(v + 1) % 2], 8 + 4 * v);
			run(app->queue, voices[v], SAMPLES, 64);
		}
		flush(app->queue);
	}
	answer(sum_of(app, tracks[0], SAMPLES));
	for (int v = 0; v < VOICES; v++)
		DROP(voices[v]);
	DROP(tracks[0]);
	DROP(tracks[1]);
}

/* A weather model's step: two fields come from the state, and the next state from both. */
void tutorial_clean_graph(struct app *app)
{
	enum { HOURS = 120, CELLS = 128 * KIB };
	static const char source[] = STIR("wind") STIR(
		"heat") "kernel void blend(global const float *wind, global const float *heat,\n"
			"		global float *state)\n"
			"{\n"
			"	size_t i = get_global_id(0);\n"
			"	state[i] = 0.5f * state[i] + 0.25f * wind[i] + 0.25f * heat[i];\n"
			"}\n";
	cl_program program = program_new(app, source, "");
	cl_kernel wind = kernel_new(program, "wind"), heat = kernel_new(program, "heat");
	cl_kernel mix = kernel_new(program, "blend");
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem state = loaded(app, CELLS, 1), winds = loaded(app, CELLS, 2);
	cl_mem heats = loaded(app, CELLS, 3);
	cl_event mixed = NULL;

	args(wind, "bbi", state, winds, 10);
	args(heat, "bbi", state, heats, 14);
	args(mix, "bbb", winds, heats, state);
	for (int h = 0; h < HOURS; h++) {
		cl_event fields[2];

		fields[0] = run_after(queue, wind, CELLS, 64, mixed ? 1 : 0, &mixed);
		fields[1] = run_after(queue, heat, CELLS, 64, mixed ? 1 : 0, &mixed);
		if (mixed)
			DROP(mixed);
		mixed = run_after(queue, mix, CELLS, 64, 2, fields);
		flush(queue);
		DROP(fields[0]);
		DROP(fields[1]);
	}
	settle(mixed);
	answer(sum_of(app, state, CELLS));
	DROP(queue);
	DROP(state);
	DROP(winds);
	DROP(heats);
	DROP(wind);
	DROP(heat);
	DROP(mix);
	DROP(program);
}

/* A help desk: a customer asks, waits for the answer, and thinks before the next question. */
struct desk {
	struct app *app;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int question; /* 0: none, -1: closed */
	double said;
};

enum { QUESTIONS = 60, ARTICLES = 256 * KIB, BEST = 1024 };

static void *desk_main(void *argument)
{
	struct desk *desk = *(struct desk **)argument;
	struct app *app = desk->app;
	cl_kernel rank = kernel_of(app, STIR("rank"), "rank");
	cl_mem articles = loaded(app, ARTICLES, 1);
	cl_mem ranks = buffer_new(app, ARTICLES * sizeof(float));
	float *best = memory(BEST * sizeof(*best));

	pthread_mutex_lock(&desk->lock);
	for (;;) {
		while (!desk->question)
			pthread_cond_wait(&desk->changed, &desk->lock);
		if (desk->question < 0)
			break;
		args(rank, "bbi", articles, ranks, 8 + desk->question % 8);
		run(app->queue, rank, ARTICLES, 64);
		get(app->queue, ranks, BEST * sizeof(*best), best);
		desk->said = total(best, BEST);
		desk->question = 0;
		pthread_cond_signal(&desk->changed);
	}
	pthread_mutex_unlock(&desk->lock);
	free(best);
	DROP(articles);
	DROP(ranks);
	DROP(rank);
	return NULL;
}

static void *customer_main(void *argument)
{
	struct desk *desk = *(struct desk **)argument;
	double sum = 0;

	for (int q = 1; q <= QUESTIONS; q++) {
		pthread_mutex_lock(&desk->lock);
		desk->question = q;
		pthread_cond_signal(&desk->changed);
		while (desk->question)
			pthread_cond_wait(&desk->changed, &desk->lock);
		sum += desk->said;
		pthread_mutex_unlock(&desk->lock);
		nap(2000);
	}
	pthread_mutex_lock(&desk->lock);
	desk->question = -1;
	pthread_cond_signal(&desk->changed);
	pthread_mutex_unlock(&desk->lock);
	answer(sum);
	return NULL;
}

static void *either_main(void *argument)
{
	static _Atomic int number;

	return number++ ? customer_main(argument) : desk_main(argument);
}

void tutorial_clean_desk(struct app *app)
{
	struct desk desk = {app, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
	struct desk *both[2] = {&desk, &desk};

	threads_run(2, either_main, both, sizeof(*both));
}

/* A robot's arm: each few milliseconds its sensors are read and its motors are told. */
void tutorial_clean_ticks(struct app *app)
{
	enum { TICKS = 100, SENSORS = 16 * KIB, MOTORS = 16, PERIOD_US = 5000 };
	cl_kernel reflex = kernel_of(app, STIR("reflex"), "reflex");
	cl_mem in = buffer_new(app, SENSORS * sizeof(float));
	cl_mem out = buffer_new(app, SENSORS * sizeof(float));
	float *sensors = memory(SENSORS * sizeof(*sensors)), motors[MOTORS];
	double sum = 0;

	args(reflex, "bbi", in, out, 20);
	for (int t = 0; t < TICKS; t++) {
		nap(PERIOD_US);
		refill(sensors, SENSORS, t);
		put(app->queue, in, SENSORS * sizeof(*sensors), sensors);
		run(app->queue, reflex, SENSORS, 64);
		get(app->queue, out, sizeof(motors), motors);
		sum += total(motors, MOTORS);
	}
	answer(sum);
	free(sensors);
	DROP(in);
	DROP(out);
	DROP(reflex);
}
