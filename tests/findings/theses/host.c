/* SPDX-License-Identifier: MIT */
/* What host and device, or the parts of a device, could do at the same time. */
#include "theses.h"

#include <stdlib.h>

/* Subtitles drawn into a film: the host lays out the lines of a scene, the device draws them. */
enum { SCENES = 140, GLYPHS = 48 * 1024, LAYOUT_ROUNDS = 22, AREA = 400 * 1024 };

static void scene_layout(float *glyphs, int scene)
{
	refill(glyphs, GLYPHS, scene);
	busy(glyphs, GLYPHS, LAYOUT_ROUNDS);
}

void thesis_subtitle_cues(struct app *app)
{
	float *glyphs[2] = {memory(GLYPHS * sizeof(float)), memory(GLYPHS * sizeof(float))};
	float boxes[2][256];
	cl_mem lines = buffer_new(app, GLYPHS * sizeof(float)),
	       picture = blank(app, AREA * sizeof(float)),
	       canvas = buffer_new(app, AREA * sizeof(float));
	cl_kernel draw = kernel_of(app, BLEND("draw"), "draw");
	double sum = 0;

	args(draw, "bbbi", picture, lines, canvas, 4);
	if (app->repaired)
		scene_layout(glyphs[0], 0);
	for (int scene = 0; scene < SCENES; scene++) {
		float *now = glyphs[scene % 2];
		cl_event drawn;

		if (!app->repaired)
			scene_layout(now, scene);
		put(app->queue, lines, GLYPHS * sizeof(float), now);
		run(app->queue, draw, AREA, 0);
		drawn = get_after(app->queue, canvas, sizeof(boxes[0]), boxes[scene % 2], 0, NULL);
		flush(app->queue);
		if (app->repaired && scene + 1 < SCENES)
			scene_layout(glyphs[(scene + 1) % 2], scene + 1);
		settle(drawn);
		sum += total(boxes[scene % 2], 256);
	}
	answer(sum);
	DROP(draw);
	DROP(lines);
	DROP(picture);
	DROP(canvas);
	free(glyphs[0]);
	free(glyphs[1]);
}

/* A satellite's strips, corrected one by one: three of them are in work at any time. */
enum { STRIPS = 300, STRIP = 128 * 1024, SLOTS = 3 };

struct strip {
	cl_mem raw;
	cl_kernel correct;
	cl_event loaded, corrected, stored;
	float *in, *out;
};

static void strip_forget(struct strip *strip)
{
	DROP(strip->loaded);
	DROP(strip->corrected);
	DROP(strip->stored);
}

void thesis_strip_scan(struct app *app)
{
	cl_program program = program_new(app, SPIN("correct"), "");
	cl_command_queue in = app->repaired ? queue_new(app, 0) : app->queue,
			 out = app->repaired ? queue_new(app, 0) : app->queue;
	size_t bytes = STRIP * sizeof(float);
	struct strip strips[SLOTS];
	double sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		strips[i] = (struct strip){.raw = buffer_new(app, bytes),
					   .correct = kernel_new(program, "correct"),
					   .in = floats(STRIP, (unsigned)i),
					   .out = memory(bytes)};
		args(strips[i].correct, "bi", strips[i].raw, 8);
	}
	for (int i = 0; i < STRIPS + SLOTS; i++) {
		struct strip *strip = &strips[i % SLOTS];

		if (i >= SLOTS) {
			TRY(clWaitForEvents(1, &strip->stored));
			strip_forget(strip);
			sum += total(strip->out, STRIP);
		}
		if (i >= STRIPS)
			continue;
		refill(strip->in, STRIP, i);
		strip->loaded = put_after(in, strip->raw, bytes, strip->in, 0, NULL);
		flush(in);
		strip->corrected =
			run_after(app->queue, strip->correct, STRIP, 0, 1, &strip->loaded);
		flush(app->queue);
		strip->stored = get_after(out, strip->raw, bytes, strip->out, 1, &strip->corrected);
		flush(out);
	}
	answer(sum);
	for (int i = 0; i < SLOTS; i++) {
		DROP(strips[i].raw);
		DROP(strips[i].correct);
		free(strips[i].in);
		free(strips[i].out);
	}
	if (app->repaired) {
		DROP(in);
		DROP(out);
	}
	DROP(program);
}
