/* SPDX-License-Identifier: MIT */
/* Programs that move data between host and device, by most of the ways that there are. */
#include "fittings.h"

#include <stdlib.h>
#include <string.h>

static const char shade_source[] =
	"kernel void shade_text(read_only image2d_t atlas, global float *page, int width)\n"
	"{\n"
	"	const sampler_t near = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
	"	int i = get_global_id(0);\n"
	"	page[i] = page[i] * 0.5f + read_imagef(atlas, near, (int2)(i % width, i / width)).x;\n"
	"}\n";

/* A typesetter: the glyphs of each font go to an atlas, by which its pages are drawn. */
void fitting_atlas_glyphs(struct app *app)
{
	enum { SIDE = 512, GLYPH = 32, FONTS = 20 };
	cl_kernel kernel = kernel_of(app, shade_source, "shade_text");
	cl_mem atlas = image_new(app, SIDE, SIDE, 0, 0);
	cl_mem page = seeded(app, SIDE * SIDE, 4);
	float *font = memory(SIDE * SIDE * sizeof(*font));
	size_t step = app->repaired ? SIDE : GLYPH;

	for (int f = 0; f < FONTS; f++) {
		refill(font, SIDE * SIDE, f);
		for (size_t y = 0; y < SIDE; y += step)
			for (size_t x = 0; x < SIDE; x += step) {
				size_t origin[3] = {x, y, 0}, region[3] = {step, step, 1};

				TRY(clEnqueueWriteImage(app->queue, atlas, CL_FALSE, origin, region,
							SIDE * sizeof(*font), 0,
							font + y * SIDE + x, 0, NULL, NULL));
			}
		args(kernel, "bbi", atlas, page, SIDE);
		run(app->queue, kernel, SIDE * SIDE, 64);
		finish(app->queue);
	}
	answer(sum_of(app->queue, page, SIDE * SIDE));
	free(font);
	DROP(atlas);
	DROP(page);
	DROP(kernel);
}

/* A flow past a wing: of each step, the window around its edge is kept for a film. */
void fitting_window_rows(struct app *app)
{
	enum { WIDTH = 256, HEIGHT = 256, SEEN = 64, STEPS = 60 };
	cl_kernel kernel = kernel_of(app, STIR("flow_step"), "flow_step");
	cl_mem flow = seeded(app, WIDTH * HEIGHT, 8);
	float *film = memory(sizeof(*film) * SEEN * SEEN * STEPS);

	for (int step = 0; step < STEPS; step++) {
		float *frame = film + (size_t)step * SEEN * SEEN;
		size_t from[3] = {64 * sizeof(float), 64, 0}, to[3] = {0};
		size_t region[3] = {SEEN * sizeof(float), SEEN, 1};

		args(kernel, "bbi", flow, flow, 6);
		run(app->queue, kernel, WIDTH * HEIGHT, 64);
		if (app->repaired)
			TRY(clEnqueueReadBufferRect(app->queue, flow, CL_TRUE, from, to, region,
						    WIDTH * sizeof(float), 0, region[0], 0, frame,
						    0, NULL, NULL));
		else
			for (size_t row = 0; row < SEEN; row++)
				TRY(clEnqueueReadBuffer(app->queue, flow, CL_TRUE,
							((64 + row) * WIDTH + 64) * sizeof(float),
							region[0], frame + row * SEEN, 0, NULL,
							NULL));
	}
	answer(total(film, (size_t)SEEN * SEEN * STEPS));
	free(film);
	DROP(flow);
	DROP(kernel);
}

static const char beam_source[] =
	"kernel void trace_beam(read_only image3d_t density, global float *dose, int beam)\n"
	"{\n"
	"	const sampler_t near = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 4; k++)\n"
	"		sum += read_imagef(density, near, (int4)(i % 128, i / 128 % 128,\n"
	"							 (beam + k) % 32, 0)).x;\n"
	"	dose[i] += sum;\n"
	"}\n";

/* Radiotherapy: what dose a patient gets of each of a plan's beams. */
void fitting_dose_beams(struct app *app)
{
	enum { SIDE = 128, DEPTH = 32, BEAMS = 150 };
	cl_kernel kernel = kernel_of(app, beam_source, "trace_beam");
	cl_mem density = image_new(app, SIDE, SIDE, DEPTH, 0);
	cl_mem dose = seeded(app, SIDE * SIDE, 6);
	float *patient = floats((size_t)SIDE * SIDE * DEPTH, 14);
	size_t origin[3] = {0}, region[3] = {SIDE, SIDE, DEPTH};

	for (int beam = 0; beam < BEAMS; beam++) {
		if (!app->repaired || !beam)
			TRY(clEnqueueWriteImage(app->queue, density, CL_FALSE, origin, region, 0, 0,
						patient, 0, NULL, NULL));
		args(kernel, "bbi", density, dose, beam);
		run(app->queue, kernel, SIDE * SIDE, 64);
		finish(app->queue); /* the plan's next beam may hang on this one */
	}
	answer(sum_of(app->queue, dose, SIDE * SIDE));
	free(patient);
	DROP(density);
	DROP(dose);
	DROP(kernel);
}

static const char undistort_source[] =
	"kernel void undistort(global const float *tables, global float *frame, int shift)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	frame[i] = frame[i] * 0.5f + tables[i ^ shift];\n"
	"}\n";

/* A camera's frames are straightened by the tables of its lens. */
void fitting_lens_tables(struct app *app)
{
	enum { PIXELS = 1 << 18, FRAMES = 300 };
	cl_kernel kernel = kernel_of(app, undistort_source, "undistort");
	size_t bytes = PIXELS * sizeof(float);
	float *lens = floats(PIXELS, 21);
	cl_mem tables, frame = seeded(app, PIXELS, 22);
	cl_int status;

	tables = clCreateBuffer(app->context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes, NULL,
				&status);
	must(status, "clCreateBuffer");
	for (int f = 0; f < FRAMES; f++) {
		if (!app->repaired || !f) {
			void *at = clEnqueueMapBuffer(app->queue, tables, CL_TRUE,
						      CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0,
						      NULL, NULL, &status);

			must(status, "clEnqueueMapBuffer");
			memcpy(at, lens, bytes);
			TRY(clEnqueueUnmapMemObject(app->queue, tables, at, 0, NULL, NULL));
		}
		args(kernel, "bbi", tables, frame, f);
		run(app->queue, kernel, PIXELS, 64);
	}
	answer(sum_of(app->queue, frame, PIXELS));
	free(lens);
	DROP(tables);
	DROP(frame);
	DROP(kernel);
}

static cl_mem weights_new(struct app *app, float *weights, size_t bytes)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(app->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
				       weights, &status);

	must(status, "clCreateBuffer");
	return buffer;
}

/* A classifier of sounds, batch by batch, by weights that were trained before. */
void fitting_batch_weights(struct app *app)
{
	enum { UNITS = 1 << 17, LAYERS = 8, BATCHES = 120 };
	cl_kernel kernel = kernel_of(app, undistort_source, "undistort");
	size_t bytes = LAYERS * UNITS * sizeof(float);
	float *weights = floats(LAYERS * UNITS, 31);
	cl_mem scores = seeded(app, UNITS, 32);
	cl_mem layer = weights_new(app, weights, bytes);

	for (int b = 0; b < BATCHES; b++) {
		if (!app->repaired && b) {
			DROP(layer);
			layer = weights_new(app, weights, bytes);
		}
		args(kernel, "bbi", layer, scores, b);
		run(app->queue, kernel, UNITS, 64);
		finish(app->queue);
	}
	answer(sum_of(app->queue, scores, UNITS));
	free(weights);
	DROP(layer);
	DROP(scores);
	DROP(kernel);
}

static const char relay_source[] =
	"kernel void draw_sky(write_only image2d_t sky, int width, int night)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	write_imagef(sky, (int2)(i % width, i / width), (float4)(i % (7 + night)));\n"
	"}\n"
	"kernel void find_stars(global const float *sky, global float *stars)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	stars[i] = stars[i] * 0.5f + sky[i];\n"
	"}\n";

/* A telescope: the sky is drawn as an image, and searched for stars as a buffer. */
void fitting_relay_stages(struct app *app)
{
	enum { SIDE = 512, NIGHTS = 80 };
	cl_program program = program_new(app, relay_source, "");
	cl_kernel draw = kernel_new(program, "draw_sky"), find = kernel_new(program, "find_stars");
	size_t bytes = SIDE * SIDE * sizeof(float);
	cl_mem sky = image_new(app, SIDE, SIDE, 0, 0), stars = seeded(app, SIDE * SIDE, 41);
	cl_mem pixels = buffer_new(app, bytes);
	float *between = memory(bytes);
	size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};

	for (int night = 0; night < NIGHTS; night++) {
		args(draw, "bii", sky, SIDE, night);
		run(app->queue, draw, SIDE * SIDE, 64);
		if (app->repaired) {
			TRY(clEnqueueCopyImageToBuffer(app->queue, sky, pixels, origin, region, 0,
						       0, NULL, NULL));
		} else {
			TRY(clEnqueueReadImage(app->queue, sky, CL_TRUE, origin, region, 0, 0,
					       between, 0, NULL, NULL));
			put(app->queue, pixels, bytes, between);
		}
		args(find, "bb", pixels, stars);
		run(app->queue, find, SIDE * SIDE, 64);
	}
	answer(sum_of(app->queue, stars, SIDE * SIDE));
	free(between);
	DROP(sky);
	DROP(stars);
	DROP(pixels);
	DROP(draw);
	DROP(find);
	DROP(program);
}

/* A net of neurons in shared memory; in each step one of them gets a stimulus. */
void fitting_spike_inject(struct app *app)
{
	enum { NEURONS = 1 << 15, STEPS = 1200 };
	cl_kernel kernel = kernel_of(app, STIR("neuron_step"), "neuron_step");
	size_t bytes = NEURONS * sizeof(float);
	float *net = clSVMAlloc(app->context, CL_MEM_READ_WRITE, bytes, 0);
	const cl_float spike = 1;
	const cl_int rounds = 3;
	double sum;

	if (!net)
		must(CL_OUT_OF_HOST_MEMORY, "clSVMAlloc");
	TRY(clEnqueueSVMMemFill(app->queue, net, &spike, sizeof(spike), bytes, 0, NULL, NULL));
	TRY(clSetKernelArgSVMPointer(kernel, 0, net));
	TRY(clSetKernelArgSVMPointer(kernel, 1, net));
	TRY(clSetKernelArg(kernel, 2, sizeof(rounds), &rounds));
	for (int step = 0; step < STEPS; step++) {
		float *one = net + step * 37 % NEURONS;

		if (app->repaired) {
			TRY(clEnqueueSVMMemFill(app->queue, one, &spike, sizeof(spike),
						sizeof(spike), 0, NULL, NULL));
		} else {
			TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, net,
					    bytes, 0, NULL, NULL));
			*one = spike;
			TRY(clEnqueueSVMUnmap(app->queue, net, 0, NULL, NULL));
		}
		run(app->queue, kernel, NEURONS, 64);
	}
	TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_READ, net, bytes, 0, NULL, NULL));
	sum = total(net, NEURONS);
	TRY(clEnqueueSVMUnmap(app->queue, net, 0, NULL, NULL));
	finish(app->queue);
	answer(sum);
	clSVMFree(app->context, net);
	DROP(kernel);
}

/* An alarm's history of vibrations: older samples move up, new ones come in below. */
void fitting_shift_history(struct app *app)
{
	enum { KEPT = 1 << 18, NEW = 4096, TIMES = 1000 };
	cl_kernel kernel = kernel_of(app, STIR("take_samples"), "take_samples");
	size_t bytes = KEPT * sizeof(float), fresh = NEW * sizeof(float);
	cl_mem history = seeded(app, KEPT, 51), next = buffer_new(app, bytes);
	cl_mem samples = seeded(app, NEW, 52);
	float *old = memory(bytes);

	for (int t = 0; t < TIMES; t++) {
		cl_mem to = app->repaired ? next : history;

		if (clEnqueueCopyBuffer(app->queue, history, to, 0, fresh, bytes - fresh, 0, NULL,
					NULL) != CL_SUCCESS) {
			get(app->queue, history, bytes - fresh, old);
			TRY(clEnqueueWriteBuffer(app->queue, to, CL_TRUE, fresh, bytes - fresh, old,
						 0, NULL, NULL));
		}
		args(kernel, "bbi", samples, to, 1 + t % 7);
		run(app->queue, kernel, NEW, 64);
		if (app->repaired) {
			next = history;
			history = to;
		}
	}
	answer(sum_of(app->queue, history, KEPT));
	free(old);
	DROP(history);
	DROP(next);
	DROP(samples);
	DROP(kernel);
}
