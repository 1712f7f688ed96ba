/* SPDX-License-Identifier: MIT */
#include "analysis/report/host/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/table.h"
#include "trace/field.h"
#include "util/order/compare.h"

int calls_init(struct calls *calls, struct trace_session *session)
{
	memset(calls, 0, sizeof(*calls));
	calls->session = session;
	calls->range = RANGE_WHOLE;
	calls->whole = true;
	calls->end_ns = session->start_ns + (int64_t)trace_session_duration_ns(session);
	calls->row_count = session->event_count;
	calls->rows = calloc(calls->row_count + 1, sizeof(*calls->rows));
	calls->threads = calloc(session->stream_count + 1, sizeof(*calls->threads));
	if (!calls->rows || !calls->threads) {
		calls_free(calls);
		return -ENOMEM;
	}
	return 0;
}

static int add_error(struct calls *calls, const struct trace_event *event)
{
	uint64_t key = (uint64_t)event->layout->index << 32 | (uint32_t)trace_event_result(event);
	uint64_t count = map_get(&calls->errors, key);

	calls->rows[event->layout->index].errors++;
	calls->threads[event->stream->index].errors++;
	return map_set(&calls->errors, key, count == MAP_NONE ? 1 : count + 1);
}

/* It goes on to the end, and so belongs to every range that it began before. */
static int add_open(struct calls *calls, const struct trace_event *event)
{
	bool counts = calls_in_range(calls, event);

	calls->threads[event->stream->index].calls += counts;
	calls->rows[event->layout->index].open += counts;
	if (event->ns >= calls->range.to_ns)
		return 0;
	calls->rows[event->layout->index].within_ns +=
		range_within(&calls->range, event->ns, calls->end_ns);
	calls->open_total++;
	if (calls->open_count < REPORT_OPEN_CALLS)
		calls->open[calls->open_count++] =
			(struct call_open){event->layout->event, event->stream, event->ns};
	return 0;
}

static bool is_api(uint8_t class)
{
	return class != TANDEM_CLASS_TASK && class != TANDEM_CLASS_CALLBACK;
}

static inline __attribute__((always_inline)) int add_ended(struct calls *calls,
							   const struct trace_event *event)
{
	struct call_row *row = &calls->rows[event->layout->index];
	struct call_thread *thread = &calls->threads[event->stream->index];
	uint64_t ns = (uint64_t)(event->end_ns - event->ns);

	if (!histogram_try(&row->times, ns))
		return 1;
	thread->calls++;
	/* What a layer above does in its tasks is in the calls within; a callback is the
	 * program's own work. */
	if (is_api(event->layout->class))
		thread->api_ns += ns;
	batches_add(&row->batches, ns);
	return __builtin_expect(trace_event_failed(event), 0) ? add_error(calls, event) : 0;
}

/* A call of a new length, an open one, or of a part of the run. */
static int __attribute__((noinline)) add_any(struct calls *calls, const struct trace_event *event)
{
	struct call_row *row = &calls->rows[event->layout->index];
	uint64_t ns = (uint64_t)(event->end_ns - event->ns);

	if (!event->end_ticks)
		return add_open(calls, event);
	if (!calls->whole)
		row->within_ns += range_within(&calls->range, event->ns, event->end_ns);
	if (!calls_in_range(calls, event))
		return 0;
	if (!row->times.pages[histogram_page(ns)] &&
	    histogram_grow(&row->times, histogram_page(ns)))
		return -ENOMEM;
	return add_ended(calls, event);
}

int calls_add(struct calls *calls, const struct trace_event *event)
{
	int status = calls->whole && event->end_ticks ? add_ended(calls, event) : 1;

	return __builtin_expect(status <= 0, 1) ? status : add_any(calls, event);
}

static const char *event_domain(const struct calls *calls, const struct tandem_event *event)
{
	return trace_session_event_domain(calls->session, event)->name;
}

static int api_compare(const void *a, const void *b)
{
	const struct report_api *left = a, *right = b;

	return COMPARE(right->times.total_ns, left->times.total_ns)
	       ?: COMPARE(right->within_ns, left->within_ns)
	       ?: strcmp(left->name, right->name);
}

static bool row_empty(const struct call_row *row)
{
	return !row->times.count && !row->open && !row->within_ns;
}

static int finish_api(struct calls *calls, struct report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < calls->row_count; i++)
		count += !row_empty(&calls->rows[i]);
	report->api = arena_alloc(&report->arena, count * sizeof(*report->api));
	if (!report->api)
		return -ENOMEM;
	for (size_t i = 0; i < calls->row_count; i++) {
		const struct tandem_event *event =
			trace_session_event_at(calls->session, (unsigned)i);
		const struct call_row *row = &calls->rows[i];

		if (row_empty(row))
			continue;
		report->calls += row->times.count + row->open;
		if (is_api(event->class))
			report->api_ns += row->times.sum;
		report->api[report->api_count++] = (struct report_api){
			.domain = event_domain(calls, event),
			.name = event->name,
			.calls = row->times.count + row->open,
			.errors = row->errors,
			.open = row->open,
			.within_ns = row->within_ns + (calls->whole ? row->times.sum : 0),
			.times = table_times(&row->times),
			.index = (unsigned)i,
			.batches = row->batches,
		};
	}
	for (size_t i = 0; i < report->api_count; i++)
		report->api[i].percent =
			table_percent(report->api[i].times.total_ns, report->api_ns);
	table_sort(report->api, report->api_count, sizeof(*report->api), api_compare);
	return 0;
}

static int error_compare(const void *a, const void *b)
{
	const struct report_error *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	if (left->name != right->name)
		return strcmp(left->name, right->name);
	return COMPARE(left->code, right->code);
}

static int finish_errors(struct calls *calls, struct report *report)
{
	uint64_t key, count;
	size_t at = 0;

	report->errors = arena_alloc(&report->arena, calls->errors.count * sizeof(*report->errors));
	if (!report->errors)
		return -ENOMEM;
	while (map_next(&calls->errors, &at, &key, &count)) {
		const struct tandem_event *event =
			trace_session_event_at(calls->session, (unsigned)(key >> 32));
		int32_t code = (int32_t)(uint32_t)key;
		const char *name = trace_name_find(event->results, code);

		report->errors[report->error_count++] = (struct report_error){
			event_domain(calls, event), event->name, code, name ? name : "", count};
	}
	table_sort(report->errors, report->error_count, sizeof(*report->errors), error_compare);
	return 0;
}

static int thread_same(const void *a, const void *b)
{
	const struct report_thread *left = a, *right = b;

	return COMPARE(left->process, right->process) ?: COMPARE(left->thread, right->thread);
}

static int thread_compare(const void *a, const void *b)
{
	const struct report_thread *left = a, *right = b;

	return COMPARE(right->api_ns, left->api_ns) ?: thread_same(a, b);
}

/* A thread may have had several streams one after another. */
static void join_threads(struct report *report)
{
	struct report_thread *rows = report->thread;
	size_t kept = 0;

	table_sort(rows, report->thread_count, sizeof(*rows), thread_same);
	for (size_t i = 1; i < report->thread_count; i++) {
		if (thread_same(&rows[kept], &rows[i])) {
			rows[++kept] = rows[i];
			continue;
		}
		rows[kept].calls += rows[i].calls;
		rows[kept].errors += rows[i].errors;
		rows[kept].api_ns += rows[i].api_ns;
		rows[kept].events += rows[i].events;
	}
	if (report->thread_count)
		report->thread_count = kept + 1;
	table_sort(rows, report->thread_count, sizeof(*rows), thread_compare);
}

static int finish_threads(struct calls *calls, struct report *report)
{
	const struct trace_session *session = calls->session;

	report->thread =
		arena_alloc(&report->arena, session->stream_count * sizeof(*report->thread));
	if (!report->thread)
		return -ENOMEM;
	for (size_t i = 0; i < session->traced_count; i++) {
		const struct trace_process *process = &session->processes[i];
		const char *process_name = table_string(report, process->name);

		for (size_t j = 0; j < process->stream_count; j++) {
			const struct trace_stream *stream = &process->streams[j];
			const struct call_thread *thread = &calls->threads[stream->index];

			if (!stream->packets)
				continue;
			report->thread[report->thread_count++] = (struct report_thread){
				.process = process->pid,
				.thread = stream->tid,
				.process_name = process_name,
				.name = table_string(report, stream->thread_name),
				.calls = thread->calls,
				.errors = thread->errors,
				.api_ns = thread->api_ns,
				.events = thread->calls + thread->others,
			};
		}
	}
	join_threads(report);
	report->threads = report->thread_count;
	return 0;
}

static int finish_open(struct calls *calls, struct report *report)
{
	report->open_calls_total = calls->open_total;
	report->open_calls =
		arena_alloc(&report->arena, calls->open_count * sizeof(*report->open_calls));
	if (!report->open_calls)
		return -ENOMEM;
	for (size_t i = 0; i < calls->open_count; i++) {
		const struct call_open *open = &calls->open[i];
		int64_t since = open->ns - calls->session->start_ns;

		report->open_calls[report->open_call_count++] = (struct report_open_call){
			.domain = event_domain(calls, open->event),
			.name = open->event->name,
			.process = open->stream->process->pid,
			.thread = open->stream->tid,
			.begin_ns = since > 0 ? (uint64_t)since : 0,
		};
	}
	return 0;
}

int calls_finish(struct calls *calls, struct report *report)
{
	int status = finish_api(calls, report);

	if (!status)
		status = finish_errors(calls, report);
	if (!status)
		status = finish_threads(calls, report);
	if (!status)
		status = finish_open(calls, report);
	return status;
}

void calls_free(struct calls *calls)
{
	for (size_t i = 0; calls->rows && i < calls->row_count; i++)
		histogram_free(&calls->rows[i].times);
	free(calls->rows);
	free(calls->threads);
	map_free(&calls->errors);
	calls->rows = NULL;
	calls->threads = NULL;
}
