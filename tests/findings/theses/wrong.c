/* SPDX-License-Identifier: MIT */
/* What fails and is tried again in another way. */
#include "theses.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Filters in half precision where the device has it, else in single. */
enum { FILTERS = 4, SAMPLES = 256 * 1024, SWEEPS = 12 };

static bool has_half(const struct app *app)
{
	char *names;
	size_t bytes;
	bool has;

	TRY(clGetDeviceInfo(app->device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes));
	names = memory(bytes);
	TRY(clGetDeviceInfo(app->device, CL_DEVICE_EXTENSIONS, bytes, names, NULL));
	has = strstr(names, "cl_khr_fp16");
	free(names);
	return has;
}

static cl_program filter_build(const struct app *app, const char *source, const char *options)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(app->context, 1, &source, NULL, &status);

	must(status, "clCreateProgramWithSource");
	if (clBuildProgram(program, 1, &app->device, options, NULL, NULL) == CL_SUCCESS)
		return program;
	DROP(program);
	return NULL;
}

static cl_kernel filter_new(const struct app *app, int taps)
{
	static const char form[] = "#ifdef HALF\n"
				   "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
				   "typedef half real;\n"
				   "#else\n"
				   "typedef float real;\n"
				   "#endif\n"
				   "kernel void filter(global float *v)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	real a = (real)v[i];\n"
				   "	for (int r = 0; r < %d; r++)\n"
				   "		a = a * (real)0.5f + (real)0.25f;\n"
				   "	v[i] = (float)a + (float)(i %% 7);\n"
				   "}\n";
	char source[1024];
	cl_program program = NULL;
	cl_kernel kernel;

	snprintf(source, sizeof(source), form, taps);
	if (!app->repaired || has_half(app))
		program = filter_build(app, source, "-DHALF");
	if (!program)
		program = program_new(app, source, "");
	kernel = kernel_new(program, "filter");
	DROP(program);
	return kernel;
}

void thesis_half_variants(struct app *app)
{
	float *samples = floats(SAMPLES, 21);
	cl_mem signal = buffer_new(app, SAMPLES * sizeof(float));
	cl_kernel filters[FILTERS];

	for (int i = 0; i < FILTERS; i++)
		filters[i] = filter_new(app, 8 * (i + 1));
	put(app->queue, signal, SAMPLES * sizeof(float), samples);
	for (int sweep = 0; sweep < SWEEPS * FILTERS; sweep++) {
		args(filters[sweep % FILTERS], "b", signal);
		run(app->queue, filters[sweep % FILTERS], SAMPLES, 0);
		flush(app->queue);
	}
	get(app->queue, signal, SAMPLES * sizeof(float), samples);
	answer(total(samples, SAMPLES));
	for (int i = 0; i < FILTERS; i++)
		DROP(filters[i]);
	DROP(signal);
	free(samples);
}

/* Pictures of a plate reader. A thread decodes them, and says by an event whether it could: some
 * have the long header, which it does not try first. What failed is asked for again, later. */
enum { PLATES = 150, WELLS = 64 * 1024, AGAIN_US = 3000 };

struct plate {
	float *wells;
	int number, tries;
	bool repaired;
	cl_event decoded;
};

struct desk {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct plate *order;
	bool closed;
};

static bool plate_decode(struct plate *plate)
{
	bool is_long = plate->number % 3 == 1, as_long = plate->repaired ? is_long : plate->tries;

	plate->tries++;
	if (is_long != as_long)
		return false;
	refill(plate->wells, WELLS, plate->number);
	return true;
}

static void *decoder_main(void *argument)
{
	struct desk *desk = argument;

	pthread_mutex_lock(&desk->lock);
	while (!desk->closed) {
		struct plate *plate = desk->order;

		if (!plate) {
			pthread_cond_wait(&desk->changed, &desk->lock);
			continue;
		}
		desk->order = NULL;
		pthread_mutex_unlock(&desk->lock);

		bool fine = plate_decode(plate);

		TRY(clSetUserEventStatus(plate->decoded, fine ? CL_COMPLETE : -1000));
		pthread_mutex_lock(&desk->lock);
	}
	pthread_mutex_unlock(&desk->lock);
	return NULL;
}

/* Whether it could be measured. */
static bool plate_measure(struct app *app, struct desk *desk, struct plate *plate, cl_mem wells,
			  cl_kernel kernel, float *dots)
{
	cl_event loaded, counted, read;
	cl_int status;

	plate->decoded = clCreateUserEvent(app->context, &status);
	must(status, "clCreateUserEvent");
	loaded = put_after(app->queue, wells, WELLS * sizeof(float), plate->wells, 1,
			   &plate->decoded);
	counted = run_after(app->queue, kernel, WELLS, 0, 1, &loaded);
	read = get_after(app->queue, wells, 256 * sizeof(float), dots, 1, &counted);
	flush(app->queue);
	pthread_mutex_lock(&desk->lock);
	desk->order = plate;
	pthread_cond_signal(&desk->changed);
	pthread_mutex_unlock(&desk->lock);
	status = clWaitForEvents(1, &read);
	DROP(plate->decoded);
	DROP(loaded);
	DROP(counted);
	DROP(read);
	return status == CL_SUCCESS;
}

void thesis_damaged_frames(struct app *app)
{
	struct desk desk = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	struct plate plate = {.wells = memory(WELLS * sizeof(float)), .repaired = app->repaired};
	cl_mem wells = buffer_new(app, WELLS * sizeof(float));
	cl_kernel count = kernel_of(app, SPIN("count"), "count");
	float dots[256];
	pthread_t decoder;
	double sum = 0;

	args(count, "bi", wells, 20);
	if (pthread_create(&decoder, NULL, decoder_main, &desk))
		must(-1, "pthread_create");
	for (int i = 0; i < PLATES; i++) {
		plate.number = i;
		plate.tries = 0;
		while (!plate_measure(app, &desk, &plate, wells, count, dots))
			nap(AGAIN_US);
		sum += total(dots, 256);
	}
	pthread_mutex_lock(&desk.lock);
	desk.closed = true;
	pthread_cond_signal(&desk.changed);
	pthread_mutex_unlock(&desk.lock);
	pthread_join(decoder, NULL);
	answer(sum);
	DROP(count);
	DROP(wells);
	free(plate.wells);
}
