/* SPDX-License-Identifier: MIT */
#include "outside.h"

static const char source[] =
	"kernel void advance(global float *x, int rounds, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i >= count)\n"
	"		return;\n"
	"	float value = x[i];\n"
	"	for (int round = 0; round < rounds; round++)\n"
	"		value = value * 0.998f + 0.001f;\n"
	"	x[i] = value;\n"
	"}\n"
	"kernel void smear(global const float *from, global float *to, int width)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	int right = get_global_size(0) - 1, low = get_global_size(1) - 1;\n"
	"	to[y * width + x] = 0.2f * (from[y * width + x] + from[y * width + max(x - 1, 0)] +\n"
	"				    from[y * width + min(x + 1, right)] +\n"
	"				    from[max(y - 1, 0) * width + x] +\n"
	"				    from[min(y + 1, low) * width + x]);\n"
	"}\n"
	"kernel void sharpen(global const float *from, global float *to, float by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	to[i] = from[i] + by * (from[i] - 0.5f);\n"
	"}\n"
	"kernel void add(global float *to, global const float *from, float by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	to[i] = to[i] * 0.5f + from[i] * by;\n"
	"}\n"
	"kernel void dot_part(global const float *a, global const float *b, global float *sums,\n"
	"		     local float *part, int each)\n"
	"{\n"
	"	size_t me = get_local_id(0), at = get_global_id(0) * each;\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		sum += a[at + i] * b[at + i];\n"
	"	part[me] = sum;\n"
	"	for (size_t near = get_local_size(0) / 2; near; near /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (me < near)\n"
	"			part[me] += part[me + near];\n"
	"	}\n"
	"	if (!me)\n"
	"		sums[get_group_id(0)] = part[0];\n"
	"}\n"
	"kernel void total(global const float *x, global float *sums, int count)\n"
	"{\n"
	"	int each = count / get_global_size(0), at = get_global_id(0) * each;\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		sum += x[at + i] * x[at + i] + 0.5f * x[at + i];\n"
	"	sums[get_global_id(0)] = sum;\n"
	"}\n"
	"kernel void remap(global const float *image, global const float *table, global float *to,\n"
	"		  global const float *look)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	to[i] = image[i] * table[i] + look[i % 1024];\n"
	"}\n"
	"kernel void scan_block(global const float *from, global float *to, global float *sums,\n"
	"		       local float *part)\n"
	"{\n"
	"	size_t me = get_local_id(0), last = get_local_size(0) - 1;\n"
	"	part[me] = from[get_global_id(0)];\n"
	"	for (size_t off = 1; off <= last; off *= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		float other = me >= off ? part[me - off] : 0;\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		part[me] += other;\n"
	"	}\n"
	"	to[get_global_id(0)] = part[me];\n"
	"	if (me == last)\n"
	"		sums[get_group_id(0)] = part[me];\n"
	"}\n"
	"kernel void scan_add(global float *to, global const float *sums)\n"
	"{\n"
	"	size_t group = get_group_id(0);\n"
	"	if (group)\n"
	"		to[get_global_id(0)] += sums[group - 1];\n"
	"}\n"
	"kernel void escape(global float *to, int width, int most)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1);\n"
	"	float a = 3.0f * x / get_global_size(0) - 2, b = 2.0f * y / get_global_size(1) - 1;\n"
	"	float p = 0, q = 0;\n"
	"	int i = 0;\n"
	"	for (; i < most && p * p + q * q < 4; i++) {\n"
	"		float r = p * p - q * q + a;\n"
	"		q = 2 * p * q + b;\n"
	"		p = r;\n"
	"	}\n"
	"	to[y * width + x] = i;\n"
	"}\n";

void free_event(cl_event *event)
{
	if (*event)
		DROP(*event);
	*event = NULL;
}

void crunch(float *data, size_t count, int rounds)
{
	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < count; i++) {
			data[i] = data[i] * 0.75f + (float)(i % 7);
			__asm__ volatile("" ::: "memory");
		}
}

/* The program is the same for all of them. */
static void outside_run(struct app *app, void (*run_of)(struct app *app))
{
	app->program = program_new(app, source, "-cl-mad-enable");
	run_of(app);
}

#define X(name)                                   \
	static void run_##name(struct app *app)   \
	{                                         \
		outside_run(app, outside_##name); \
	}
OUTSIDE(X)
#undef X

static const struct app_entry entries[] = {
#define X(name) {#name, run_##name, NULL},
	OUTSIDE(X)
#undef X
};

int main(int argc, char **argv)
{
	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
