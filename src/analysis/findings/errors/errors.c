/* SPDX-License-Identifier: MIT */
/* Calls that returned an error, and commands that ended in one. Where a program makes such a call again until
 * it succeeds, the error costs all the time until then; where the host does the work of a kernel that was
 * not enqueued (fallback.h), that work; where another kernel does it, or the same one in pieces
 * (other_way.h), a part of that; where it takes longer to the next kernel than after calls that succeed
 * (workaround.h), the difference. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/errors/error_row.h"
#include "analysis/findings/errors/fallback.h"
#include "analysis/findings/errors/other_way.h"
#include "analysis/findings/errors/workaround.h"
#include "analysis/findings/finding.h"
#include "analysis/operations/operation.h"
#include "trace/field.h"
#include "util/array.h"

#define SAID_BYTES 160u

/* Who makes more calls in between does something else. */
#define RETRY_CALLS 16u

struct error_retry { /* a call of this thread failed */
	size_t row;  /* + 1; 0: none is awaited */
	const struct tandem_event *api;
	uint64_t kernel; /* that it is about; 0: none */
	int64_t from_ns;
	unsigned calls; /* that it made since */
};

struct errors {
	struct error_row *rows;
	size_t count, capacity;
	struct error_retry *retries;	/* by stream */
	struct fallback *fallbacks;	/* same */
	struct workaround *workarounds; /* same */
	struct other_ways other_ways;
};

static int errors_begin(struct findings *findings, void *state)
{
	struct errors *errors = state;

	errors->retries = calloc(findings->session->stream_count + 1, sizeof(*errors->retries));
	errors->fallbacks = calloc(findings->session->stream_count + 1, sizeof(*errors->fallbacks));
	errors->workarounds =
		calloc(findings->session->stream_count + 1, sizeof(*errors->workarounds));
	if (other_ways_open(&errors->other_ways, findings->session->stream_count))
		return -ENOMEM;
	return errors->retries && errors->fallbacks && errors->workarounds ? 0 : -ENOMEM;
}

static struct error_row *row_known(struct errors *errors, const char *name, int32_t code,
				   bool operation)
{
	for (size_t i = 0; i < errors->count; i++) {
		struct error_row *row = &errors->rows[i];

		if (row->code == code && row->operation == operation && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

static int row_find(struct errors *errors, const char *name, int32_t code, bool operation,
		    struct error_row **row)
{
	*row = row_known(errors, name, code, operation);
	if (*row)
		return 0;
	if (array_reserve(&errors->rows, &errors->capacity, errors->count + 1,
			  sizeof(*errors->rows)))
		return -ENOMEM;
	*row = &errors->rows[errors->count++];
	**row = (struct error_row){.name = name, .code = code, .operation = operation};
	return 0;
}

/* 0: the call is about none. */
static uint64_t kernel_of(const struct trace_event *event)
{
	const struct tandem_field *kernel = trace_field_role(event->layout, TANDEM_ROLE_kernel);

	return kernel ? trace_field_unsigned(event, kernel) : 0;
}

static void note_success(struct errors *errors, const struct trace_event *event)
{
	struct error_retry *retry = &errors->retries[event->stream->index];

	if (!retry->row)
		return;
	if (event->layout->event == retry->api && kernel_of(event) == retry->kernel) {
		errors->rows[retry->row - 1].retries++;
		errors->rows[retry->row - 1].retry_ns += (uint64_t)(event->ns - retry->from_ns);
		retry->row = 0;
	} else if (++retry->calls > RETRY_CALLS) {
		retry->row = 0;
	}
}

/* The first of several in a row counts. */
static void note_failure(struct errors *errors, const struct event_item *item, size_t row)
{
	struct error_retry *retry = &errors->retries[item->event->stream->index];

	retry->calls = 0;
	if (!retry->row || retry->api != item->event->layout->event)
		*retry = (struct error_retry){
			.row = row + 1,
			.api = item->event->layout->event,
			.kernel = kernel_of(item->event),
			.from_ns = item->end_ns,
		};
}

static void note_workaround(struct errors *errors, const struct event_item *item)
{
	struct workaround *workaround = &errors->workarounds[item->event->stream->index];

	if (workaround_ended(workaround, item)) {
		struct error_row *row = &errors->rows[workaround->of];
		struct workaround_sum *sum = workaround->failed ? &row->workarounds : &row->direct;

		sum->count++;
		sum->ns += workaround->ns;
	}
	for (size_t i = 0; i < errors->count; i++) {
		if (errors->rows[i].api == item->event->layout->event)
			workaround_begin(workaround, item, i, false);
	}
}

static int count_call(struct errors *errors, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_event *api = event->layout->event;
	struct fallback *fallback = &errors->fallbacks[event->stream->index];
	struct error_row *row;

	if (!trace_event_failed(event)) {
		note_success(errors, event);
		if (fallback_ended(fallback, item)) {
			errors->rows[fallback->of].fallbacks++;
			errors->rows[fallback->of].fallback_ns += fallback->worked_ns;
			errors->rows[fallback->of].moved = fallback->moves > 0;
		}
		note_workaround(errors, item);
		return other_way_call(&errors->other_ways, item);
	}
	if (row_find(errors, api->name, trace_event_result(event), false, &row))
		return -ENOMEM;
	if (!row->count++) {
		row->api = api;
		row->names = api->results;
		row->waits = api->class == TANDEM_CLASS_WAIT;
		row->process = event->stream->process->index;
		row->stream = event->stream->index;
		row->begin_ns = event->ns;
		row->end_ns = item->end_ns;
	}
	row->ns += (uint64_t)(item->end_ns - event->ns);
	note_failure(errors, item, (size_t)(row - errors->rows));
	fallback_failed(fallback, item, (size_t)(row - errors->rows));
	workaround_begin(&errors->workarounds[event->stream->index], item,
			 (size_t)(row - errors->rows), true);
	return other_way_failed(&errors->other_ways, item, (size_t)(row - errors->rows));
}

static int count_command(struct findings *findings, struct errors *errors,
			 const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	const struct tandem_event *api = trace_session_event(findings->session, operation->api);
	struct error_row *row;

	if (operation->call && operation->stream != TRACE_NONE)
		workaround_command(&errors->workarounds[operation->stream], operation);
	if (operation->record->status >= 0)
		return other_way_command(&errors->other_ways, operation);
	if (row_find(errors, api ? api->name : operation->name, operation->record->status, true,
		     &row))
		return -ENOMEM;
	if (!row->count++) {
		row->names = api ? api->results : NULL;
		row->process = operation->process;
		row->stream = operation->stream;
		row->begin_ns = operation->call ? operation->call_begin_ns : operation->seen_ns;
		row->end_ns = operation->seen_ns;
	}
	return 0;
}

/* The log's first line with an error in it, or the first that is not empty. */
static const char *log_line(struct findings *findings, const char *log, size_t count)
{
	const char *first = NULL, *end = log + count, *next;
	int first_bytes = 0;

	for (const char *line = log; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t bytes = (size_t)((stop ? stop : end) - line);
		int shown = (int)(bytes < SAID_BYTES ? bytes : SAID_BYTES);

		next = stop ? stop + 1 : end;
		if (memmem(line, bytes, "error", strlen("error")))
			return findings_text(findings, "%.*s", shown, line);
		if (!first && bytes) {
			first = line;
			first_bytes = shown;
		}
	}
	return first ? findings_text(findings, "%.*s", first_bytes, first) : NULL;
}

/* Its call is the latest of the thread, unless it was the program's callback that was told. */
static void note_log(struct findings *findings, struct errors *errors,
		     const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_rec_build *record = (const void *)event->record;
	const struct tandem_field *log = trace_field_find(event->layout, "log");
	const struct tandem_event *api = findings->calls[event->stream->index].api;
	struct error_row *row =
		api && record->status ? row_known(errors, api->name, record->status, false) : NULL;
	const char *text;
	size_t count = 0;

	if (!row || row->said || !log)
		return;
	text = (const char *)trace_field_elements(event, log, &count);
	row->said = log_line(findings, text, count);
}

static int errors_item(struct findings *findings, void *state, const struct event_item *item)
{
	if (item->kind == ITEM_BUILD)
		note_log(findings, state, item);
	if (item->kind == ITEM_CALL)
		return count_call(state, item);
	if (item->kind == ITEM_OPERATION)
		return count_command(findings, state, item);
	return 0;
}

/* Commands of the process that ended in an error, which the wait returns; NULL: it is no such wait. */
static struct error_row *command_of(const struct errors *errors, const struct error_row *row)
{
	for (size_t i = 0; row->waits && i < errors->count; i++) {
		if (errors->rows[i].operation && errors->rows[i].process == row->process)
			return &errors->rows[i];
	}
	return NULL;
}

static void give_to_commands(const struct errors *errors)
{
	for (size_t i = 0; i < errors->count; i++) {
		const struct error_row *row = &errors->rows[i];
		struct error_row *command = command_of(errors, row);

		if (!command)
			continue;
		command->retries += row->retries;
		command->retry_ns += row->retry_ns;
	}
}

/* Of another kernel's place in the row's, or of its pieces. */
static bool find_way(const struct findings *findings, const struct errors *errors, size_t row,
		     struct other_way *way, uint64_t *ns)
{
	const struct devices *devices = &findings->iterator->devices;
	uint32_t device;

	if (!other_way_find(&errors->other_ways, row, errors->rows[row].count, way))
		return false;
	device = way->kernel->device;
	*ns = other_way_ns(way, device < devices->count ? devices->rows[device].compute_units : 0);
	/* What recording a launch takes is in the gap behind it. */
	if (way->how == OTHER_WAY_IN_PHASES) {
		int64_t each_ns = graph_recording_command(
			trace_session_event(findings->session, way->kernel->api));
		uint64_t recorded_ns =
			way->kernel->in_a_row * (uint64_t)(each_ns > 0 ? each_ns : 0);

		*ns -= recorded_ns < *ns ? recorded_ns : *ns;
	}
	return *ns > error_row_ns(&errors->rows[row]);
}

static int errors_end(struct findings *findings, void *state)
{
	struct errors *errors = state;

	give_to_commands(errors);
	for (size_t i = 0; i < errors->count; i++) {
		const struct error_row *row = &errors->rows[i];
		struct other_way way;
		uint64_t way_ns = 0;
		bool other = find_way(findings, errors, i, &way, &way_ns);
		struct finding *finding =
			error_row_report(row, findings, other ? &way : NULL, way_ns);

		if (!finding)
			return -ENOMEM;
		if (command_of(errors, row))
			finding->symptom_of = "errors: command";
	}
	return 0;
}

static void errors_release(struct findings *findings, void *state)
{
	struct errors *errors = state;

	(void)findings;
	free(errors->rows);
	free(errors->retries);
	free(errors->fallbacks);
	free(errors->workarounds);
	other_ways_free(&errors->other_ways);
}

const struct finding_ops finding_errors = {
	.name = "errors",
	.words = "calls that failed, commands that ended in an error",
	.state_bytes = sizeof(struct errors),
	.begin = errors_begin,
	.item = errors_item,
	.end = errors_end,
	.release = errors_release,
};
