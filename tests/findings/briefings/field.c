/* SPDX-License-Identifier: MIT */
/* Numerical models: the sea, the ground, boxes that touch, flow round a wing, the radio sky. */
#include "briefings.h"

#include <stdlib.h>

/* A storm surge in a bay. The levels at the harbours are logged, and their sum is the report. */
enum { BAY_WIDTH = 160, BAY_HEIGHT = 128, BAY = BAY_WIDTH * BAY_HEIGHT, HARBOURS = 16 };
enum { BAY_STEPS = 1500 };

static const char bay_source[] =
	"kernel void surge(global const float *now, global float *next, int width, int height,\n"
	"		  float tide)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width, y = i / width;\n"
	"	float c = now[i];\n"
	"	float l = x > 0 ? now[i - 1] : tide;\n"
	"	float r = x < width - 1 ? now[i + 1] : c;\n"
	"	float u = y > 0 ? now[i - width] : c;\n"
	"	float d = y < height - 1 ? now[i + width] : c;\n"
	"	next[i] = c + 0.2f * (l + r + u + d - 4 * c);\n"
	"}\n"
	"kernel void gauges(global const float *now, global const int *harbours,\n"
	"		   global float *series, int first)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	series[first + i] = now[harbours[i]];\n"
	"}\n";

void briefing_tide_gauges(struct app *app)
{
	cl_program program = program_new(app, bay_source, "");
	cl_kernel surge = kernel_new(program, "surge"), gauges = kernel_new(program, "gauges");
	float *series = memory(BAY_STEPS * HARBOURS * sizeof(*series));
	float *still = floats(BAY, 7);
	int harbours[HARBOURS];

	for (int i = 0; i < HARBOURS; i++)
		harbours[i] = (i * 7 + 3) * BAY_WIDTH + 5 + i * 2;

	cl_mem levels[2] = {loaded(app, BAY * sizeof(float), still),
			    loaded(app, BAY * sizeof(float), still)};
	cl_mem places = loaded(app, sizeof(harbours), harbours);
	cl_mem logged = buffer_new(app, BAY_STEPS * HARBOURS * sizeof(float));

	for (int step = 0; step < BAY_STEPS; step++) {
		cl_mem now = levels[step % 2], next = levels[(step + 1) % 2];

		args(surge, "bbiif", now, next, BAY_WIDTH, BAY_HEIGHT, (step % 300) * 0.01);
		run(app->queue, surge, BAY, 64);
		args(gauges, "bbbi", next, places, logged, app->repaired ? step * HARBOURS : 0);
		run(app->queue, gauges, HARBOURS, HARBOURS);
		if (!app->repaired)
			get(app->queue, logged, HARBOURS * sizeof(float), series + step * HARBOURS);
	}
	if (app->repaired)
		get(app->queue, logged, BAY_STEPS * HARBOURS * sizeof(float), series);
	answer(total(series, BAY_STEPS * HARBOURS));
	DROP(logged);
	DROP(places);
	DROP(levels[0]);
	DROP(levels[1]);
	DROP(surge);
	DROP(gauges);
	DROP(program);
	free(series);
	free(still);
}

/* Seismic gathers are corrected for the distance of their receivers, collected, and stacked. */
enum { TRACES = 64, SAMPLES = 1024, GATHER = TRACES * SAMPLES, GATHERS = 160 };

static const char gather_source[] =
	"kernel void moveout(global const float *gather, global float *flat, int samples,\n"
	"		    float slowness)\n"
	"{\n"
	"	int i = get_global_id(0), t = i % samples, trace = i / samples;\n"
	"	float at = sqrt((float)(t * t) + slowness * (float)(trace * trace));\n"
	"	at = min(at, (float)(samples - 1));\n"
	"	int k = min((int)at, samples - 2);\n"
	"	float part = at - (float)k;\n"
	"	flat[i] = gather[trace * samples + k] * (1 - part) +\n"
	"		  gather[trace * samples + k + 1] * part;\n"
	"}\n"
	"kernel void stack(global const float *line, global float *section, int size, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int g = 0; g < count; g++)\n"
	"		sum += line[g * size + i];\n"
	"	section[i] = sum / (float)count;\n"
	"}\n";

void briefing_gathers(struct app *app)
{
	cl_program program = program_new(app, gather_source, "");
	cl_kernel moveout = kernel_new(program, "moveout"), stack = kernel_new(program, "stack");
	size_t bytes = GATHER * sizeof(float);
	float *shots[2] = {memory(bytes), memory(bytes)}, *section = memory(bytes);
	float *corrected = memory(bytes);
	cl_mem gather = buffer_new(app, bytes), flat = buffer_new(app, bytes);
	cl_mem line = buffer_new(app, GATHERS * bytes), image = buffer_new(app, bytes);
	cl_event done[2] = {NULL, NULL};

	for (int g = 0; g < GATHERS; g++) {
		float *shot = shots[g % 2];
		size_t place = (size_t)g * bytes;

		if (done[g % 2])
			settle(done[g % 2]);
		refill(shot, GATHER, g);
		done[g % 2] = put_after(app->queue, gather, bytes, shot, 0, NULL);
		args(moveout, "bbif", gather, flat, SAMPLES, 40.0 + g);
		run(app->queue, moveout, GATHER, 64);
		if (app->repaired) {
			TRY(clEnqueueCopyBuffer(app->queue, flat, line, 0, place, bytes, 0, NULL,
						NULL));
			flush(app->queue);
			continue;
		}
		get(app->queue, flat, bytes, corrected);
		TRY(clEnqueueWriteBuffer(app->queue, line, CL_TRUE, place, bytes, corrected, 0,
					 NULL, NULL));
	}
	settle(done[0]);
	settle(done[1]);
	args(stack, "bbii", line, image, GATHER, GATHERS);
	run(app->queue, stack, GATHER, 64);
	get(app->queue, image, bytes, section);
	answer(total(section, GATHER));
	DROP(gather);
	DROP(flat);
	DROP(line);
	DROP(image);
	DROP(moveout);
	DROP(stack);
	DROP(program);
	free(shots[0]);
	free(shots[1]);
	free(section);
	free(corrected);
}

/* The boxes of a game's bodies are sorted along an axis in each frame, to find those that touch. */
enum { BODIES = 4096, SORT_FRAMES = 60 };

static const char sort_source[] =
	"kernel void compare(global float *left, int width, int distance)\n"
	"{\n"
	"	int i = get_global_id(0), k = i ^ distance;\n"
	"	if (k <= i)\n"
	"		return;\n"
	"	float a = left[i], b = left[k];\n"
	"	if ((a > b) == ((i & width) == 0)) {\n"
	"		left[i] = b;\n"
	"		left[k] = a;\n"
	"	}\n"
	"}\n"
	"kernel void touch(global const float *left, global float *pairs, int bodies)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float count = 0;\n"
	"	for (int k = i + 1; k < min(i + 400, bodies); k++)\n"
	"		count += left[k] < left[i] + 0.01f ? 1.0f : 0.0f;\n"
	"	pairs[i] = count;\n"
	"}\n";

static void check(struct app *app, const char *pass)
{
	if (!app->repaired)
		must(clFinish(app->queue), pass);
}

void briefing_box_sort(struct app *app)
{
	cl_program program = program_new(app, sort_source, "");
	cl_kernel compare = kernel_new(program, "compare"), touch = kernel_new(program, "touch");
	size_t bytes = BODIES * sizeof(float);
	float *boxes = memory(bytes), *pairs = memory(bytes);
	cl_mem left = buffer_new(app, bytes), found = buffer_new(app, bytes);
	double contacts = 0;

	args(touch, "bbi", left, found, BODIES);
	for (int frame = 0; frame < SORT_FRAMES; frame++) {
		refill(boxes, BODIES, frame * 2);
		put(app->queue, left, bytes, boxes);
		for (int width = 2; width <= BODIES; width *= 2)
			for (int distance = width / 2; distance; distance /= 2) {
				args(compare, "bii", left, width, distance);
				run(app->queue, compare, BODIES, 64);
				check(app, "compare");
			}
		run(app->queue, touch, BODIES, 64);
		check(app, "touch");
		get(app->queue, found, bytes, pairs);
		contacts += total(pairs, BODIES);
	}
	answer(contacts);
	DROP(left);
	DROP(found);
	DROP(compare);
	DROP(touch);
	DROP(program);
	free(boxes);
	free(pairs);
}

/* The flow round a wing by the panel method: what all panels do at each point, for many angles. */
enum { PANELS = 12, POINTS = 32768, ANGLES = 600 };

static const char panel_source[] =
	"kernel void induce(global const float4 *panels, global float *flow, int count, float angle)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = (float)(i % 256) * 0.01f, y = (float)(i / 256) * 0.01f;\n"
	"	float sum = angle;\n"
	"	for (int p = 0; p < count; p++) {\n"
	"		float dx = x - panels[p].x, dy = y - panels[p].y + angle * 0.1f;\n"
	"		sum += panels[p].z * dy / (dx * dx + dy * dy + 0.05f);\n"
	"	}\n"
	"	flow[i] += sum;\n"
	"}\n";

void briefing_panel_flow(struct app *app)
{
	cl_kernel induce = kernel_of(app, panel_source, "induce");
	float *shape = floats(PANELS * 4, 11), *result = memory(POINTS * sizeof(float));
	cl_mem panels = loaded(app, PANELS * 4 * sizeof(float), shape);
	cl_mem flow = loaded(app, POINTS * sizeof(float), result);

	for (int i = 0; i < ANGLES; i++) {
		args(induce, "bbif", panels, flow, PANELS, i * 0.02);
		/* of any number of points */
		run(app->queue, induce, POINTS, app->repaired ? 64 : 1);
	}
	get(app->queue, flow, POINTS * sizeof(float), result);
	answer(total(result, POINTS));
	DROP(panels);
	DROP(flow);
	DROP(induce);
	free(shape);
	free(result);
}

/* CLEAN: the brightest point of a map of the radio sky is found, and its beam taken away. */
enum { SKY_WIDTH = 512, SKY = SKY_WIDTH * SKY_WIDTH, SKY_PARTS = 256, COMPONENTS = 300 };

static const char sky_source[] =
	"kernel void subtract(global float *map, int width, int peak, float flux)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	int dx = i % width - peak % width, dy = i / width - peak / width;\n"
	"	map[i] -= flux / (float)(1 + dx * dx + dy * dy);\n"
	"}\n"
	"kernel void brightest(global const float *map, global int *peaks, int length)\n"
	"{\n"
	"	int first = get_global_id(0) * length, best = first;\n"
	"	for (int i = first + 1; i < first + length; i++)\n"
	"		if (map[i] > map[best])\n"
	"			best = i;\n"
	"	peaks[get_global_id(0) * 2] = best;\n"
	"	peaks[get_global_id(0) * 2 + 1] = as_int(map[best]);\n"
	"}\n";

struct peak {
	int place;
	float flux;
};

static struct peak brightest_of(const float *map)
{
	struct peak best = {0, map[0]};

	for (int i = 1; i < SKY; i++)
		if (map[i] > best.flux)
			best = (struct peak){i, map[i]};
	return best;
}

void briefing_dirty_map(struct app *app)
{
	cl_program program = program_new(app, sky_source, "");
	cl_kernel subtract = kernel_new(program, "subtract");
	cl_kernel brightest = kernel_new(program, "brightest");
	float *map = floats(SKY, 21);
	struct peak *parts = memory(SKY_PARTS * sizeof(*parts));
	cl_mem sky = loaded(app, SKY * sizeof(float), map);
	cl_mem peaks = buffer_new(app, SKY_PARTS * sizeof(*parts));
	double flux = 0;

	args(brightest, "bbi", sky, peaks, SKY / SKY_PARTS);
	for (int i = 0; i < COMPONENTS; i++) {
		struct peak best;

		if (app->repaired) {
			run(app->queue, brightest, SKY_PARTS, 16);
			get(app->queue, peaks, SKY_PARTS * sizeof(*parts), parts);
			best = parts[0];
			for (int part = 1; part < SKY_PARTS; part++)
				if (parts[part].flux > best.flux)
					best = parts[part];
		} else {
			get(app->queue, sky, SKY * sizeof(float), map);
			best = brightest_of(map);
		}
		flux += 0.1 * (double)best.flux;
		args(subtract, "biif", sky, SKY_WIDTH, best.place, 0.1 * (double)best.flux);
		run(app->queue, subtract, SKY, 64);
	}
	answer(flux);
	finish(app->queue);
	DROP(sky);
	DROP(peaks);
	DROP(subtract);
	DROP(brightest);
	DROP(program);
	free(map);
	free(parts);
}
