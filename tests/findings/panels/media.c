/* SPDX-License-Identifier: MIT */
/* Pictures, sound and volumes. */
#include "panels.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Subtitles that are drawn by the host and burnt into the frames by the device. */
enum { TEXT_WIDTH = 640, TEXT_HEIGHT = 64, TEXT = TEXT_WIDTH * TEXT_HEIGHT, FRAME = 512 * 1024 };
enum { TITLES = 120, TITLE_PACKET = 4 * KIB, SAMPLES = 4 };

/* Soft edges: so many samples a pixel. */
static void title_draw(float *text, int number)
{
	for (int i = 0; i < TEXT; i++) {
		int x = i % TEXT_WIDTH, y = i / TEXT_WIDTH, hits = 0;

		for (int s = 0; s < SAMPLES * SAMPLES; s++) {
			int u = x * SAMPLES + s % SAMPLES, v = y * SAMPLES + s / SAMPLES;

			hits += ((u ^ v) + u * v / (number + 7)) % 19 < 7;
		}
		text[i] = (float)hits / (SAMPLES * SAMPLES);
	}
}

static cl_event title_burn(const struct app *app, cl_kernel burn, cl_mem title, cl_mem frame,
			   const float *text, float *packet)
{
	cl_event event;

	put(app->queue, title, TEXT * sizeof(float), text);
	run(app->queue, burn, FRAME, 64);
	event = get_after(app->queue, frame, TITLE_PACKET, packet, 0, NULL);
	flush(app->queue);
	return event;
}

void panel_subtitle_burn(struct app *app)
{
	static const char source[] =
		"kernel void burn(global float *frame, global const float *text, int pixels)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float a = text[i % pixels];\n"
		"	frame[i] = frame[i] * (1 - a) * 0.9f + a;\n"
		"}\n";
	cl_kernel burn = kernel_of(app, source, "burn");
	cl_mem title = buffer_new(app, TEXT * sizeof(float));
	cl_mem frame = filled(app, FRAME * sizeof(float), 2);
	float *texts[2] = {memory(TEXT * sizeof(float)), memory(TEXT * sizeof(float))};
	float *packet = memory(TITLE_PACKET);
	double sum = 0;

	args(burn, "bbi", frame, title, TEXT);
	title_draw(texts[0], 0);
	for (int i = 0; i < TITLES; i++) {
		cl_event event = title_burn(app, burn, title, frame, texts[i % 2], packet);

		if (app->repaired && i + 1 < TITLES)
			title_draw(texts[(i + 1) % 2], i + 1);
		settle(event);
		sum += (double)packet[i];
		if (!app->repaired && i + 1 < TITLES)
			title_draw(texts[(i + 1) % 2], i + 1);
	}
	answer(sum);
	free(packet);
	free(texts[0]);
	free(texts[1]);
	DROP(frame);
	DROP(title);
	DROP(burn);
}

/* A scan that is filtered slab by slab, in a ring of buffers. */
enum { SLABS = 250, SLAB = 128 * KIB, SLAB_ITEMS = SLAB / sizeof(float), SLAB_RING = 4 };

void panel_slab_filter(struct app *app)
{
	cl_program program = program_new(app, ROUNDS("slab_median"), "");
	cl_command_queue up = app->queue, work = up, down = up;
	cl_event sent, filtered, back[SLAB_RING] = {0};
	cl_kernel kernel = kernel_new(program, "slab_median");
	cl_mem ring[SLAB_RING];
	float *scan = floats((size_t)SLABS * SLAB_ITEMS, 3), *out = memory((size_t)SLABS * SLAB);

	if (app->repaired) {
		work = queue_new(app, 0);
		down = queue_new(app, 0);
	}
	for (int i = 0; i < SLAB_RING; i++)
		ring[i] = buffer_new(app, SLAB);
	for (int i = 0; i < SLABS; i++) {
		size_t at = (size_t)i * SLAB_ITEMS;
		cl_event *last = &back[i % SLAB_RING];

		sent = put_after(up, ring[i % SLAB_RING], SLAB, scan + at, !!*last, last);
		args(kernel, "bi", ring[i % SLAB_RING], 20);
		filtered = run_after(work, kernel, SLAB_ITEMS, 64, 1, &sent);
		if (*last)
			DROP(*last);
		*last = get_after(down, ring[i % SLAB_RING], SLAB, out + at, 1, &filtered);
		DROP(sent);
		DROP(filtered);
		flush(up);
		if (work != up) {
			flush(work);
			flush(down);
		}
	}
	finish(down);
	answer(total(out, (size_t)SLABS * SLAB_ITEMS));
	for (int i = 0; i < SLAB_RING; i++) {
		DROP(back[i]);
		DROP(ring[i]);
	}
	if (app->repaired) {
		DROP(work);
		DROP(down);
	}
	free(out);
	free(scan);
	DROP(kernel);
	DROP(program);
}

/* Recordings one after the other in a file that was read as a whole, each behind its header. */
enum { RECORDS = 250, WAV_HEADER = 44, WAV_DATA = 256 * KIB, WAV_ITEMS = 32 * 1024 };

void panel_wav_records(struct app *app)
{
	size_t gap = app->repaired ? 64 - WAV_HEADER : 0, each = gap + WAV_HEADER + WAV_DATA;
	cl_program program = program_new(app, ROUNDS("loudness"), "");
	cl_kernel kernel = kernel_new(program, "loudness");
	cl_mem samples = buffer_new(app, WAV_DATA);
	char *file = memory(each * RECORDS);
	float first[16];

	for (int i = 0; i < RECORDS; i++) {
		char *header = file + (size_t)i * each + gap;

		memcpy(header, "RIFF", 4);
		memcpy(header + 8, "WAVEfmt ", 8);
		for (int j = 0; j < WAV_DATA; j += 64)
			memset(header + WAV_HEADER + j, (i * 31 + j / 64) & 63, 64);
		memcpy(header + WAV_HEADER, &i, sizeof(i)); /* no two are the same */
	}
	args(kernel, "bi", samples, 12);
	for (int i = 0; i < RECORDS; i++) {
		put(app->queue, samples, WAV_DATA, file + (size_t)i * each + gap + WAV_HEADER);
		run(app->queue, kernel, WAV_ITEMS, 64);
		if (i % 16 == 15)
			flush(app->queue);
	}
	get(app->queue, samples, sizeof(first), first);
	answer(total(first, 16));
	free(file);
	DROP(samples);
	DROP(kernel);
	DROP(program);
}

/* A frame of passes, one for each light, in a queue that may run them in any order. */
enum { LIGHTS = 6, LIGHT_BYTES = 128 * KIB, LIGHT_ITEMS = LIGHT_BYTES / 4, LIT_FRAMES = 100 };

struct light {
	cl_mem instances;
	cl_kernel kernel;
	float *data, *seen;
};

/* Ends a stage of a pass: what follows may use what it made. */
static void stage_end(cl_command_queue queue)
{
	TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
}

static void light_pass(cl_command_queue queue, struct light *light, bool repaired)
{
	cl_event sent, drawn;

	if (repaired) {
		sent = put_after(queue, light->instances, LIGHT_BYTES, light->data, 0, NULL);
		drawn = run_after(queue, light->kernel, LIGHT_ITEMS, 64, 1, &sent);
		DROP(get_after(queue, light->instances, LIGHT_BYTES / 2, light->seen, 1, &drawn));
		DROP(sent);
		DROP(drawn);
		return;
	}
	put(queue, light->instances, LIGHT_BYTES, light->data);
	stage_end(queue);
	run(queue, light->kernel, LIGHT_ITEMS, 64);
	stage_end(queue);
	TRY(clEnqueueReadBuffer(queue, light->instances, CL_FALSE, 0, LIGHT_BYTES / 2, light->seen,
				0, NULL, NULL));
	stage_end(queue);
}

void panel_pass_graph(struct app *app)
{
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(app, ROUNDS("shadow"), "");
	struct light lights[LIGHTS];
	double sum = 0;

	for (int i = 0; i < LIGHTS; i++) {
		lights[i] =
			(struct light){buffer_new(app, LIGHT_BYTES), kernel_new(program, "shadow"),
				       memory(LIGHT_BYTES), memory(LIGHT_BYTES)};
		args(lights[i].kernel, "bi", lights[i].instances, 16);
	}
	for (int frame = 0; frame < LIT_FRAMES; frame++) {
		for (int i = 0; i < LIGHTS; i++) {
			for (int j = 0; j < LIGHT_ITEMS; j += 8)
				lights[i].data[j] = (float)(frame * 64 + i + j);
			light_pass(queue, &lights[i], app->repaired);
			flush(queue);
		}
		finish(queue);
		sum += (double)lights[frame % LIGHTS].seen[frame];
	}
	answer(sum);
	for (int i = 0; i < LIGHTS; i++) {
		free(lights[i].data);
		free(lights[i].seen);
		DROP(lights[i].instances);
		DROP(lights[i].kernel);
	}
	DROP(program);
	DROP(queue);
}

/* Materials that an animation changes; each knows where its constants are. */
enum { MATERIALS = 100, SHADED = 128 * 1024, SHADE_FRAMES = 60 };

struct material {
	float constants[16];
};

static void material_update(const struct app *app, cl_mem table, const struct material *all, int i)
{
	put_at(app->queue, table, (size_t)i * sizeof(*all), sizeof(*all), &all[i]);
}

void panel_material_table(struct app *app)
{
	static const char source[] =
		"kernel void shade(global float *pixels, global const float *table, int count)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	pixels[i] = pixels[i] * 0.5f + table[i % count * 16 + 3];\n"
		"}\n";
	cl_kernel shade = kernel_of(app, source, "shade");
	cl_mem table = buffer_new(app, MATERIALS * sizeof(struct material));
	cl_mem pixels = filled(app, SHADED * sizeof(float), 8);
	struct material *all = memory(MATERIALS * sizeof(*all));
	float *end = memory(SHADED * sizeof(float));

	args(shade, "bbi", pixels, table, MATERIALS);
	for (int frame = 0; frame < SHADE_FRAMES; frame++) {
		for (int i = 0; i < MATERIALS; i++)
			for (int j = 0; j < 16; j++)
				all[i].constants[j] = (float)(frame * (i + 1) + j);
		if (app->repaired)
			put(app->queue, table, MATERIALS * sizeof(*all), all);
		for (int i = 0; i < MATERIALS && !app->repaired; i++)
			material_update(app, table, all, i);
		for (int pass = 0; pass < 8; pass++)
			run(app->queue, shade, SHADED, 64);
		finish(app->queue); /* the frame is shown */
	}
	get(app->queue, pixels, SHADED * sizeof(float), end);
	answer(total(end, SHADED));
	free(end);
	free(all);
	DROP(pixels);
	DROP(table);
	DROP(shade);
}

/* Beams of a treatment: while the device computes the dose of one, the host checks the one before. */
enum { BEAMS = 60, DOSE_ITEMS = 512 * 1024, BEAM_BYTES = 64 * KIB, DOSE_BYTES = 256 * KIB };

void panel_dose_plan(struct app *app)
{
	static const char source[] =
		"kernel void dose(global const float *beam, int rays, global float *grid)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	grid[i] = grid[i] * 0.5f + beam[i % rays] * 0.25f;\n"
		"}\n";
	cl_kernel dose = kernel_of(app, source, "dose");
	cl_mem beam = buffer_new(app, BEAM_BYTES),
	       grid = filled(app, DOSE_ITEMS * sizeof(float), 1);
	float *fluence = memory(BEAM_BYTES);
	float *doses[2] = {memory(DOSE_BYTES), memory(DOSE_BYTES)};
	double sum = 0;

	args(dose, "bib", beam, BEAM_BYTES / (int)sizeof(float), grid);
	for (int i = 0; i < BEAMS; i++) {
		cl_event there;

		refill(fluence, BEAM_BYTES / sizeof(float), i);
		put(app->queue, beam, BEAM_BYTES, fluence);
		run(app->queue, dose, DOSE_ITEMS, 64);
		there = get_after(app->queue, grid, DOSE_BYTES, doses[i % 2], 0, NULL);
		if (app->repaired)
			flush(app->queue);
		busy(doses[(i + 1) % 2], DOSE_BYTES / sizeof(float), 40);
		sum += total(doses[(i + 1) % 2], 1024);
		settle(there);
	}
	answer(sum);
	free(fluence);
	free(doses[0]);
	free(doses[1]);
	DROP(grid);
	DROP(beam);
	DROP(dose);
}

/* A window that shows each frame as soon as it is there. */
enum { SHOWN = 60, SHOWN_ITEMS = 64 * 1024, SHOWN_ROUNDS = 60 };

struct window {
	atomic_int ready;
	sem_t frames;
	bool repaired;
	float pixels[1024];
	double sum;
};

static void *window_main(void *context)
{
	struct window *window = context;

	for (int frame = 1; frame <= SHOWN; frame++) {
		if (window->repaired)
			sem_wait(&window->frames);
		while (atomic_load_explicit(&window->ready, memory_order_acquire) < frame)
			;
		window->sum += (double)window->pixels[frame];
	}
	return NULL;
}

void panel_presenter(struct app *app)
{
	cl_program program = program_new(app, ROUNDS("path_trace"), "");
	cl_kernel trace = kernel_new(program, "path_trace");
	cl_mem image = filled(app, SHOWN_ITEMS * sizeof(float), 4);
	struct window *window = memory(sizeof(*window));
	pthread_t thread;

	window->repaired = app->repaired;
	sem_init(&window->frames, 0, 0);
	args(trace, "bi", image, SHOWN_ROUNDS);
	if (pthread_create(&thread, NULL, window_main, window))
		must(-1, "pthread_create");
	for (int frame = 0; frame < SHOWN; frame++) {
		run(app->queue, trace, SHOWN_ITEMS, 64);
		get(app->queue, image, sizeof(window->pixels), window->pixels);
		atomic_fetch_add_explicit(&window->ready, 1, memory_order_release);
		sem_post(&window->frames);
	}
	pthread_join(thread, NULL);
	answer(total(window->pixels, 1024));
	sem_destroy(&window->frames);
	free(window);
	DROP(image);
	DROP(trace);
	DROP(program);
}
