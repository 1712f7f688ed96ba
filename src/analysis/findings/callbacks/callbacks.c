/* SPDX-License-Identifier: MIT */
/* Functions of the program's that the runtime calls when a command has ended, and that take so
 * long that the runtime's thread, which has other commands to see to, is held up. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/callbacks/host_functions.h"
#include "analysis/findings/finding.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

/* Fewer are no habit; shorter ones than this do what a callback is for. */
#define HABIT_COUNT 4u
#define HEAVY_NS 50000u

/* So little of their time is saved at least. */
#define LEAST_PART 20u

struct callback_row { /* of a process, and the call that the program made them known by */
	const struct tandem_event *api;
	uint32_t process, stream;
	uint64_t count, ns, longest_ns;
	int64_t begin_ns, end_ns; /* of the longest */
	int64_t from_ns, to_ns;	  /* of all */
};

struct callbacks {
	struct host_functions functions;
	struct callback_row *rows;
	size_t count, capacity;
};

static struct callback_row *row_find(struct callbacks *callbacks, uint32_t process,
				     const struct tandem_event *api)
{
	for (size_t i = 0; i < callbacks->count; i++) {
		if (callbacks->rows[i].process == process && callbacks->rows[i].api == api)
			return &callbacks->rows[i];
	}
	if (array_reserve(&callbacks->rows, &callbacks->capacity, callbacks->count + 1,
			  sizeof(*callbacks->rows)))
		return NULL;
	callbacks->rows[callbacks->count] = (struct callback_row){.api = api, .process = process};
	return &callbacks->rows[callbacks->count++];
}

static int callbacks_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct callbacks *callbacks = state;
	const struct trace_event *event = item->event;
	struct callback_row *row;
	uint64_t ns;

	if (item->kind == ITEM_OPERATION)
		return host_functions_operation(&callbacks->functions, &item->operation);
	if (item->kind != ITEM_CALL)
		return 0;
	if (event->layout->event->class != TANDEM_CLASS_CALLBACK)
		return host_functions_call(&callbacks->functions, event, item->end_ns);
	if (item->end_ns < event->ns)
		return 0;
	row = row_find(callbacks, event->stream->process->index, event->layout->event);
	if (!row)
		return -ENOMEM;
	ns = (uint64_t)(item->end_ns - event->ns);
	if (!row->count++)
		row->from_ns = event->ns;
	if (item->end_ns > row->to_ns)
		row->to_ns = item->end_ns;
	row->ns += ns;
	if (ns >= row->longest_ns) {
		row->longest_ns = ns;
		row->stream = event->stream->index;
		row->begin_ns = event->ns;
		row->end_ns = item->end_ns;
	}
	return graph_remove(findings->graph, item->call, GRAPH_CALLBACK);
}

/* A thread that does all of that work instead has that much to do from the first to the last: it
 * may be late by as much as it gains. Still, the driver is free. */
static uint64_t most_ns(const struct callback_row *row)
{
	uint64_t span_ns = (uint64_t)(row->to_ns - row->from_ns);
	uint64_t least_ns = row->ns / LEAST_PART;

	return span_ns > row->ns + least_ns ? span_ns - row->ns : least_ns;
}

static int add_row(struct findings *findings, const struct callback_row *row)
{
	char count[UNITS_BYTES], all[UNITS_BYTES], each[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "callbacks", "heavy");
	const char *set = trace_session_event_domain(findings->session, row->api)->set_callback;

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->ns;
	finding->removes = GRAPH_CALLBACK;
	finding->most_ns = most_ns(row);
	finding->object = row->api->name;
	finding->what = findings_text(
		findings,
		"%s callbacks%s%s%s took %s (mean %s): the driver's thread that ran them started "
		"and completed no other command at that time",
		units_count(count, row->count), *set ? " (" : "", set, *set ? ")" : "",
		units_ns(all, (double)row->ns),
		units_ns(each, (double)row->ns / (double)row->count));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = findings_text(
		findings,
		"the callbacks were recorded; that the next command, or the wait, followed from the "
		"end of one is assumed where it came right after it; a thread that does all of that "
		"work instead is busy for %s",
		all);
	finding->suggestion =
		"only take note in the callback (a flag, a condition variable), and do "
		"the work in a thread of the program's own";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

static int callbacks_end(struct findings *findings, void *state)
{
	const struct callbacks *callbacks = state;
	int status = 0;

	for (size_t i = 0; !status && i < callbacks->count; i++) {
		const struct callback_row *row = &callbacks->rows[i];

		if (row->count >= HABIT_COUNT && row->ns >= row->count * HEAVY_NS)
			status = add_row(findings, row);
	}
	return status ? status : host_functions_add(&callbacks->functions, findings);
}

static void callbacks_release(struct findings *findings, void *state)
{
	struct callbacks *callbacks = state;

	(void)findings;
	host_functions_free(&callbacks->functions);
	free(callbacks->rows);
}

const struct finding_ops finding_callbacks = {
	.name = "callbacks",
	.words = "callbacks of the program's that hold up the driver",
	.state_bytes = sizeof(struct callbacks),
	.graph = true,
	.item = callbacks_item,
	.end = callbacks_end,
	.release = callbacks_release,
};
