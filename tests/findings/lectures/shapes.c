/* SPDX-License-Identifier: MIT */
/* How work is cut into launches, groups and items. */
#include "lectures.h"

#include <stdlib.h>

/* Traces of a seismic survey are filtered a few times over, one at a time, or all at once. */
enum { TRACES = 1000, SAMPLES = 128, PASSES = 6 };

static const char trace_source[] =
	"kernel void fir(global const float *in, global float *out, int samples, int first)\n"
	"{\n"
	"	int x = get_global_id(0), row = (first + get_global_id(1)) * samples;\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 24; k++)\n"
	"		sum += in[row + ((x + k) & (samples - 1))] * (float)(24 - k);\n"
	"	out[row + x] = sum / 300;\n"
	"}\n";

void lecture_trace_filter(struct app *app)
{
	const size_t count = (size_t)TRACES * SAMPLES;
	cl_mem shots[2] = {filled(app, count, 51), buffer_new(app, count * sizeof(float))};
	cl_kernel fir = kernel_of(app, trace_source, "fir");
	float back = 0;

	for (int pass = 0; pass < PASSES; pass++)
		for (int trace = 0; trace < TRACES; trace += app->repaired ? TRACES : 1) {
			args(fir, "bbii", shots[pass % 2], shots[(pass + 1) % 2], SAMPLES, trace);
			run_plane(app->queue, fir, SAMPLES, app->repaired ? TRACES : 1, 64, 1);
		}
	get(app->queue, shots[0], sizeof(back), &back);
	answer((double)back);
	DROP(fir);
	DROP(shots[0]);
	DROP(shots[1]);
}

/* The group is the largest that divides how many particles there are, which is a prime after some
 * were lost; the repaired one rounds the launch up. */
enum { PARTICLES = 524287, PUSHES = 100 };

static const char push_source[] =
	"kernel void push(global float *x, global float *v, int count, float dt)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i >= count)\n"
	"		return;\n"
	"	v[i] -= dt * x[i];\n"
	"	x[i] += dt * v[i];\n"
	"}\n";

static size_t group_for(const struct app *app, size_t *items)
{
	size_t group = 64;

	if (app->repaired)
		*items = (*items + group - 1) / group * group;
	while (*items % group)
		group--;
	return group;
}

void lecture_prime_width(struct app *app)
{
	size_t items = PARTICLES, group = group_for(app, &items);
	cl_mem places = filled(app, PARTICLES, 61), speeds = filled(app, PARTICLES, 62);
	cl_kernel push = kernel_of(app, push_source, "push");
	float back = 0;

	args(push, "bbif", places, speeds, PARTICLES, 0.01);
	for (int i = 0; i < PUSHES; i++)
		run(app->queue, push, items, group);
	get(app->queue, places, sizeof(back), &back);
	answer((double)back);
	DROP(push);
	DROP(places);
	DROP(speeds);
}

/* The loudest of many samples, and how loud: by one group, which has local memory for all of them,
 * or by many, whose results the host compares. */
enum { LOUD = 2 * MIB, LOUD_GROUP = 128, LOUD_GROUPS = 64, SONGS = 50 };

static const char loud_source[] =
	"kernel void loudest(global const float *v, global float *out, int count, int song,\n"
	"		    local float *most)\n"
	"{\n"
	"	int l = get_local_id(0), w = get_local_size(0);\n"
	"	float m = 0;\n"
	"	for (int i = get_global_id(0); i < count; i += get_global_size(0))\n"
	"		m = fmax(m, fabs(v[i] - 0.01f * (float)song));\n"
	"	most[l] = m;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int n = w / 2; n; n /= 2) {\n"
	"		if (l < n)\n"
	"			most[l] = fmax(most[l], most[l + n]);\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	if (!l)\n"
	"		out[get_group_id(0)] = most[0];\n"
	"}\n";

void lecture_one_block(struct app *app)
{
	size_t groups = app->repaired ? LOUD_GROUPS : 1;
	cl_mem samples = filled(app, LOUD, 71), out = buffer_new(app, LOUD_GROUPS * sizeof(float));
	cl_kernel loudest = kernel_of(app, loud_source, "loudest");
	float parts[LOUD_GROUPS], most = 0;

	for (int song = 0; song < SONGS; song++) {
		args(loudest, "bbiil", samples, out, LOUD, song, LOUD_GROUP * sizeof(float));
		run(app->queue, loudest, groups * LOUD_GROUP, LOUD_GROUP);
		get(app->queue, out, groups * sizeof(float), parts);
		for (size_t i = 0; i < groups; i++)
			most = parts[i] > most ? parts[i] : most;
	}
	answer((double)most);
	DROP(loudest);
	DROP(samples);
	DROP(out);
}

/* How long each stage of a codec takes is asked of its event, at once, or, repaired, of a
 * picture's events when the picture is done. */
enum { CODEC_STAGES = 8, BLOCKS = 32 * KIB, CODED = 300 };

static const char codec_source[] =
	"kernel void stage(global const float *from, global float *to, int which)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float v = from[i];\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		v = v * 0.8f + (float)((i >> which) & 1) * 0.1f;\n"
	"	to[i] = v;\n"
	"}\n";

struct timing {
	cl_event events[CODEC_STAGES];
	double ms[CODEC_STAGES];
};

static void timing_take(struct timing *timing, int stage)
{
	cl_ulong start, end;
	cl_event event = timing->events[stage];

	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				    NULL));
	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	timing->ms[stage] += (double)(end - start) / 1e6;
	DROP(event);
}

void lecture_stage_times(struct app *app)
{
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_mem planes[2] = {filled(app, BLOCKS, 91), filled(app, BLOCKS, 92)};
	cl_kernel stage = kernel_of(app, codec_source, "stage");
	struct timing timing = {{NULL}, {0}};
	float back = 0;

	for (int picture = 0; picture < CODED; picture++) {
		for (int i = 0; i < CODEC_STAGES; i++) {
			args(stage, "bbi", planes[i % 2], planes[(i + 1) % 2], i);
			timing.events[i] = run_after(queue, stage, BLOCKS, 64, 0, NULL);
			if (app->repaired)
				continue;
			TRY(clWaitForEvents(1, &timing.events[i]));
			timing_take(&timing, i);
		}
		if (!app->repaired)
			continue;
		TRY(clWaitForEvents(CODEC_STAGES, timing.events));
		for (int i = 0; i < CODEC_STAGES; i++)
			timing_take(&timing, i);
	}
	get(queue, planes[0], sizeof(back), &back);
	answer((double)back + (timing.ms[0] < 0));
	DROP(stage);
	DROP(planes[0]);
	DROP(planes[1]);
	DROP(queue);
}
