/* SPDX-License-Identifier: MIT */
#include "cli/report/report_fold.h"

#include <stdio.h>
#include <string.h>

#include "analysis/report/table.h"
#include "util/order/compare.h"

#define FOLD_LEAST 3u

struct fold { /* rows of one kind */
	size_t row_bytes;
	int (*by_name)(const void *a, const void *b); /* 0: one name, both may be folded */
	int (*compare)(const void *a, const void *b); /* the order of what is left */
	bool (*is_idle)(const void *row);
	void (*add)(void *sum, const void *row);
	const char *things;
	size_t name_offset;
};

/* "NAME, N THINGS" */
static const char *folded_name(struct arena *arena, const char *name, size_t count,
			       const char *things)
{
	size_t bytes = strlen(name) + strlen(things) + 32;
	char *text = arena_alloc(arena, bytes);

	if (!text)
		return name;
	snprintf(text, bytes, "%s, %zu %s", name, count, things);
	return text;
}

static void *fold(const struct fold *fold, const void *from, size_t from_count, struct arena *arena,
		  size_t *count)
{
	size_t bytes = fold->row_bytes, same;
	char *rows = arena_alloc(arena, (from_count + 1) * bytes), *kept = rows;

	if (!rows)
		return NULL;
	if (from_count)
		memcpy(rows, from, from_count * bytes);
	table_sort(rows, from_count, bytes, fold->by_name);
	for (size_t i = 0; i < from_count; i += same) {
		char *first = rows + i * bytes;
		const char **name = (void *)(kept + fold->name_offset);

		same = 1;
		while (i + same < from_count && fold->is_idle(first) &&
		       !fold->by_name(first, first + same * bytes))
			same++;
		if (same < FOLD_LEAST) {
			memmove(kept, first, same * bytes);
			kept += same * bytes;
			continue;
		}
		memmove(kept, first, bytes);
		for (size_t k = 1; k < same; k++)
			fold->add(kept, first + k * bytes);
		*name = folded_name(arena, *name, same, fold->things);
		kept += bytes;
	}
	*count = (size_t)(kept - rows) / bytes;
	table_sort(rows, *count, bytes, fold->compare);
	return rows;
}

static bool process_is_idle(const void *row_of)
{
	const struct report_process *row = row_of;

	return !row->calls && !row->operations;
}

static int process_by_name(const void *a, const void *b)
{
	const struct report_process *left = a, *right = b;

	return COMPARE(process_is_idle(left), process_is_idle(right))
		       ?: strcmp(left->name, right->name);
}

static int process_compare(const void *a, const void *b)
{
	const struct report_process *left = a, *right = b;

	return COMPARE(process_is_idle(left), process_is_idle(right))
	       ?: COMPARE(right->running_ns + right->executing_ns + right->api_ns,
			  left->running_ns + left->executing_ns + left->api_ns)
	       ?: COMPARE(left->process, right->process);
}

static void process_add(void *sum_of, const void *row_of)
{
	struct report_process *sum = sum_of;
	const struct report_process *row = row_of;

	sum->process = 0;
	sum->threads += row->threads;
	sum->running_ns += row->running_ns;
	sum->system_ns += row->system_ns;
	sum->wait_cpu_ns += row->wait_cpu_ns;
	sum->wait_blocked_ns += row->wait_blocked_ns;
	sum->unknown_ns += row->unknown_ns;
	sum->switches += row->switches;
	sum->migrations += row->migrations;
}

struct report_process *report_fold_processes(const struct report *report, struct arena *arena,
					     size_t *count)
{
	static const struct fold processes = {
		.row_bytes = sizeof(struct report_process),
		.by_name = process_by_name,
		.compare = process_compare,
		.is_idle = process_is_idle,
		.add = process_add,
		.things = "processes",
		.name_offset = offsetof(struct report_process, name),
	};

	return fold(&processes, report->process, report->process_count, arena, count);
}

static bool thread_is_idle(const void *row_of)
{
	const struct report_thread *row = row_of;

	return !row->calls && !row->events;
}

/* 0: a process's first thread, which has its number. Those of programs that a shell started
 * are of one kind. */
static uint64_t thread_process(const struct report_thread *row)
{
	return row->process == row->thread ? 0 : row->process;
}

static int thread_by_name(const void *a, const void *b)
{
	const struct report_thread *left = a, *right = b;

	return COMPARE(thread_is_idle(left), thread_is_idle(right))
	       ?: COMPARE(thread_process(left), thread_process(right))
	       ?: strcmp(left->name, right->name);
}

static int thread_compare(const void *a, const void *b)
{
	const struct report_thread *left = a, *right = b;

	return COMPARE(right->api_ns, left->api_ns)
	       ?: COMPARE(right->running_ns, left->running_ns)
	       ?: COMPARE(left->process, right->process)
	       ?: COMPARE(left->thread, right->thread);
}

static void thread_add(void *sum_of, const void *row_of)
{
	struct report_thread *sum = sum_of;
	const struct report_thread *row = row_of;

	if (sum->process != row->process)
		sum->process = 0;
	sum->thread = 0;
	sum->running_ns += row->running_ns;
	sum->system_ns += row->system_ns;
	sum->wait_cpu_ns += row->wait_cpu_ns;
	sum->wait_blocked_ns += row->wait_blocked_ns;
	sum->unknown_ns += row->unknown_ns;
	sum->switches += row->switches;
	sum->migrations += row->migrations;
}

struct report_thread *report_fold_threads(const struct report *report, struct arena *arena,
					  size_t *count)
{
	static const struct fold threads = {
		.row_bytes = sizeof(struct report_thread),
		.by_name = thread_by_name,
		.compare = thread_compare,
		.is_idle = thread_is_idle,
		.add = thread_add,
		.things = "threads",
		.name_offset = offsetof(struct report_thread, name),
	};

	return fold(&threads, report->thread, report->thread_count, arena, count);
}
