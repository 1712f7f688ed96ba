/* SPDX-License-Identifier: MIT */
/* A profiler of a page, for any program of OpenCL or CUDA: how often each function was called and
 * how long that took, and the same of what devices did.
 *
 *	LD_PRELOAD=./libprofile.so PROGRAM
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tandem/tracer.h>

#define ROWS 1024u

static struct row {
	const char *name;
	uint32_t kind;
	uint64_t count, ns;
} rows[ROWS];

static tandem_tracer_pool_t pool;

/* In the pool's thread alone. Names of functions and kernels stay where they are. */
static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	for (const struct tandem_tracer_record *record = begin; record < end;
	     record = (const void *)((const char *)record + record->struct_size)) {
		const char *name =
			record->name[0]
				? record->name
				: tandem_tracer_op_string(record->domain, record->kind, record->op);

		for (struct row *row = rows; row < rows + ROWS; row++) {
			if (row->name && (row->name != name || row->kind != record->kind))
				continue;
			row->name = name;
			row->kind = record->kind;
			row->count++;
			row->ns += record->end_ns - record->begin_ns;
			break;
		}
	}
}

static int by_time(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return a->ns < b->ns ? 1 : a->ns > b->ns ? -1 : 0;
}

static void print(void)
{
	tandem_tracer_pool_close(pool);
	qsort(rows, ROWS, sizeof(rows[0]), by_time);
	fprintf(stderr, "%12s %10s  %s\n", "total us", "calls", "name");
	for (struct row *row = rows; row < rows + ROWS && row->name; row++)
		fprintf(stderr, "%12.1f %10llu  %s%s\n", (double)row->ns / 1000,
			(unsigned long long)row->count, row->name,
			row->kind == TANDEM_TRACER_OPERATION ? " (device)" : "");
}

__attribute__((constructor)) static void begin(void)
{
	static const char *const domains[] = {"opencl", "cuda", "cudart"};
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered};
	struct tandem_tracer *tracer;

	if (tandem_tracer_create(&tracer) || tandem_tracer_pool_open(&properties, &pool)) {
		fprintf(stderr, "profile: %s\n", tandem_tracer_error());
		return;
	}
	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
		tandem_tracer_activity_enable(tracer, (uint32_t)tandem_tracer_domain(domains[i]),
					      TANDEM_TRACER_ALL, TANDEM_TRACER_ALL, pool);
	atexit(print);
}
