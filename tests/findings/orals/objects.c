/* SPDX-License-Identifier: MIT */
/* Objects that are made and released in a loop. */
#include "orals.h"

/* A database that sorts: each query has its scratch from the driver. */

void oral_sort_scratch(struct app *app)
{
	enum { ITEMS = 1 << 14, SCRATCH = 16 * MIB, QUERIES = 40 };
	static float keys[ITEMS];
	cl_mem column = buffer_new(app, sizeof(keys)), scratch = NULL;
	cl_kernel sort =
		kernel_of(app,
			  "kernel void sort(global float *v, global float *s, int stride)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	s[i * stride] = v[i] * 0.5f;\n"
			  "	v[i] = s[i * stride] + 0.25f;\n"
			  "}\n",
			  "sort");
	double sum = 0;

	for (int query = 0; query < QUERIES; query++) {
		if (!scratch)
			scratch = buffer_new(app, SCRATCH);
		refill(keys, ITEMS, query);
		put(app->queue, column, sizeof(keys), keys);
		args(sort, "bbi", column, scratch, SCRATCH / 4 / ITEMS);
		run(app->queue, sort, ITEMS, 64);
		get(app->queue, column, sizeof(keys), keys);
		sum += total(keys, ITEMS);
		if (!app->repaired) {
			DROP(scratch);
			scratch = NULL;
		}
	}
	if (scratch)
		DROP(scratch);
	answer(sum);
	DROP(sort);
	DROP(column);
}
