/* SPDX-License-Identifier: MIT */
#include "analysis/findings/waiting/flags.h"

#include <errno.h>
#include <stdlib.h>

#include "util/units.h"

/* Fewer are no habit; and most of what the thread does in no call has to end so, by number or by time. */
#define HABIT_COUNT 8u
#define HABIT_PART(all) (3 * (all) / 4)

/* Less is not worth a look. */
#define STRETCH_NS 20000

/* A thread that looks at a flag all the time sees it so soon, while it has a CPU. */
#define SEEN_NS 10000

/* One that slept for more of it than this part did not only look. */
#define SLEPT_PART 8

int flags_begin(struct flags *flags, const struct trace_session *session)
{
	flags->count = session->stream_count;
	flags->threads = calloc(session->stream_count + 1, sizeof(*flags->threads));
	flags->processes = calloc(session->process_count + 1, sizeof(*flags->processes));
	if (!flags->threads || !flags->processes)
		return -ENOMEM;
	for (size_t i = 0; i < flags->count; i++)
		flags->threads[i].returned_ns = INT64_MIN;
	return 0;
}

int flags_interval(struct flags *flags, const struct wait_thread *waiter,
		   const struct states_interval *interval)
{
	struct flag_thread *thread = waiter->stream ? &flags->threads[waiter->stream - 1] : NULL;

	if (thread && interval->state == STATE_WAIT_BLOCKED)
		return recent_add(&thread->slept, interval->from, interval->to);
	if (thread && interval->state == STATE_WAIT_CPU)
		return recent_add(&thread->preempted, interval->from, interval->to);
	return 0;
}

static void callback_event(struct flag_process *process, const struct sequence_event *event)
{
	if (event->kind == SEQUENCE_CALL_BEGIN) {
		process->running++;
		process->begin_ns = event->ns;
		process->callback = event->api;
	} else {
		process->running -= process->running > 0;
		process->end_ns = event->ns;
	}
}

/* The callback goes on when its flag is seen, or has ended just now. */
static bool is_behind_callback(const struct flag_thread *thread, const struct flag_process *process,
			       int64_t ns)
{
	return process->callback && process->begin_ns > thread->returned_ns &&
	       (process->running ||
		ns - process->end_ns - recent_within(&thread->preempted, process->end_ns, ns) <
			SEEN_NS);
}

static void stretch_end(struct flag_thread *thread, const struct flag_process *process, int64_t ns)
{
	int64_t took_ns = ns - thread->returned_ns;

	if (took_ns < STRETCH_NS)
		return;
	thread->stretches++;
	thread->stretches_ns += (uint64_t)took_ns;
	if (!is_behind_callback(thread, process, ns) ||
	    recent_within(&thread->slept, thread->returned_ns, ns) > took_ns / SLEPT_PART)
		return;
	thread->count++;
	thread->ns += (uint64_t)took_ns;
	if (took_ns <= thread->end_ns - thread->begin_ns)
		return;
	thread->begin_ns = thread->returned_ns;
	thread->end_ns = ns;
	thread->callback = process->callback;
}

void flags_event(struct flags *flags, const struct sequence_event *event)
{
	struct flag_thread *thread;

	thread = &flags->threads[event->stream];
	if (event->api->class == TANDEM_CLASS_CALLBACK) {
		thread->calls_back |= !thread->depth;
		callback_event(&flags->processes[event->process], event);
		return;
	}
	if (event->kind == SEQUENCE_CALL_END) {
		thread->depth -= thread->depth > 0;
		thread->returned_ns = event->ns;
	} else if (!thread->depth++ && thread->returned_ns != INT64_MIN) {
		stretch_end(thread, &flags->processes[event->process], event->ns);
	}
}

static int add_thread(struct findings *findings, const struct flag_thread *thread, uint32_t stream)
{
	const struct tandem_domain_row *row =
		trace_session_event_domain(findings->session, thread->callback);
	uint32_t cores = devices_cpu_cores(&findings->iterator->devices);
	struct finding *finding = findings_add(findings, "waiting", "spinning");
	char count[UNITS_BYTES], all[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = thread->count;
	/* The run itself may lose nothing: a CPU does. */
	finding->always_report = true;
	finding->cost_ns = cores > 1 ? thread->ns / cores : 0;
	finding->object = thread->callback->name;
	finding->what =
		findings_text(findings,
			      "the thread ran in a loop, in no call, until a callback came, %s "
			      "times: %s of a CPU",
			      units_count(count, thread->count), units_ns(all, (double)thread->ns));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		cores > 1 ? findings_text(findings,
					  "what it did ended with a callback that came in it; "
					  "the thread kept one of the %s cores busy of which the "
					  "device consists",
					  units_count(count, cores))
			  : "what it did ended with a callback that came in it; the run loses "
			    "time by it only where others need the CPU";
	finding->suggestion =
		findings_text(findings,
			      "%s; or let the callback signal a condition variable, and "
			      "wait for that",
			      row->use_wait);
	finding_place(findings, finding, stream);
	finding_time(findings, finding, thread->begin_ns, thread->end_ns);
	return 0;
}

int flags_add(const struct flags *flags, struct findings *findings)
{
	int status = 0;

	for (uint32_t i = 0; !status && findings->waits->any && i < flags->count; i++) {
		const struct flag_thread *thread = &flags->threads[i];

		if (!thread->calls_back && thread->count >= HABIT_COUNT &&
		    (thread->count >= HABIT_PART(thread->stretches) ||
		     thread->ns >= HABIT_PART(thread->stretches_ns)))
			status = add_thread(findings, thread, i);
	}
	return status;
}

void flags_release(struct flags *flags)
{
	for (size_t i = 0; flags->threads && i < flags->count; i++) {
		recent_free(&flags->threads[i].slept);
		recent_free(&flags->threads[i].preempted);
	}
	free(flags->threads);
	free(flags->processes);
}
