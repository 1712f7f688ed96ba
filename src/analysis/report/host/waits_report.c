/* SPDX-License-Identifier: MIT */
#include "analysis/report/host/waits_report.h"

#include <errno.h>
#include <string.h>

#include "analysis/report/table.h"
#include "util/map.h"
#include "util/order/compare.h"

static void finish_api(const struct waits *waits, struct report *report)
{
	for (size_t i = 0; i < report->api_count; i++) {
		struct report_api *row = &report->api[i];
		const struct wait_function *function = &waits->functions[row->index];

		row->on_cpu_ns = function->ns[STATE_RUNNING];
		row->wait_cpu_ns = function->ns[STATE_WAIT_CPU];
		row->wait_blocked_ns = function->ns[STATE_WAIT_BLOCKED];
		row->unknown_ns = function->ns[STATE_UNKNOWN];
	}
}

static uint64_t thread_key(uint64_t process, uint64_t thread)
{
	return process << 32 | (uint32_t)thread;
}

static const char *name_of(const struct waits *waits, struct report *report, uint32_t name)
{
	return table_string(report, intern_text(&waits->states.names, name));
}

/* It was not there in the range, or nothing is known of it. */
static bool was_away(const struct wait_thread *thread)
{
	return !thread->ns[STATE_RUNNING] && !thread->ns[STATE_WAIT_CPU] &&
	       !thread->ns[STATE_WAIT_BLOCKED] && !thread->ns[STATE_UNKNOWN];
}

/* The threads that made calls have their rows; the others get one, also where the kernel
 * knew one by several numbers in turn. */
static int add_rows(const struct waits *waits, struct report *report, struct map *row_of)
{
	struct report_thread *rows = report->thread;

	for (size_t i = 0; i < report->thread_count; i++)
		if (map_set(row_of, thread_key(rows[i].process, rows[i].thread), i))
			return -ENOMEM;
	for (size_t i = 0; i < waits->thread_count; i++) {
		const struct wait_thread *thread = waits->threads[i];
		uint64_t key = thread_key(thread->thread->pid, thread->thread->local_tid);
		uint64_t known = map_get(row_of, key);
		struct report_thread *row = known == MAP_NONE ? NULL : &rows[known];

		if (!row && report->ranged && was_away(thread))
			continue;
		if (!row) {
			if (map_set(row_of, key, report->thread_count))
				return -ENOMEM;
			row = &rows[report->thread_count++];
			*row = (struct report_thread){
				.process = thread->thread->pid,
				.thread = thread->thread->local_tid,
				.process_name = name_of(
					waits, report,
					states_process_name(&waits->states, thread->thread)),
				.name = name_of(waits, report, thread->thread->name),
			};
		}
		row->running_ns += thread->ns[STATE_RUNNING];
		row->system_ns += thread->system_ns;
		row->wait_cpu_ns += thread->ns[STATE_WAIT_CPU];
		row->wait_blocked_ns += thread->ns[STATE_WAIT_BLOCKED];
		row->unknown_ns += thread->ns[STATE_UNKNOWN];
		row->switches += thread->thread->switches;
		row->migrations += thread->thread->migrations;
	}
	return 0;
}

static int finish_threads(const struct waits *waits, struct report *report)
{
	size_t with_calls = report->thread_count;
	struct report_thread *rows =
		arena_alloc(&report->arena, (with_calls + waits->thread_count) * sizeof(*rows));
	struct map row_of = {.count = 0};
	int status;

	if (!rows)
		return -ENOMEM;
	if (with_calls)
		memcpy(rows, report->thread, with_calls * sizeof(*rows));
	report->thread = rows;
	status = add_rows(waits, report, &row_of);
	map_free(&row_of);
	return status;
}

static const char *by_kind(const struct wait_row *row)
{
	if (row->by_idle)
		return "idle";
	return row->by == WAKER_THREAD	    ? "process"
	       : row->by == WAKER_INTERRUPT ? "interrupt"
					    : "unknown";
}

static const struct report_api *api_of(const struct report *report, uint32_t index)
{
	for (size_t i = 0; i < report->api_count; i++) {
		if (report->api[i].index == index)
			return &report->api[i];
	}
	return NULL;
}

static int wait_compare(const void *a, const void *b)
{
	const struct report_wait *left = a, *right = b;

	return COMPARE(right->total_ns, left->total_ns) ?: COMPARE(right->count, left->count);
}

/* Rows of the same wait are one, whatever the numbers of processes of one name are. */
static size_t rows_join(struct report_wait *rows, size_t count,
			int (*same)(const void *, const void *))
{
	size_t kept = 0;

	table_sort(rows, count, sizeof(*rows), same);
	for (size_t i = 1; i < count; i++) {
		if (same(&rows[kept], &rows[i])) {
			rows[++kept] = rows[i];
			continue;
		}
		rows[kept].total_ns += rows[i].total_ns;
		rows[kept].count += rows[i].count;
		if (rows[kept].by_process != rows[i].by_process)
			rows[kept].by_process = 0;
	}
	return count ? kept + 1 : 0;
}

static int wait_same(const void *a, const void *b)
{
	const struct report_wait *left = a, *right = b;

	return COMPARE(left->process, right->process)
	       ?: COMPARE(left->thread, right->thread)
	       ?: strcmp(left->function, right->function)
	       ?: strcmp(left->state, right->state)
	       ?: strcmp(left->by_kind, right->by_kind)
	       ?: COMPARE(left->by_others, right->by_others)
	       ?: strcmp(left->by, right->by);
}

/* Also of a process without a number, which is none of those that are watched. */
static bool is_others(const struct waits *waits, const struct wait_row *row)
{
	return row->by_pid ? map_get(&waits->states.watched, row->by_pid) == MAP_NONE
			   : !strcmp(by_kind(row), "process");
}

static int finish_rows(const struct waits *waits, struct report *report)
{
	report->waits = arena_alloc(&report->arena, waits->row_count * sizeof(*report->waits));
	if (!report->waits)
		return -ENOMEM;
	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];
		const struct states_thread *thread = waits->threads[row->thread]->thread;
		const struct report_api *api =
			row->function ? api_of(report, row->function - 1) : NULL;

		report->waits[report->wait_count++] = (struct report_wait){
			.process = thread->pid,
			.thread = thread->local_tid,
			.name = name_of(waits, report, thread->name),
			.domain = api ? api->domain : "",
			.function = api ? api->name : "",
			.state = row->state == STATE_WAIT_CPU ? "wait_cpu" : "wait_blocked",
			.wait = row->state == STATE_WAIT_CPU ? "runnable" : "blocked",
			.by_kind = by_kind(row),
			.by = row->by_idle ? "" : name_of(waits, report, row->by_name),
			.by_process = row->by_pid,
			.by_others = is_others(waits, row),
			.total_ns = row->ns,
			.count = row->count,
		};
	}
	report->wait_count = rows_join(report->waits, report->wait_count, wait_same);
	table_sort(report->waits, report->wait_count, sizeof(*report->waits), wait_compare);
	return 0;
}

static int summary_compare(const void *a, const void *b)
{
	const struct report_wait *left = a, *right = b;

	return COMPARE(left->by_others, right->by_others) ?: wait_compare(a, b);
}

static int finish_summary(struct report *report)
{
	struct report_wait *rows =
		arena_alloc(&report->arena, report->wait_count * sizeof(*report->waits));
	size_t count = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < report->wait_count; i++) {
		struct report_wait *row = &rows[count++];

		*row = report->waits[i];
		if (!*row->by)
			row->by = !strcmp(row->by_kind, "idle") ? "idle CPU" : row->by_kind;
		if (!row->by_others)
			continue;
		row->process = row->thread = 0;
		row->domain = row->function = row->name = "";
	}
	report->wait_summary = rows;
	report->wait_summary_count = rows_join(rows, count, wait_same);
	table_sort(rows, report->wait_summary_count, sizeof(*rows), summary_compare);
	while (report->own_wait_count < report->wait_summary_count &&
	       !rows[report->own_wait_count].by_others)
		report->own_wait_count++;
	return 0;
}

int waits_report_finish(const struct waits *waits, struct report *report)
{
	static const char *const scopes[] = {"none", "program", "system"};
	int status;

	report->scheduling = scopes[waits->scope < 3 ? waits->scope : 0];
	if (!waits->any)
		return 0;
	finish_api(waits, report);
	status = finish_threads(waits, report);
	if (!status)
		status = finish_rows(waits, report);
	return status ? status : finish_summary(report);
}
