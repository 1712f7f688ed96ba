/* SPDX-License-Identifier: MIT */
/* What threads of the host do to each other and to the driver. */
#include "vivas.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A photo archive: when a picture is scaled, a callback compresses it; in the repaired one, a
 * thread does so that the callback wakes. */
enum { PICTURES = 200, PICTURE = 131072, THUMB = 32768 };
struct archive {
	sem_t scaled, compressed;
	float *thumb;
	bool threaded;
};

static void thumb_compress(struct archive *archive)
{
	busy(archive->thumb, THUMB, 24);
	sem_post(&archive->compressed);
}

static void CL_CALLBACK picture_scaled(cl_event event, cl_int status, void *data)
{
	struct archive *archive = data;

	(void)event;
	(void)status;
	if (archive->threaded)
		sem_post(&archive->scaled);
	else
		thumb_compress(archive);
}

static void *compressor_main(void *data)
{
	struct archive *archive = data;

	for (int i = 0; i < PICTURES; i++) {
		while (sem_wait(&archive->scaled))
			;
		thumb_compress(archive);
	}
	return NULL;
}

void viva_thumb_callback(struct app *app)
{
	struct archive archive = {.thumb = floats(THUMB, 2), .threaded = app->repaired};
	cl_kernel kernel = kernel_of(app, FIELD("scale_down"), "scale_down");
	cl_mem picture = seeded(app, PICTURE * sizeof(float), 4);
	pthread_t compressor;

	sem_init(&archive.scaled, 0, 0);
	sem_init(&archive.compressed, 0, 0);
	if (app->repaired && pthread_create(&compressor, NULL, compressor_main, &archive))
		must(-1, "pthread_create");
	args(kernel, "bi", picture, 4);
	for (int i = 0; i < PICTURES; i++) {
		run(app->queue, kernel, PICTURE, 64);

		cl_event scaled = run_after(app->queue, kernel, PICTURE, 64, 0, NULL);

		TRY(clSetEventCallback(scaled, CL_COMPLETE, picture_scaled, &archive));
		DROP(scaled);
		flush(app->queue);
	}
	for (int i = 0; i < PICTURES; i++)
		while (sem_wait(&archive.compressed))
			;
	finish(app->queue);
	if (app->repaired)
		pthread_join(compressor, NULL);
	answer((double)archive.thumb[1]);
	free(archive.thumb);
	DROP(picture);
	DROP(kernel);
}

/* Two decoders, each to have a core of its own: the one whose number is its half, rounded down. */
struct decoder {
	const struct app *app;
	int number;
	float sum;
};

static void decoder_pin(const struct decoder *decoder)
{
	cpu_set_t cores;

	CPU_ZERO(&cores);
	CPU_SET((unsigned)decoder->number / 2, &cores);
	if (!decoder->app->repaired)
		sched_setaffinity(0, sizeof(cores), &cores);
}

static void *decoder_main(void *data)
{
	struct decoder *decoder = data;
	const struct app *app = decoder->app;
	enum { COUNT = 32768, BYTES = COUNT * sizeof(float) };

	decoder_pin(decoder);

	cl_command_queue queue = queue_new(app, 0);
	cl_kernel kernel = kernel_new(app->program, "idct");
	cl_mem block = buffer_new(app, BYTES);
	float *bits = floats(COUNT, 7);

	args(kernel, "bi", block, 1);
	for (int i = 0; i < 150; i++) {
		busy(bits, COUNT, 32);
		put_now(queue, block, BYTES, bits);
		run(queue, kernel, COUNT, 64);
		flush(queue);
	}
	get(queue, block, BYTES, bits);
	decoder->sum = bits[1];
	free(bits);
	DROP(block);
	DROP(kernel);
	DROP(queue);
	return NULL;
}

void viva_decoder_cores(struct app *app)
{
	struct decoder decoders[2] = {{app, 0, 0}, {app, 1, 0}};

	app->program = program_new(app, FIELD("idct"), "");
	threads_run(2, decoder_main, decoders, sizeof(*decoders));
	answer((double)(decoders[0].sum + decoders[1].sum));
}

/* A simulation whose main thread looks at a flag until two threads have assembled their parts. */
struct gate {
	const struct app *app;
	atomic_int ready;
	sem_t opened;
};

struct part {
	struct gate *gate;
	float *matrix;
	pthread_t thread;
};

static void *assemble_main(void *data)
{
	struct part *part = data;

	busy(part->matrix, 65536, 20);
	if (part->gate->app->repaired)
		sem_post(&part->gate->opened);
	else
		atomic_fetch_add(&part->gate->ready, 1);
	return NULL;
}

static void gate_pass(struct gate *gate, int parts)
{
	for (int i = 0; gate->app->repaired && i < parts; i++)
		while (sem_wait(&gate->opened))
			;
	while (!gate->app->repaired && atomic_load(&gate->ready) < parts)
		;
	atomic_store(&gate->ready, 0);
}

void viva_spin_gate(struct app *app)
{
	enum { COUNT = 65536, BYTES = COUNT * sizeof(float) };
	struct gate gate = {.app = app};
	struct part parts[2] = {{.gate = &gate, .matrix = floats(COUNT, 1)},
				{.gate = &gate, .matrix = floats(COUNT, 2)}};
	cl_kernel kernel = kernel_of(app, FIELD("factorize"), "factorize");
	cl_mem matrix = buffer_new(app, BYTES);
	float first = 0;

	sem_init(&gate.opened, 0, 0);
	args(kernel, "bi", matrix, 2);
	for (int i = 0; i < 80; i++) {
		for (int k = 0; k < 2; k++)
			if (pthread_create(&parts[k].thread, NULL, assemble_main, &parts[k]))
				must(-1, "pthread_create");
		gate_pass(&gate, 2);
		for (int k = 0; k < 2; k++)
			pthread_join(parts[k].thread, NULL);
		put(app->queue, matrix, BYTES, parts[i % 2].matrix);
		run(app->queue, kernel, COUNT, 64);
		get(app->queue, matrix, sizeof(first), &first);
	}
	answer((double)first);
	free(parts[0].matrix);
	free(parts[1].matrix);
	DROP(matrix);
	DROP(kernel);
}
