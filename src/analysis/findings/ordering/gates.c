/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/gates.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "trace/field.h"
#include "util/units.h"

/* Fewer commands are no loss of a queue's. */
#define HABIT_COUNT 8u

#define GATES 64u /* of a process, that are remembered */

struct gate {
	uint64_t op;			/* the event; 0: none */
	uint32_t queue;			/* of the first command that waits for it; 0: none yet */
	int64_t enqueued_ns, signal_ns; /* of that command; when the program set it, 0: not yet */
	int64_t before_ns;		/* end of what ran before that command; 0: not known yet */
	bool again;			/* a later command of that queue waits for it as well */
	uint64_t count, work_ns;	/* commands from the first to that one */
	uint32_t stream, device;
	int64_t start_ns; /* of the first */
};

struct gates_process {
	struct gate gates[GATES]; /* a ring */
	uint64_t made;
	int64_t end_ns; /* of the latest command */
	uint64_t count, ns, longest_ns;
	struct gate longest; /* the gate that cost most */
};

int gates_begin(struct gates *gates, const struct trace_session *session)
{
	gates->count = session->process_count;
	gates->processes = calloc(gates->count + 1, sizeof(*gates->processes));
	return gates->processes ? 0 : -ENOMEM;
}

/* What the first of a gate's commands would not have waited for. */
static uint64_t held_ns(const struct gate *gate)
{
	int64_t from_ns = gate->before_ns > gate->enqueued_ns ? gate->before_ns : gate->enqueued_ns;
	int64_t ns = gate->signal_ns - from_ns;

	if (!gate->again || !gate->signal_ns || !gate->start_ns || ns <= 0)
		return 0;
	return (uint64_t)ns < gate->work_ns ? (uint64_t)ns : gate->work_ns;
}

static void gate_count(struct gates_process *process, const struct gate *gate)
{
	uint64_t ns = held_ns(gate);

	if (!ns)
		return;
	process->count += gate->count;
	process->ns += ns;
	if (ns < process->longest_ns)
		return;
	process->longest_ns = ns;
	process->longest = *gate;
}

static struct gate *gate_of(struct gates_process *process, uint64_t op)
{
	for (unsigned i = 0; op && process->made && i < GATES; i++) {
		if (process->gates[i].op == op)
			return &process->gates[i];
	}
	return NULL;
}

void gates_call(struct gates *gates, const struct trace_event *event)
{
	struct gates_process *process = &gates->processes[event->stream->process->index];
	const struct tandem_event *call = event->layout->event;
	const struct tandem_field *field;
	struct gate *gate;

	if (trace_event_failed(event))
		return;
	if (call->traits.signal) {
		field = trace_field_role(event->layout, TANDEM_ROLE_event);
		gate = field ? gate_of(process, trace_field_unsigned(event, field)) : NULL;
		if (gate && !gate->signal_ns)
			gate->signal_ns = event->ns;
		return;
	}
	field = call->class == TANDEM_CLASS_CREATE
			? trace_field_role(event->layout, TANDEM_ROLE_returned)
			: NULL;
	if (!field || field->kind != TANDEM_FIELD_OP || !trace_field_unsigned(event, field))
		return;
	gate = &process->gates[process->made++ % GATES];
	gate_count(process, gate);
	*gate = (struct gate){.op = trace_field_unsigned(event, field)};
}

static void waits_for(struct gate *gate, const struct trace_event *event, uint32_t queue)
{
	if (!gate || gate->signal_ns)
		return;
	if (!gate->queue) {
		gate->queue = queue;
		gate->enqueued_ns = event->ns;
	} else if (gate->queue == queue) {
		gate->again = true;
	}
}

int gates_enqueue(struct gates *gates, const struct trace_event *event, uint32_t queue,
		  bool in_order)
{
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	uint32_t index = event->stream->process->index;
	struct gates_process *process = &gates->processes[index];
	uint64_t op = trace_event_op(event);
	const uint8_t *elements;
	size_t count;

	if (!process->made || !in_order || !queue)
		return 0;
	if (list && list->kind == TANDEM_FIELD_OP && list->variable) {
		elements = trace_field_elements(event, list, &count);
		for (size_t i = 0; i < count; i++)
			waits_for(gate_of(process,
					  trace_element_unsigned(list, elements + i * list->bytes)),
				  event, queue);
	}
	for (unsigned i = 0; i < GATES; i++) {
		struct gate *gate = &process->gates[i];

		if (!gate->op || gate->queue != queue || gate->signal_ns || gate->again)
			continue;
		gate->count++;
		if (map_set(&gates->gate_of, operation_key(index, op), gate->op))
			return -ENOMEM;
	}
	return 0;
}

void gates_operation(struct gates *gates, const struct operation *operation)
{
	struct gates_process *process = &gates->processes[operation->process];
	uint64_t held = MAP_NONE;
	struct gate *gate;

	if (!operation->record || !operation->placed)
		return;
	if (process->made)
		held = map_remove(&gates->gate_of,
				  operation_key(operation->process, operation->op));
	/* NULL as well where it was too long ago. */
	gate = held == MAP_NONE ? NULL : gate_of(process, held);
	if (gate) {
		if (!gate->start_ns) {
			gate->start_ns = operation->times.start_ns;
			gate->before_ns = process->end_ns;
			gate->stream = operation->stream;
			gate->device = operation->device;
		}
		gate->work_ns += (uint64_t)(operation->times.end_ns - operation->times.start_ns);
	}
	if (operation->times.end_ns > process->end_ns)
		process->end_ns = operation->times.end_ns;
}

static int add_process(const struct gates_process *process, struct findings *findings)
{
	const struct gate *longest = &process->longest;
	char count[UNITS_BYTES], ns[UNITS_BYTES];
	struct finding *finding;

	if (process->count < HABIT_COUNT)
		return 0;
	finding = findings_add(findings, "ordering", "events");
	if (!finding)
		return -ENOMEM;
	finding->count = process->count;
	finding->cost_ns = process->ns;
	finding->queue = longest->queue;
	finding_device(findings, finding, longest->device);
	finding->what = findings_text(
		findings,
		"%s commands waited %s for a user event that a later command of the same queue waits "
		"for again",
		units_count(count, process->count), units_ns(ns, (double)process->ns));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "the queue keeps their order: if they needed the event, that later command "
		       "would not have to wait for it; what each of them needs is not recorded";
	finding->suggestion =
		"let only those commands wait for the event that need it, and enqueue "
		"the others before them";
	finding_place(findings, finding, longest->stream);
	finding_time(findings, finding, longest->enqueued_ns, longest->signal_ns);
	return 0;
}

int gates_add(const struct gates *gates, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < gates->count; i++) {
		struct gates_process *process = &gates->processes[i];

		for (unsigned j = 0; j < GATES; j++)
			gate_count(process, &process->gates[j]);
		status = add_process(process, findings);
	}
	return status;
}

void gates_free(struct gates *gates)
{
	free(gates->processes);
	map_free(&gates->gate_of);
}
