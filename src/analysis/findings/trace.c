/* SPDX-License-Identifier: MIT */
/* The trace itself: what is missing in it, how far device times can be off, and
 * what recording cost. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "analysis/stats/histogram.h"
#include "schema/control.h"
#include "trace/field.h"
#include "util/units.h"

/* A clock's bound that is so many times as wide as the device's median command
 * leaves the places of its commands in doubt. */
#define WIDE_TIMES 10.0

/* Below which share of calls that follow each other without a pause the time
 * between two of them lies: what recording a call takes, and little else. */
#define COST_PERCENTILE 0.05

/* No machine is so slow: the figure is wrong. */
#define COST_MOST_NS 1e6

/* Of the run; less is not worth the words. */
#define LONGER_PART 0.05

/* So many calls tell something. */
#define COST_CALLS 100u

struct trace_thread {	/* of a stream */
	int64_t end_ns; /* of its latest call */
	bool any;
};

struct trace_state {
	struct trace_thread *threads;
	struct histogram between; /* ns from the end of a call to the begin of the next */
	struct histogram *times;  /* of commands, by row of devices */
	struct histogram *bounds;
	size_t device_count;
	uint64_t operations;
	uint64_t untimed; /* of these */
	uint64_t not_causal;
};

static int trace_begin(struct findings *findings, void *state)
{
	struct trace_state *trace = state;

	trace->threads = calloc(findings->session->stream_count + 1, sizeof(*trace->threads));
	trace->device_count = findings->iterator->devices.count + 1;
	trace->times = calloc(trace->device_count, sizeof(*trace->times));
	trace->bounds = calloc(trace->device_count, sizeof(*trace->bounds));
	return trace->threads && trace->times && trace->bounds ? 0 : -ENOMEM;
}

/* A queue without device times is not followed at all. A call that only notes a
 * command down, as those of a graph, makes none. */
static bool is_untimed(const struct findings *findings, const struct trace_event *event)
{
	const struct trace_objects *objects = &findings->iterator->devices.objects;
	const struct tandem_field *field;
	uint32_t queue;

	if (event->layout->event->class != TANDEM_CLASS_ENQUEUE || trace_event_op(event) ||
	    trace_event_failed(event))
		return false;
	field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	if (!field)
		return false;
	queue = trace_objects_queue(objects, event->stream->process->index,
				    (uint32_t)trace_field_unsigned(event, field));
	return queue != TRACE_NONE && (objects->queues[queue].timing == TANDEM_TIMING_off ||
				       objects->queues[queue].timing == TANDEM_TIMING_unavailable);
}

static int count_call(struct findings *findings, struct trace_state *trace,
		      const struct event_item *item)
{
	struct trace_thread *thread = &trace->threads[item->event->stream->index];
	/* Behind a call that never returned, nothing is between. */
	int64_t between = thread->any ? item->event->ns - thread->end_ns : 0;
	bool follows = between > 0;

	thread->any = item->end_ns != INT64_MIN;
	thread->end_ns = item->end_ns;
	trace->untimed += is_untimed(findings, item->event);
	return follows ? histogram_add(&trace->between, (uint64_t)between) : 0;
}

static int count_command(struct trace_state *trace, const struct operation *operation)
{
	trace->operations++;
	/* One that failed ran for no time; errors tell of it. */
	trace->untimed += !operation->timed && operation->record->status >= 0;
	trace->not_causal += operation->timed && !operation->placed;
	if (!operation->placed || operation->device >= trace->device_count)
		return 0;
	trace->not_causal += !operation->times.causal;
	if (histogram_add(&trace->times[operation->device],
			  operation->record->end - operation->record->start))
		return -ENOMEM;
	return histogram_add(&trace->bounds[operation->device], operation->times.bound_ns);
}

static int trace_item(struct findings *findings, void *state, const struct event_item *item)
{
	if (item->kind == ITEM_CALL)
		return count_call(findings, state, item) ? -ENOMEM : 0;
	if (item->kind == ITEM_OPERATION)
		return count_command(state, &item->operation) ? -ENOMEM : 0;
	return 0;
}

static int add_losses(struct findings *findings)
{
	static const char *const words[] = {
#define X(name, loss_words) loss_words,
		TANDEM_LOSSES(X)
#undef X
	};
	char number[UNITS_BYTES];

	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++) {
		struct finding *finding;

		if (!findings->session->lost[i])
			continue;
		finding = findings_add(findings, "trace", "losses");
		if (!finding)
			return -ENOMEM;
		finding->always_report = true;
		finding->count = findings->session->lost[i];
		finding->what = findings_text(findings, "%s events are missing: %s",
					      units_count(number, finding->count), words[i]);
		finding->why = "they were counted while recording";
		finding->suggestion =
			i == TANDEM_LOSS_disk_full || i == TANDEM_LOSS_io_error
				? "record to another disk (-o), or record less (--args none)"
			: i == TANDEM_LOSS_size_limit
				? "raise --limit-size, or record less (--args none)"
				: "what is shown holds for what was recorded";
	}
	return 0;
}

static int add_untimed(struct findings *findings, const struct trace_state *trace)
{
	struct finding *finding;
	char number[UNITS_BYTES];

	if (!trace->untimed)
		return 0;
	finding = findings_add(findings, "trace", "untimed");
	if (!finding)
		return -ENOMEM;
	finding->always_report = true;
	finding->count = trace->untimed;
	finding->what = findings_text(findings,
				      "%s commands have no device times: their queues could "
				      "not be profiled, or were not",
				      units_count(number, trace->untimed));
	finding->why = "the runtime gave none";
	finding->suggestion = "record with --device-timing on; `tandem report` names the queues";
	return 0;
}

/* Listed with what costs nothing: findings that rest on it say so by themselves. */
static int add_unscheduled(struct findings *findings)
{
	struct finding *finding;

	if (findings->waits->any || !findings->iterator->calls)
		return 0;
	finding = findings_add(findings, "trace", "scheduler");
	if (!finding)
		return -ENOMEM;
	finding->what =
		"the scheduler was not recorded: who had a thread's CPU, and whether it slept "
		"or computed outside of calls, is not recorded";
	finding->why = "there are no records of it";
	finding->suggestion =
		"record with --kernel sched, where that is permitted (`tandem doctor`)";
	return 0;
}

static int add_clock(struct findings *findings, const struct trace_state *trace, uint32_t device)
{
	uint64_t bound = histogram_percentile(&trace->bounds[device], 0.5);
	uint64_t time = histogram_percentile(&trace->times[device], 0.5);
	char off[UNITS_BYTES], long_as[UNITS_BYTES];
	struct finding *finding;

	if (!trace->times[device].count || (double)bound <= WIDE_TIMES * (double)time)
		return 0;
	finding = findings_add(findings, "trace", "clock");
	if (!finding)
		return -ENOMEM;
	finding->always_report = true;
	finding->count = trace->times[device].count;
	finding_device(findings, finding, device);
	finding->what =
		bound == CLOCKFIT_UNBOUNDED
			? findings_text(findings, "the timestamp error of this device is unknown")
			: findings_text(findings,
					"this device's host-clock alignment is ±%s; its "
					"median command takes %s",
					units_ns(off, (double)bound),
					units_ns(long_as, (double)time));
	finding->why = "clock-sync error bound";
	finding->suggestion =
		"durations are unaffected; gaps and waits against the host are in doubt";
	return 0;
}

static int add_causality(struct findings *findings, const struct trace_state *trace)
{
	struct finding *finding;
	char number[UNITS_BYTES];

	if (!trace->not_causal)
		return 0;
	finding = findings_add(findings, "trace", "causality");
	if (!finding)
		return -ENOMEM;
	finding->always_report = true;
	finding->count = trace->not_causal;
	finding->what = findings_text(findings,
				      "the device timestamps of %s commands contradict their "
				      "calls or the time of their recorded completion",
				      units_count(number, trace->not_causal));
	finding->why = "no relation of the clocks satisfies them";
	finding->suggestion =
		"do not trust where these commands are shown; `tandem sql` finds them: device_ops "
		"WHERE causal = 0";
	return 0;
}

/* The recorder measured what a call costs at least. A session that does not say has
 * consecutive calls: they are as far apart as it takes to record
 * one, and a little of the program's own. */
static double cost_each(const struct findings *findings, const struct trace_state *trace)
{
	double measured = findings->session->run.record_floor_ns;

	if (measured > 0 && measured < COST_MOST_NS)
		return measured;
	return trace->between.count < COST_CALLS
		       ? 0
		       : (double)histogram_percentile(&trace->between, COST_PERCENTILE);
}

/* For which a thread of the program waited, as for room in a file: the one that did the longest.
 * Returns 0 or -ENOMEM. */
static int find_waited(const struct findings *findings, uint64_t *most_ns)
{
	const struct waits *waits = findings->waits;
	uint64_t *by_thread = calloc(waits->thread_count + 1, sizeof(*by_thread));

	*most_ns = 0;
	if (!by_thread)
		return -ENOMEM;
	for (size_t i = 0; waits->any && i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];

		if (row->state != STATE_WAIT_BLOCKED || !waits_is_recorder(waits, row->by_name))
			continue;
		by_thread[row->thread] += row->ns;
		if (by_thread[row->thread] > *most_ns)
			*most_ns = by_thread[row->thread];
	}
	free(by_thread);
	return 0;
}

static int add_cost(struct findings *findings, const struct trace_state *trace)
{
	const struct trace_run *run = &findings->session->run;
	double each = cost_each(findings, trace);
	uint64_t records = findings->iterator->calls + trace->operations;
	char call[UNITS_BYTES], calls[UNITS_BYTES], recorder[UNITS_BYTES], all[UNITS_BYTES];
	uint64_t longer = findings->graph ? findings->graph->saved_ns[GRAPH_RECORDING] : 0;
	struct finding *finding;
	uint64_t waited;

	if (!(each > 0) || !records)
		return 0;
	if (find_waited(findings, &waited))
		return -ENOMEM;
	finding = findings_add(findings, "trace", "recording");
	if (!finding)
		return -ENOMEM;
	finding->count = findings->iterator->calls;
	finding->cost_ns = (uint64_t)(each * (double)records) + waited;
	if (finding->cost_ns < longer)
		finding->cost_ns = longer;
	finding->what = findings_text(findings, "recording %s call%s%s%s%s took at least %s each",
				      units_count(calls, findings->iterator->calls),
				      findings->iterator->calls == 1 ? "" : "s",
				      trace->operations ? " and " : "",
				      trace->operations ? units_count(all, trace->operations) : "",
				      !trace->operations       ? ""
				      : trace->operations == 1 ? " completion"
							       : " completions",
				      units_ns(call, each));
	if (run->recorder_cpu_ns)
		finding->what = findings_text(findings, "%s; the recorder used %s of CPU time",
					      finding->what,
					      units_ns(recorder, (double)run->recorder_cpu_ns));
	if (waited)
		finding->what = findings_text(findings, "%s; one thread waited %s for the recorder",
					      finding->what, units_ns(all, (double)waited));
	if (longer > LONGER_PART * (double)findings->duration_ns)
		finding->what = findings_text(
			findings,
			"%s; the runtime's own tracing, what --args full reads, and the "
			"scheduler's records made the run some %s longer",
			finding->what, units_ns(all, (double)longer));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		run->record_floor_ns > 0
			? "two readings of the clock and a record stored, measured on this "
			  "machine at the end of the run; doc/OVERHEAD.md lists further costs"
			: "measured in this run, between consecutive calls";
	finding->suggestion = "--args none records less of each call, --domains fewer calls";
	return 0;
}

static int trace_end(struct findings *findings, void *state)
{
	struct trace_state *trace = state;
	int status = add_losses(findings);

	if (!status)
		status = add_untimed(findings, trace);
	if (!status)
		status = add_unscheduled(findings);
	for (uint32_t i = 0; !status && i < trace->device_count; i++)
		status = add_clock(findings, trace, i);
	if (!status)
		status = add_causality(findings, trace);
	return status ? status : add_cost(findings, trace);
}

static void trace_release(struct findings *findings, void *state)
{
	struct trace_state *trace = state;

	(void)findings;
	histogram_free(&trace->between);
	for (size_t i = 0; i < trace->device_count; i++) {
		if (trace->times)
			histogram_free(&trace->times[i]);
		if (trace->bounds)
			histogram_free(&trace->bounds[i]);
	}
	free(trace->times);
	free(trace->bounds);
	free(trace->threads);
}

const struct finding_ops finding_trace = {
	.name = "trace",
	.words = "what is missing in the trace, and what recording cost",
	.state_bytes = sizeof(struct trace_state),
	.waits = true,
	.begin = trace_begin,
	.item = trace_item,
	.items = 1u << ITEM_CALL | 1u << ITEM_OPERATION,
	.end = trace_end,
	.release = trace_release,
};
