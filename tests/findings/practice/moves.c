/* SPDX-License-Identifier: MIT */
/* Data that is moved in bad portions, too often, or for nothing. */
#include "practice.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KNOBS = 64 };

static const char synth_source[] =
	"kernel void synth(global float *v, global const float *knobs, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float value = v[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * 0.9375f + 0.01f * knobs[(i + r) % 64];\n"
	"	v[i] = value;\n"
	"}\n";

struct panel {
	cl_command_queue queue;
	cl_mem knobs;
	float values[KNOBS];
	bool direct;
};

static void panel_set(struct panel *panel, int knob, float value)
{
	panel->values[knob] = value;
	if (panel->direct)
		TRY(clEnqueueWriteBuffer(panel->queue, panel->knobs, CL_TRUE,
					 (size_t)knob * sizeof(float), sizeof(float),
					 &panel->values[knob], 0, NULL, NULL));
}

/* A synthesizer whose 64 knobs turn all the time. A knob's value goes to the device when it is set;
 * repaired, all of them do, before a tone. */
void app_synth_knobs(struct app *app)
{
	enum { items = 32 * KIB, tones = 250 };
	float *sound = floats(items, 31);
	struct panel panel = {
		app->queue, buffer_new(app, KNOBS * sizeof(float)), {0}, !app->repaired};
	cl_kernel synth = kernel_of(app, synth_source, "synth");
	cl_mem tone = buffer_new(app, items * sizeof(float));
	double sum = 0;

	put_now(app->queue, tone, items * sizeof(float), sound);
	args(synth, "bbi", tone, panel.knobs, 120);
	for (int i = 0; i < tones; i++) {
		for (int j = 0; j < KNOBS; j++)
			panel_set(&panel, j, (float)((i + j * 7) % 50) * 0.02f);
		if (app->repaired)
			put_now(app->queue, panel.knobs, sizeof(panel.values), panel.values);
		run(app->queue, synth, items, 64);
		get(app->queue, tone, items * sizeof(float), sound);
		sum += (double)sound[i];
	}
	answer(sum);
	DROP(synth);
	DROP(tone);
	DROP(panel.knobs);
	free(sound);
}

/* Maps a part of the ledger for reading, adds it up, and unmaps it. */
static double ledger_sum(cl_command_queue queue, cl_mem ledger, size_t first, size_t count)
{
	cl_int status;
	float *lines =
		clEnqueueMapBuffer(queue, ledger, CL_TRUE, CL_MAP_READ, first * sizeof(float),
				   count * sizeof(float), 0, NULL, NULL, &status);

	must(status, "clEnqueueMapBuffer");
	double sum = total(lines, count);

	TRY(clEnqueueUnmapMemObject(queue, ledger, lines, 0, NULL, NULL));
	return sum;
}

/* Accounts are balanced, and 96 of them looked at each day, one map for each; repaired, with one
 * map for all. */
void app_ledger_maps(struct app *app)
{
	enum { items = 64 * KIB, days = 140, looks = 96, line = 16 };
	float *lines = floats(items, 32);
	cl_kernel balance = kernel_of(app, CHAIN("balance"), "balance");
	cl_mem ledger = buffer_new(app, items * sizeof(float));
	double sum = 0;

	put_now(app->queue, ledger, items * sizeof(float), lines);
	args(balance, "bi", ledger, 60);
	for (int i = 0; i < days; i++) {
		run(app->queue, balance, items, 64);
		if (app->repaired)
			sum += ledger_sum(app->queue, ledger, 0, looks * line);
		for (size_t j = 0; j < looks && !app->repaired; j++)
			sum += ledger_sum(app->queue, ledger, j * line, line);
	}
	finish(app->queue);
	answer(sum);
	DROP(balance);
	DROP(ledger);
	free(lines);
}

static const char face_source[] = CHAIN(
	"settle_heat") "kernel void pack(global const float *v, global float *face, int row)\n"
		       "{\n"
		       "	size_t i = get_global_id(0);\n"
		       "	face[i] = v[i * row];\n"
		       "}\n";

/* Heat in a volume. After each step, the host wants the face at its side: one value of each row,
 * read as a box; repaired, a kernel packs them, and they are read in one piece. */
void app_volume_face(struct app *app)
{
	enum { row = 16, rows = 160 * 160, items = row * rows, steps = 400 };
	const size_t origin[3] = {0, 0, 0}, region[3] = {sizeof(float), 160, 160};
	float *volume = floats(items, 33), *face = memory(rows * sizeof(float));
	cl_program program = program_new(app, face_source, "");
	cl_kernel heat = kernel_new(program, "settle_heat"), pack = kernel_new(program, "pack");
	cl_mem all = buffer_new(app, items * sizeof(float));
	cl_mem packed = buffer_new(app, rows * sizeof(float));
	double sum = 0;

	put_now(app->queue, all, items * sizeof(float), volume);
	args(heat, "bi", all, 2);
	args(pack, "bbi", all, packed, row);
	for (int i = 0; i < steps; i++) {
		run(app->queue, heat, items, 64);
		if (app->repaired) {
			run(app->queue, pack, rows, 64);
			get(app->queue, packed, rows * sizeof(float), face);
		} else {
			TRY(clEnqueueReadBufferRect(app->queue, all, CL_TRUE, origin, origin,
						    region, row * sizeof(float),
						    row * 160 * sizeof(float), 0, 0, face, 0, NULL,
						    NULL));
		}
		sum += (double)face[i * 7];
	}
	answer(sum);
	DROP(heat);
	DROP(pack);
	DROP(program);
	DROP(all);
	DROP(packed);
	free(volume);
	free(face);
}

static const char frame_source[] =
	CHAIN("diffuse") "kernel void frame(global float *v, int side, float edge)\n"
			 "{\n"
			 "	int i = get_global_id(0);\n"
			 "	v[i] = edge;\n"
			 "	v[(side - 1) * side + i] = edge;\n"
			 "	v[i * side] = edge;\n"
			 "	v[i * side + side - 1] = edge;\n"
			 "}\n";

/* What the boundary is set to comes from the host, as do the cells. */
static void boundary_by_host(cl_command_queue queue, cl_mem grid, float *cells, int side,
			     float edge)
{
	size_t bytes = (size_t)side * (size_t)side * sizeof(float);

	get(queue, grid, bytes, cells);
	for (int i = 0; i < side; i++)
		cells[i] = cells[(side - 1) * side + i] = cells[i * side] =
			cells[i * side + side - 1] = edge;
	put_now(queue, grid, bytes, cells);
}

/* Diffusion with a boundary that changes each second step. The host fetches all cells, sets those
 * at the edges, and writes all of them back; repaired, a kernel sets them. */
void app_edge_cells(struct app *app)
{
	enum { side = 768, items = side * side, steps = 320 };
	float *cells = floats(items, 34);
	cl_program program = program_new(app, frame_source, "");
	cl_kernel diffuse = kernel_new(program, "diffuse"), frame = kernel_new(program, "frame");
	cl_mem grid = buffer_new(app, items * sizeof(float));

	put_now(app->queue, grid, items * sizeof(float), cells);
	args(diffuse, "bi", grid, 1);
	for (int i = 0; i < steps; i++) {
		run(app->queue, diffuse, items, 64);
		if (i % 2 == 0)
			continue;
		if (app->repaired) {
			args(frame, "bif", grid, side, (double)i * 0.01);
			run(app->queue, frame, side, 64);
		} else {
			boundary_by_host(app->queue, grid, cells, side, (float)i * 0.01f);
		}
	}
	get(app->queue, grid, items * sizeof(float), cells);
	answer(total(cells, items));
	DROP(diffuse);
	DROP(frame);
	DROP(program);
	DROP(grid);
	free(cells);
}

/* A simulation keeps its last states in an archive, a buffer with eight places. What goes there is
 * read and written by the host; repaired, the device copies it. */
void app_archive_places(struct app *app)
{
	enum { items = 128 * KIB, bytes = items * sizeof(float), places = 8, steps = 600 };
	float *state = floats(items, 35);
	cl_kernel evolve = kernel_of(app, CHAIN("evolve"), "evolve");
	cl_mem now = buffer_new(app, bytes), archive = buffer_new(app, places * bytes);

	put_now(app->queue, now, bytes, state);
	args(evolve, "bi", now, 6);
	for (int i = 0; i < steps; i++) {
		size_t place = (size_t)i / 2 % places * bytes;

		run(app->queue, evolve, items, 64);
		if (i % 2)
			continue;
		if (app->repaired) {
			TRY(clEnqueueCopyBuffer(app->queue, now, archive, 0, place, bytes, 0, NULL,
						NULL));
			continue;
		}
		get(app->queue, now, bytes, state);
		TRY(clEnqueueWriteBuffer(app->queue, archive, CL_TRUE, place, bytes, state, 0, NULL,
					 NULL));
	}
	get(app->queue, archive, bytes, state);
	answer(total(state, items));
	DROP(evolve);
	DROP(now);
	DROP(archive);
	free(state);
}

static const char stamp_source[] =
	"kernel void draw(write_only image2d_t to, float shade, int rounds)\n"
	"{\n"
	"	int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
	"	float value = shade + 0.001f * p.x;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * 0.9375f + 0.01f;\n"
	"	write_imagef(to, p, (float4)(value, value, p.y * 0.002f, 1));\n"
	"}\n";

static cl_mem image_new(const struct app *app, size_t width, size_t height)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
	cl_int status;
	cl_mem image =
		clCreateImage(app->context, CL_MEM_READ_WRITE, &format, &shape, NULL, &status);

	must(status, "clCreateImage");
	return image;
}

/* Sprites are drawn, and packed into an atlas of 4 by 4. Each is read and written to its place;
 * repaired, the device copies it there. */
void app_sprite_atlas(struct app *app)
{
	enum { side = 128, across = 4, sprites = 1000 };
	const size_t none[3] = {0, 0, 0}, region[3] = {side, side, 1}, items[2] = {side, side};
	float *pixels = floats(4 * side * side, 36);
	cl_kernel draw = kernel_of(app, stamp_source, "draw");
	cl_mem sprite = image_new(app, side, side);
	cl_mem atlas = image_new(app, side * across, side * across);

	for (size_t i = 0; i < sprites; i++) {
		const size_t place[3] = {i % across * side, i / across % across * side, 0};

		args(draw, "bfi", sprite, (double)(i % 10) * 0.1, 30);
		TRY(clEnqueueNDRangeKernel(app->queue, draw, 2, NULL, items, NULL, 0, NULL, NULL));
		if (app->repaired) {
			TRY(clEnqueueCopyImage(app->queue, sprite, atlas, none, place, region, 0,
					       NULL, NULL));
			continue;
		}
		TRY(clEnqueueReadImage(app->queue, sprite, CL_TRUE, none, region, 0, 0, pixels, 0,
				       NULL, NULL));
		TRY(clEnqueueWriteImage(app->queue, atlas, CL_TRUE, place, region, 0, 0, pixels, 0,
					NULL, NULL));
	}
	TRY(clEnqueueReadImage(app->queue, atlas, CL_TRUE, none, region, 0, 0, pixels, 0, NULL,
			       NULL));
	answer(total(pixels, 4 * side * side));
	DROP(draw);
	DROP(sprite);
	DROP(atlas);
	free(pixels);
}

static const char mask_source[] =
	"kernel void mask_out(global float *v, global const float *mask, float by, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float value = v[i] * mask[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * 0.9375f + 0.03125f * by;\n"
	"	v[i] = value;\n"
	"}\n";

/* Frames of a scan with a mask, which a person edits each 50th frame. The mask goes up for each
 * frame; repaired, when its version is another one. */
void app_mask_version(struct app *app)
{
	enum { items = 256 * KIB, bytes = items * sizeof(float), frames = 420, edit = 50 };
	float *mask = floats(items, 37), *frame = floats(items, 38);
	cl_kernel mask_out = kernel_of(app, mask_source, "mask_out");
	cl_mem pixels = buffer_new(app, bytes), masks = buffer_new(app, bytes);
	int version = 0, known = 0;
	double sum = 0;

	put_now(app->queue, pixels, bytes, frame);
	for (int i = 0; i < frames; i++) {
		if (i % edit == 0) {
			mask[i * 11] = 0;
			version++;
		}
		if (!app->repaired || known != version)
			put(app->queue, masks, bytes, mask);
		known = version;
		args(mask_out, "bbfi", pixels, masks, (double)(i % 5), 2);
		run(app->queue, mask_out, items, 64);
		get(app->queue, pixels, 4 * KIB, frame);
		sum += (double)frame[i];
	}
	answer(sum);
	DROP(mask_out);
	DROP(pixels);
	DROP(masks);
	free(mask);
	free(frame);
}

struct voice {
	struct app *app;
	cl_command_queue queue;
	cl_kernel speak;
	cl_mem air, tract;
	const float *shape; /* of the tract, the same for all time */
	double sum;
	bool careful;
};

static void *voice_speak(void *pointer)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), words = 300 };
	struct voice *v = pointer;
	float *sound = floats(items, 39);

	for (int i = 0; i < words; i++) {
		refill(sound, items, i);
		if (!i || v->careful)
			put(v->queue, v->tract, bytes, v->shape);
		put(v->queue, v->air, bytes, sound);
		run(v->queue, v->speak, items, 64);
		get(v->queue, v->air, bytes, sound);
		v->sum += (double)sound[i];
	}
	free(sound);
	return NULL;
}

/* Three voices, each with a thread, a queue, and the shape of its tract on the device. One voice
 * writes its shape for each word, as it once could change; repaired, once, like the others. */
void app_voice_shapes(struct app *app)
{
	enum { voices = 3, bytes = 64 * KIB * sizeof(float) };
	float *shape = floats(64 * KIB, 40);
	cl_program program = program_new(app, mask_source, "");
	struct voice all[voices];
	double sum = 0;

	for (int i = 0; i < voices; i++) {
		all[i] = (struct voice){app,
					queue_new(app, 0),
					kernel_new(program, "mask_out"),
					buffer_new(app, bytes),
					buffer_new(app, bytes),
					shape,
					0,
					i == 1 && !app->repaired};
		args(all[i].speak, "bbfi", all[i].air, all[i].tract, 0.5, 20);
	}
	threads_run(voices, voice_speak, all, sizeof(*all));
	for (int i = 0; i < voices; i++) {
		sum += all[i].sum;
		DROP(all[i].queue);
		DROP(all[i].speak);
		DROP(all[i].air);
		DROP(all[i].tract);
	}
	answer(sum);
	DROP(program);
	free(shape);
}

static const char window_source[] =
	"kernel void inspect(global const float *cube, global float *out, int first, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float value = cube[first + i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * 0.9375f + 0.03125f;\n"
	"	out[i] = value;\n"
	"}\n";

/* A cube of measurements is new at each instant. A window of a quarter of it is inspected, but all
 * of it goes to the device; repaired, the window does. */
void app_cube_window(struct app *app)
{
	enum { items = 512 * KIB, window = items / 4, instants = 280 };
	float *cube = floats(items, 41), *out = memory(window * sizeof(float));
	cl_kernel inspect = kernel_of(app, window_source, "inspect");
	cl_mem all = buffer_new(app, items * sizeof(float));
	cl_mem seen = buffer_new(app, window * sizeof(float));
	double sum = 0;

	for (int i = 0; i < instants; i++) {
		size_t first = (size_t)i % 3 * window;
		size_t from = app->repaired ? first : 0, count = app->repaired ? window : items;

		for (size_t j = 0; j < items; j += 16)
			cube[j] += 0.25f;
		TRY(clEnqueueWriteBuffer(app->queue, all, CL_TRUE, from * sizeof(float),
					 count * sizeof(float), cube + from, 0, NULL, NULL));
		args(inspect, "bbii", all, seen, (int)first, 25);
		run(app->queue, inspect, window, 64);
		get(app->queue, seen, window * sizeof(float), out);
		sum += (double)out[i];
	}
	answer(sum);
	DROP(inspect);
	DROP(all);
	DROP(seen);
	free(cube);
	free(out);
}

static const char hits_source[] =
	"kernel void search(global const float *v, global int4 *hits, global int *count,\n"
	"		   float low)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float value = v[i];\n"
	"	for (int r = 0; r < 2; r++)\n"
	"		value = value * 0.5f + v[i] * 0.5f;\n"
	"	if (value >= low && value < low + 0.002f)\n"
	"		hits[atomic_inc(count)] = (int4)(i, i / 512, i % 512, as_int(value));\n"
	"}\n";

/* Queries find a few hundred of a quarter million records. The list of hits is read as long as it
 * could be, and then their number; repaired, the number first, and so many hits. */
void app_hit_list(struct app *app)
{
	enum { items = 256 * KIB, queries = 420 };
	float *records = floats(items, 42);
	cl_int4 *hits = memory(items * sizeof(*hits));
	int count, zero = 0;
	cl_kernel search = kernel_of(app, hits_source, "search");
	cl_mem values = buffer_new(app, items * sizeof(float));
	cl_mem list = buffer_new(app, items * sizeof(*hits)),
	       counter = buffer_new(app, sizeof(count));
	double sum = 0;

	put_now(app->queue, values, items * sizeof(float), records);
	for (int i = 0; i < queries; i++) {
		TRY(clEnqueueFillBuffer(app->queue, counter, &zero, sizeof(zero), 0, sizeof(zero),
					0, NULL, NULL));
		args(search, "bbbf", values, list, counter, (double)i * 0.002);
		run(app->queue, search, items, 64);
		if (!app->repaired)
			get(app->queue, list, items * sizeof(*hits), hits);
		get(app->queue, counter, sizeof(count), &count);
		if (app->repaired && count)
			get(app->queue, list, (size_t)count * sizeof(*hits), hits);
		for (int j = 0; j < count; j++)
			sum += hits[j].s[0];
	}
	answer(sum);
	DROP(search);
	DROP(values);
	DROP(list);
	DROP(counter);
	free(records);
	free(hits);
}
