/* SPDX-License-Identifier: MIT */
/* What is put on paper and into plastic: fonts and layers. */
#include "audits.h"

#include <math.h>
#include <stdlib.h>

/* Pages of glyphs: how much of each dot lies within the outline. */
enum { PAGES = 70, PAGE = 256, DOTS = PAGE * PAGE, GLYPHS = 256, STROKES = 6 };

static const char glyph_source[] =
	"kernel void cover(global float *page, global const float *outlines, int first)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	int glyph = (first + y / 16 * 16 + x / 16) & 255;\n"
	"	float inside = 0, u = (x & 15) * 0.0625f, v = (y & 15) * 0.0625f;\n"
	"	for (int s = 0; s < 6; s++) {\n"
	"		float4 stroke = vload4(glyph * 6 + s, outlines);\n"
	"		float cross = (u - stroke.x) * (stroke.w - stroke.y) -\n"
	"			      (v - stroke.y) * (stroke.z - stroke.x);\n"
	"		inside += clamp(cross * 16, 0.0f, 1.0f);\n"
	"	}\n"
	"	page[y * 256 + x] = inside / 6;\n"
	"}\n";

void audit_glyph_pages(struct app *app)
{
	cl_kernel cover = kernel_of(app, glyph_source, "cover");
	cl_mem outlines = loaded(app, GLYPHS * STROKES * 4, 12), pages[2];
	float *dots = memory(DOTS * sizeof(float));
	size_t width = app->repaired ? 16 : 1;
	double ink = 0;

	for (int i = 0; i < 2; i++)
		pages[i] = buffer_new(app, DOTS * sizeof(float));
	for (int page = 0; page <= PAGES; page++) {
		if (page < PAGES) {
			args(cover, "bbi", pages[page % 2], outlines, page * 37);
			run_plane(app->queue, cover, PAGE, PAGE, width, width);
		}
		if (page) {
			get(app->queue, pages[(page - 1) % 2], DOTS * sizeof(float), dots);
			ink += total(dots, DOTS);
		}
	}
	answer(ink);
	DROP(cover);
	DROP(outlines);
	DROP(pages[0]);
	DROP(pages[1]);
	free(dots);
}

/* A printer's layers: the device cuts the mesh at a height, the host makes moves of the cuts. */
enum { LAYERS = 240, FACES = 24 * KIB, CUT = 4, CUTS = FACES * CUT };

static const char layer_source[] =
	"kernel void cut(global float *cuts, global const float *faces, float height)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float3 a = vload3(i * 3, faces), b = vload3(i * 3 + 1, faces);\n"
	"	float3 c = vload3(i * 3 + 2, faces);\n"
	"	for (int k = 0; k < 16; k++) {\n"
	"		float3 m = (a + b) * 0.5f, n = (b + c) * 0.5f;\n"
	"		a = m.z < height ? m : a;\n"
	"		b = m.z < height ? b : m;\n"
	"		c = n.z < height ? n : c;\n"
	"	}\n"
	"	vstore4((float4)(a.x, a.y, c.x, c.y), i, cuts);\n"
	"}\n";

/* Plastic that is needed for the moves, in steps of the motor. */
static double moves_of(const float *cuts)
{
	double plastic = 0;
	float x = 0, y = 0;

	for (int i = 0; i < CUTS; i += CUT) {
		float way = hypotf(cuts[i] - x, cuts[i + 1] - y);
		float line = hypotf(cuts[i + 2] - cuts[i], cuts[i + 3] - cuts[i + 1]);

		plastic += (double)floorf(line * 800 + way * 4);
		x = cuts[i + 2];
		y = cuts[i + 3];
	}
	return plastic;
}

static cl_event layer_cut(struct app *app, cl_kernel cut, cl_mem faces, cl_mem device, float *host,
			  int layer)
{
	cl_event back;

	args(cut, "bbf", device, faces, (double)layer / LAYERS);
	run(app->queue, cut, FACES, 64);
	back = get_after(app->queue, device, CUTS * sizeof(float), host, 0, NULL);
	flush(app->queue);
	return back;
}

void audit_layer_paths(struct app *app)
{
	cl_kernel cut = kernel_of(app, layer_source, "cut");
	cl_mem faces = loaded(app, FACES * 9, 90), device[2];
	cl_event back[2] = {NULL, NULL};
	double plastic = 0;
	float *host[2];

	for (int i = 0; i < 2; i++) {
		device[i] = buffer_new(app, CUTS * sizeof(float));
		host[i] = memory(CUTS * sizeof(float));
	}
	for (int layer = 0; layer < LAYERS; layer++) {
		int ahead = app->repaired ? layer + 1 : layer;

		if (!back[layer % 2])
			back[layer % 2] = layer_cut(app, cut, faces, device[layer % 2],
						    host[layer % 2], layer);
		if (ahead > layer && ahead < LAYERS)
			back[ahead % 2] = layer_cut(app, cut, faces, device[ahead % 2],
						    host[ahead % 2], ahead);
		settle(back[layer % 2]);
		back[layer % 2] = NULL;
		plastic += moves_of(host[layer % 2]);
	}
	answer(plastic);
	for (int i = 0; i < 2; i++) {
		DROP(device[i]);
		free(host[i]);
	}
	DROP(faces);
	DROP(cut);
}
