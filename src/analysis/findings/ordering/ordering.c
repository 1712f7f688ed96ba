/* SPDX-License-Identifier: MIT */
/* Commands that could run at the same time, or in another order: what keeps them apart (apart.h),
 * user events that hold back a queue (gates.h), queues that take turns (turns.h), commands that all do
 * (lockstep.h), the default queue (default_queue.h). What would be saved is what a schedule without it takes
 * less (relaxed_schedule.h).
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/ordering/apart.h"
#include "analysis/findings/ordering/default_queue.h"
#include "analysis/findings/ordering/gates.h"
#include "analysis/findings/ordering/lockstep.h"
#include "analysis/findings/ordering/relaxed_schedule.h"
#include "analysis/findings/ordering/turns.h"
#include "analysis/findings/ordering/untouched.h"
#include "analysis/operations/room.h"
#include "trace/field.h"
#include "util/units.h"

/* A call that enqueues and takes longer waits for room in the device's queue. */
#define ROOM_WAIT_NS 20000

struct order_process {
	struct relaxed_schedule relaxed;
	struct relaxed_schedule divided; /* same, with a queue for each command */
};

struct ordering {
	struct queue_waits waits;
	struct apart apart;
	struct rooms rooms;
	struct order_process *processes;
	struct turns turns;
	struct default_queues defaults;
	struct gates gates;
	struct untouched untouched;
	struct lockstep lockstep;
};

static int ordering_begin(struct findings *findings, void *state)
{
	struct ordering *ordering = state;

	ordering->turns.waits_of = &ordering->waits;
	ordering->processes =
		calloc(findings->session->process_count + 1, sizeof(*ordering->processes));
	if (!ordering->processes || apart_begin(&ordering->apart, findings->session))
		return -ENOMEM;
	return gates_begin(&ordering->gates, findings->session);
}

static int note_wait(struct ordering *ordering, uint32_t index, int64_t ns)
{
	return relaxed_waited(&ordering->processes[index].relaxed, ns) ||
			       relaxed_waited(&ordering->processes[index].divided, ns) ||
			       lockstep_waited(&ordering->lockstep, index, ns)
		       ? -ENOMEM
		       : 0;
}

/* Where the device is the CPU, a core moves what is transferred. */
static int command_relaxed(struct ordering *ordering, const struct findings *findings,
			   const struct apart_command *command, uint32_t index)
{
	struct order_process *process = &ordering->processes[index];
	const struct device_row *device = &findings->iterator->devices.rows[command->device];
	bool is_cpu = devices_taken_part(device) > 0;
	struct relaxed_command relaxed = {
		.queued_ns = command->queued_ns,
		.start_ns = command->end_ns - (int64_t)command->ns,
		.end_ns = command->end_ns,
		.memory = &command->memory,
		.queue = command->queue,
		.in_order = apart_keeps_order(&ordering->apart, index, command->queue),
		.engine = !command->transfer || is_cpu
				  ? -1
				  : command->kind == TANDEM_OPERATION_KIND_copy_d2h,
	};

	if (apart_is_marker(command))
		return 0;
	if (!process->relaxed.slot_count)
		process->relaxed.slot_count = process->divided.slot_count =
			relaxed_slots(device->compute_units);
	relaxed.slots = is_cpu && command->transfer
				? 1
				: relaxed_slots_taken(&process->relaxed, command->room);
	if (relaxed_command(&process->relaxed, &relaxed) ||
	    lockstep_command(&ordering->lockstep, index, command, &relaxed,
			     process->relaxed.slot_count, relaxed.in_order))
		return -ENOMEM;
	relaxed.in_order = false;
	if (relaxed_command(&process->divided, &relaxed))
		return -ENOMEM;
	return !is_cpu && command->call_end_ns - command->call_begin_ns > ROOM_WAIT_NS
		       ? note_wait(ordering, index, command->call_end_ns)
		       : 0;
}

static int note_relaxed(struct ordering *ordering, const struct findings *findings,
			uint32_t process, bool all)
{
	const struct apart_command *command;
	int status = 0;

	while (!status && (command = apart_next(&ordering->apart, process, all)))
		status = command_relaxed(ordering, findings, command, process)
				 ?: untouched_command(&ordering->untouched,
						      ordering->apart.processes[process].looked_at,
						      process, command);
	return status;
}

static int note_enqueue(struct ordering *ordering, const struct trace_event *event)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	uint32_t queue = field ? (uint32_t)trace_field_unsigned(event, field) : 0;

	return gates_enqueue(
		&ordering->gates, event, queue,
		apart_keeps_order(&ordering->apart, event->stream->process->index, queue));
}

static int ordering_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct ordering *ordering = state;
	struct queue_waits_taken taken;
	double room;
	int status = 0;

	if (item->kind == ITEM_CALL && !trace_event_failed(item->event))
		status = queue_waits_call(&ordering->waits, item->event, &taken);
	if (!status)
		status = apart_item(&ordering->apart, item, &taken);
	if (status)
		return status;
	if (item->kind == ITEM_OTHER)
		return launch_configs_learn(&ordering->rooms.configs, item->event);
	if (item->kind == ITEM_OPERATION) {
		room = room_taken(&ordering->rooms.configs, &findings->iterator->devices,
				  &item->operation);
		gates_operation(&ordering->gates, &item->operation);
		apart_end(&ordering->apart, &item->operation, room);
		status = note_relaxed(ordering, findings, item->operation.process, false);
		if (!status)
			status = default_queue_operation(&ordering->defaults, findings,
							 &item->operation, &ordering->rooms, room);
		return status;
	}
	if (item->kind != ITEM_CALL)
		return 0;
	if (ordering->apart.remembers &&
	    (item->event->layout->event->class == TANDEM_CLASS_WAIT ||
	     trace_event_blocks(item->event)) &&
	    note_wait(ordering, item->event->stream->process->index, item->end_ns))
		return -ENOMEM;
	gates_call(&ordering->gates, item->event);
	status = turns_call(&ordering->turns, item->event, &taken);
	if (!status && !trace_event_failed(item->event))
		status = default_queue_call(&ordering->defaults, findings, item->event);
	if (!status && trace_event_op(item->event) && !trace_event_failed(item->event))
		status = note_enqueue(ordering, item->event);
	return status;
}

static int ordering_event(struct findings *findings, void *state,
			  const struct sequence_event *event)
{
	struct ordering *ordering = state;

	(void)findings;
	if (event->kind == SEQUENCE_START)
		return default_queue_start(&ordering->defaults, &ordering->rooms, event);
	return turns_end(&ordering->turns, event);
}

/* Of what is saved without barriers and events, one's part; and what is saved with further queues
 * then. */
static uint64_t relaxed_cost(const struct order_process *process, const struct apart_process *apart,
			     enum apart_cause cause)
{
	uint64_t relaxed_ns = relaxed_saved_ns(&process->relaxed);
	uint64_t divided_ns = relaxed_saved_ns(&process->divided);
	const struct apart_sum *sum = &apart->sums[cause];
	uint64_t all = apart->sums[APART_BARRIERS].ns + apart->sums[APART_EVENTS].ns;

	uint64_t ns;

	if (cause == APART_QUEUE)
		return divided_ns > relaxed_ns ? divided_ns - relaxed_ns : 0;
	ns = all ? (uint64_t)((double)relaxed_ns * (double)sum->ns / (double)all) : 0;
	return ns < sum->waited_ns ? ns : sum->waited_ns;
}

static const struct cause_text {
	const char *name, *cause, *what, *suggestion;
} texts[] = {
	[APART_BARRIERS] =
		{"ordering", "barriers",
		 "%s commands waited behind a barrier%s for commands that use none of their memory%s",
		 "leave the barriers out, and let each command wait for the events of those "
		 "that it needs"},
	[APART_EVENTS] =
		{"ordering", "events",
		 "%s commands waited for events%s of commands that use none of their memory%s",
		 "let each command wait for the events of those only that it needs"},
	[APART_QUEUE] =
		{"overlap", "one-queue",
		 "%s kernels waited in their queue%s for one that uses none of their memory%s, and "
		 "each leaves room for another on the device",
		 "give commands that do not need each other queues of their own, or one that "
		 "need not keep their order"},
};

static int add_sum(struct findings *findings, const struct order_process *process,
		   const struct apart_process *apart, enum apart_cause cause)
{
	const struct apart_sum *sum = &apart->sums[cause];
	const struct cause_text *text = &texts[cause];
	uint64_t cost_ns = relaxed_cost(process, apart, cause);
	char count[UNITS_BYTES];
	struct finding *finding;

	if (!cost_ns || !findings_is_habit(findings, sum->count, cost_ns))
		return 0;
	finding = findings_add(findings, text->name, text->cause);
	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->cost_ns = cost_ns;
	finding->queue = sum->queue;
	finding_device(findings, finding, sum->device);
	if (sum->by)
		finding->object = trace_session_event(findings->session, sum->by)->name;
	finding->what = findings_text(
		findings, text->what, units_count(count, sum->count),
		*finding->object ? findings_text(findings, " (%s)", finding->object) : "",
		sum->waiter && sum->awaited
			? findings_text(findings, ", as %s for %s", sum->waiter, sum->awaited)
			: "");
	finding->confidence = sum->by_places ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
	finding->why =
		sum->by_places
			? "by the addresses that each command was given: each queue's parts of memory "
			  "are taken to end where the next one's begins"
		: apart->by_addresses
			? "by the allocations whose addresses each command was given: what a kernel "
			  "reaches otherwise (variables of the device, textures) is not recorded"
			: "by the memory objects that each command was given; that the device can "
			  "run the two at the same time is assumed";
	finding->suggestion = text->suggestion;
	finding_place(findings, finding, sum->stream);
	finding_time(findings, finding, sum->begin_ns, sum->end_ns);
	return 0;
}

static int ordering_end(struct findings *findings, void *state)
{
	struct ordering *ordering = state;
	int status = 0;

	for (uint32_t i = 0; !status && i < findings->session->process_count; i++) {
		status = note_relaxed(ordering, findings, i, true);
		for (unsigned cause = 0; !status && cause < APART_CAUSES; cause++)
			status = add_sum(findings, &ordering->processes[i],
					 &ordering->apart.processes[i], cause);
	}
	if (!status)
		status = gates_add(&ordering->gates, findings);
	if (!status)
		status = turns_add(&ordering->turns, findings);
	if (!status)
		status = untouched_add(&ordering->untouched, findings);
	if (!status)
		status = lockstep_add(&ordering->lockstep, findings);
	return status ? status : default_queue_add(&ordering->defaults, findings);
}

static void ordering_release(struct findings *findings, void *state)
{
	struct ordering *ordering = state;

	for (size_t i = 0; ordering->processes && i < findings->session->process_count; i++) {
		relaxed_free(&ordering->processes[i].relaxed);
		relaxed_free(&ordering->processes[i].divided);
	}
	free(ordering->processes);
	apart_free(&ordering->apart);
	queue_waits_free(&ordering->waits);
	rooms_free(&ordering->rooms);
	turns_free(&ordering->turns);
	default_queue_free(&ordering->defaults);
	untouched_free(&ordering->untouched);
	lockstep_free(&ordering->lockstep);
	gates_free(&ordering->gates);
}

const struct finding_ops finding_ordering = {
	.name = "ordering",
	.words = "barriers and events that keep independent commands apart",
	.state_bytes = sizeof(struct ordering),
	.begin = ordering_begin,
	.item = ordering_item,
	.event = ordering_event,
	.events = 1u << SEQUENCE_START | 1u << SEQUENCE_END,
	.whole = true,
	.end = ordering_end,
	.release = ordering_release,
};
