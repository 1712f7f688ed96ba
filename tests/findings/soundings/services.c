/* SPDX-License-Identifier: MIT */
/* Services and instruments. */
#include "soundings.h"

#include <stdlib.h>
#include <string.h>

/* A bank's payments come in batches, each is held against so many others of its account. */
static const char fraud_source[] =
	"kernel void compare(global const float *payments, global float *deviation, int each,\n"
	"		    int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	for (int k = 0; k < each; k++)\n"
	"		deviation[i * each + k] = fabs(payments[i] - payments[(i + k) % count]);\n"
	"}\n"
	"kernel void score(global const float *deviation, global float *risk, int each)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float most = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		most = fmax(most, deviation[i * each + k]);\n"
	"	risk[i] = most;\n"
	"}\n";

void sounding_fraud_scores(struct app *app)
{
	enum { PAYMENTS = 131072, OTHERS = 80, BATCHES = 12 };

	size_t bytes = PAYMENTS * sizeof(float);
	cl_program program = program_new(app, fraud_source, "");
	cl_kernel compare = kernel_new(program, "compare"), score = kernel_new(program, "score");
	cl_mem payments = NULL, deviation = NULL, risk = NULL;
	float *batch = floats(PAYMENTS, 31), *risks = memory(bytes);
	double sum = 0;

	for (int i = 0; i < BATCHES; i++) {
		if (!payments) {
			payments = buffer_new(app, bytes);
			deviation = buffer_new(app, bytes * OTHERS);
			risk = buffer_new(app, bytes);
		}
		batch[i] += 1;
		put(app->queue, payments, bytes, batch);
		args(compare, "bbii", payments, deviation, OTHERS, PAYMENTS);
		run(app->queue, compare, PAYMENTS, 64);
		args(score, "bbi", deviation, risk, OTHERS);
		run(app->queue, score, PAYMENTS, 64);
		get(app->queue, risk, bytes, risks);
		sum += (double)risks[i];
		if (!app->repaired || i == BATCHES - 1) {
			DROP(payments);
			DROP(deviation);
			DROP(risk);
			payments = NULL;
		}
	}
	answer(sum);
	free(batch);
	free(risks);
	DROP(compare);
	DROP(score);
	DROP(program);
}

/* A radio telescope's beams: a block of antenna samples times the weights of each beam. */
static const char beams_source[] =
	"kernel void beams(global const float *samples, global const float *weights,\n"
	"		  global float *power, int antennas, int times)\n"
	"{\n"
	"	int beam = get_global_id(0) / times, t = get_global_id(0) % times;\n"
	"	float sum = 0;\n"
	"	for (int a = 0; a < 16; a++)\n"
	"		sum += samples[a * times + t] * weights[beam * antennas + a * 32];\n"
	"	power[get_global_id(0)] += sum * sum;\n"
	"}\n";

void sounding_beams(struct app *app)
{
	enum { ANTENNAS = 1024, BEAMS = 256, TIMES = 128, USED = 16, BLOCKS = 220 };

	size_t bytes = USED * TIMES * sizeof(float);
	size_t weight_bytes = (size_t)ANTENNAS * BEAMS * sizeof(float);
	size_t power_bytes = BEAMS * TIMES * sizeof(float);
	cl_kernel kernel = kernel_of(app, beams_source, "beams");
	cl_mem samples = buffer_new(app, bytes), weights = buffer_new(app, weight_bytes);
	cl_mem power = filled(app, BEAMS * TIMES, 2);
	float *block = floats(USED * TIMES, 19), *steering = floats(ANTENNAS * BEAMS, 23);
	float *spectrum = memory(power_bytes);
	double sum = 0;

	args(kernel, "bbbii", samples, weights, power, ANTENNAS, TIMES);
	for (int i = 0; i < BLOCKS; i++) {
		refill(block, USED * TIMES, i);
		if (!app->repaired || !i)
			put(app->queue, weights, weight_bytes, steering);
		put(app->queue, samples, bytes, block);
		run(app->queue, kernel, BEAMS * TIMES, 64);
		get(app->queue, power, power_bytes, spectrum);
		sum += (double)spectrum[i];
	}
	answer(sum);
	free(block);
	free(steering);
	free(spectrum);
	DROP(samples);
	DROP(weights);
	DROP(power);
	DROP(kernel);
}

/* A vehicle's sensors: each has a record of its own a tick, all are fused at once. */
struct sensor {
	float values[48];
	int age;
};

static const char telemetry_source[] =
	"kernel void fuse(global const float *records, global float *state, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = state[i];\n"
	"	for (int k = 0; k < each; k++)\n"
	"		x = x * 0.98f + 0.02f * records[(i * 7 + k) % (6 * each)];\n"
	"	state[i] = x;\n"
	"}\n";

void sounding_telemetry(struct app *app)
{
	enum { SENSORS = 6, VALUES = 48, STATES = 2048, TICKS = 400 };

	size_t each = VALUES * sizeof(float);
	cl_kernel fuse = kernel_of(app, telemetry_source, "fuse");
	cl_mem records = buffer_new(app, SENSORS * each), state = filled(app, STATES, 50);
	struct sensor *sensors = memory(SENSORS * sizeof(*sensors));
	float *packet = memory(SENSORS * each), first;
	double sum = 0;

	args(fuse, "bbi", records, state, VALUES);
	for (int tick = 0; tick < TICKS; tick++) {
		for (int s = 0; s < SENSORS; s++) {
			refill(sensors[s].values, VALUES, tick * SENSORS + s);
			sensors[s].age = tick;
			if (app->repaired)
				memcpy(packet + (size_t)s * VALUES, sensors[s].values, each);
			else
				TRY(clEnqueueWriteBuffer(app->queue, records, CL_FALSE,
							 (size_t)s * each, each, sensors[s].values,
							 0, NULL, NULL));
		}
		if (app->repaired)
			put(app->queue, records, SENSORS * each, packet);
		run(app->queue, fuse, STATES, 64);
		get(app->queue, state, sizeof(first), &first);
		sum += (double)first;
	}
	answer(sum);
	free(sensors);
	free(packet);
	DROP(records);
	DROP(state);
	DROP(fuse);
}
