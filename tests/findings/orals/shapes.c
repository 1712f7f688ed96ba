/* SPDX-License-Identifier: MIT */
/* Shapes of launches. */
#include "orals.h"

#include <stdlib.h>

/* A renderer that shades its image in groups of one pixel. */

void oral_shade_rows(struct app *app)
{
	enum { PIXELS = 1 << 18, FRAMES = 12 };
	float *image = floats(PIXELS, 13);
	cl_mem v = buffer_new(app, PIXELS * 4);
	cl_kernel shade = kernel_of(app, STIR("shade"), "shade");

	put_now(app->queue, v, PIXELS * 4, image);
	args(shade, "bi", v, 3);
	for (int frame = 0; frame < FRAMES; frame++)
		run(app->queue, shade, PIXELS, app->repaired ? 128 : 1);
	get(app->queue, v, PIXELS * 4, image);
	answer(total(image, PIXELS));
	DROP(shade);
	DROP(v);
	free(image);
}
