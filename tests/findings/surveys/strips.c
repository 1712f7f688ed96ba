/* SPDX-License-Identifier: MIT */
/* Pictures of a web of cloth, looked over strip by strip; each strip is a part of the picture's
 * buffer, or has a buffer of its own where there can be no such part.
 */
#include "surveys.h"

#include <stdlib.h>

static const char weave_source[] =
	"kernel void weave(global float *strip, int pitch, int rounds)\n"
	"{\n"
	"	int x = (int)get_global_id(0), i = (int)get_global_id(1) * pitch + x;\n"
	"	float v = strip[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = v * 0.9375f + 0.0625f * (0.5f - v * v * 0.25f);\n"
	"	strip[i] = v;\n"
	"}\n";

enum { CLOTH_WIDTH = 1000, STRIP_ROWS = 33, STRIPS = 8, CLOTH_PICTURES = 120 };

struct cloth {
	size_t pitch, bytes; /* floats in a row, bytes of a strip */
	cl_mem picture, strips[STRIPS];
	bool apart[STRIPS];
	float *held;
};

static void strip_open(const struct app *app, struct cloth *cloth, size_t number)
{
	cl_buffer_region region = {number * cloth->bytes, cloth->bytes};
	cl_int status;

	cloth->strips[number] = clCreateSubBuffer(cloth->picture, CL_MEM_READ_WRITE,
						  CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
	if (status == CL_SUCCESS)
		return;
	cloth->strips[number] = buffer_new(app, cloth->bytes);
	cloth->apart[number] = true;
}

static void strip_check(const struct app *app, const struct cloth *cloth, cl_kernel weave,
			size_t number)
{
	size_t at = number * cloth->bytes;

	if (cloth->apart[number]) {
		TRY(clEnqueueReadBuffer(app->queue, cloth->picture, CL_TRUE, at, cloth->bytes,
					cloth->held, 0, NULL, NULL));
		put_now(app->queue, cloth->strips[number], cloth->bytes, cloth->held);
	}
	args(weave, "bii", cloth->strips[number], (int)cloth->pitch, 3);
	run_plane(app->queue, weave, CLOTH_WIDTH, STRIP_ROWS, 200, 1);
	if (cloth->apart[number]) {
		get(app->queue, cloth->strips[number], cloth->bytes, cloth->held);
		TRY(clEnqueueWriteBuffer(app->queue, cloth->picture, CL_TRUE, at, cloth->bytes,
					 cloth->held, 0, NULL, NULL));
	}
}

void survey_strip_views(struct app *app)
{
	struct cloth cloth = {.pitch = app->repaired ? 1024 : CLOTH_WIDTH};
	const size_t cells = cloth.pitch * STRIP_ROWS * STRIPS;
	cl_kernel weave = kernel_of(app, weave_source, "weave");
	const size_t bytes = cells * sizeof(float);
	float *pictures[4], *shown = memory(bytes);
	double sum = 0;

	cloth.bytes = cloth.pitch * STRIP_ROWS * sizeof(float);
	cloth.picture = buffer_new(app, bytes);
	cloth.held = memory(cloth.bytes);
	for (size_t s = 0; s < STRIPS; s++)
		strip_open(app, &cloth, s);
	for (int i = 0; i < 4; i++) {
		pictures[i] = memory(bytes);
		for (size_t y = 0; y < (size_t)STRIP_ROWS * STRIPS; y++)
			refill(pictures[i] + y * cloth.pitch, CLOTH_WIDTH, i + (int)y);
	}
	for (int n = 0; n < CLOTH_PICTURES; n++) {
		put(app->queue, cloth.picture, bytes, pictures[n % 4]);
		for (size_t s = 0; s < STRIPS; s++)
			strip_check(app, &cloth, weave, s);
		get(app->queue, cloth.picture, bytes, shown);
		sum += (double)shown[(size_t)n * cloth.pitch + 77];
	}
	answer(sum);
	for (size_t s = 0; s < STRIPS; s++)
		DROP(cloth.strips[s]);
	DROP(cloth.picture);
	DROP(weave);
	free(cloth.held);
	for (int i = 0; i < 4; i++)
		free(pictures[i]);
	free(shown);
}
