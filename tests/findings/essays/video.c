/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <stdlib.h>
#include <string.h>

/* Subtitles are drawn into frames: each glyph of a line is uploaded to its place in the buffer of
 * glyphs. Repaired: a line is put together on the host, and uploaded at once. */
enum { GLYPH = 1 * KIB, GLYPHS = 60, LINES = 150, FRAME = 64 * KIB };

static const char burn_source[] =
	"kernel void burn_line(global const uchar *glyphs, global uchar *frame)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	frame[i] = (uchar)((frame[i] * 3 + glyphs[i % 61440]) >> 2);\n"
	"}\n";

static void glyph_draw(unsigned char *glyph, int letter)
{
	memset(glyph, letter, GLYPH);
	glyph[letter % GLYPH] = 255;
}

void essay_subtitles(struct app *app)
{
	cl_kernel burn = kernel_of(app, burn_source, "burn_line");
	cl_mem glyphs = buffer_new(app, GLYPHS * GLYPH), frame = filled(app, FRAME, 5);
	unsigned char *line = memory((size_t)GLYPHS * GLYPH), *out = memory(FRAME);
	unsigned sum = 0;

	args(burn, "bb", glyphs, frame);
	for (int number = 0; number < LINES; number++) {
		for (int i = 0; i < GLYPHS; i++) {
			size_t place = (size_t)i * GLYPH;

			glyph_draw(line + place, number * 31 + i * 7);
			if (!app->repaired)
				put_piece(app->queue, glyphs, place, GLYPH, line + place);
		}
		if (app->repaired)
			put(app->queue, glyphs, (size_t)GLYPHS * GLYPH, line);
		run(app->queue, burn, FRAME, 64);
		get(app->queue, frame, FRAME, out);
		sum += out[number];
	}
	answer(sum);
	DROP(burn);
	DROP(glyphs);
	DROP(frame);
	free(line);
	free(out);
}

/* Scenes are graded: a frame goes up, is graded, and comes back, all by one queue. Repaired: a
 * queue for each direction and one for kernels, and three slots. */
enum { SCENE = 2 * MIB, SCENES = 120, SLOTS = 3 };

void essay_grade_line(struct app *app)
{
	cl_kernel grade = kernel_of(app, SWEEP("grade_scene"), "grade_scene");
	cl_command_queue up = app->repaired ? queue_new(app, 0) : app->queue;
	cl_command_queue down = app->repaired ? queue_new(app, 0) : app->queue;
	cl_mem slots[SLOTS];
	float *in[SLOTS], *out[SLOTS];
	cl_event done[SLOTS] = {NULL};
	double sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		slots[i] = buffer_new(app, SCENE);
		in[i] = floats(SCENE / sizeof(float), (unsigned)i);
		out[i] = memory(SCENE);
	}
	for (int scene = 0; scene < SCENES + SLOTS; scene++) {
		int at = scene % SLOTS;

		if (done[at]) {
			settle(done[at]);
			done[at] = NULL;
			sum += (double)out[at][0];
		}
		if (scene >= SCENES)
			continue;
		in[at][scene] += 1;

		cl_event uploaded = put_after(up, slots[at], SCENE, in[at], 0, NULL);

		flush(up);
		args(grade, "bi", slots[at], 2);

		cl_event graded =
			run_after(app->queue, grade, SCENE / sizeof(float), 64, 1, &uploaded);

		flush(app->queue);
		done[at] = get_after(down, slots[at], SCENE, out[at], 1, &graded);
		flush(down);
		DROP(uploaded);
		DROP(graded);
	}
	answer(sum);
	DROP(grade);
	for (int i = 0; i < SLOTS; i++) {
		DROP(slots[i]);
		free(in[i]);
		free(out[i]);
	}
	if (app->repaired) {
		DROP(up);
		DROP(down);
	}
}
