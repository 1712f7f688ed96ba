/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/lockstep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/keyed_row.h"
#include "util/units.h"

/* Of two or three, one may do what the next one needs. */
#define LINES 4u

/* So many turns are a habit; of ten commands so many wait for the one before. */
#define TURNS 32u
#define CHAINED_OF_TEN 9u

struct lockstep_process {
	struct relaxed_schedule parted;
	struct map lines; /* queue, or hash of a place -> turns */
	uint64_t line;	  /* of the latest command */
	uint64_t op;	  /* same */
	uint32_t kernel;  /* same; 0: it is none */
	uint64_t commands, chained, turns;
	bool in_order; /* the lines are queues */
	uint32_t stream, queue, device;
	uint16_t by; /* event id of a call that names what is waited for */
	int64_t begin_ns, end_ns;
	uint64_t longest_ns;
};

static struct lockstep_process *process_find(struct lockstep *lockstep, uint32_t index)
{
	static const struct lockstep_process fresh;

	return keyed_row(&lockstep->process_of, index, &lockstep->processes, &lockstep->capacity,
			 &lockstep->count, &fresh, sizeof(fresh));
}

/* In a queue that need not keep the order, what brings data begins a line. */
static uint64_t line_of(const struct lockstep_process *process, const struct apart_command *command,
			bool in_order)
{
	if (in_order)
		return command->queue;
	return command->kind == TANDEM_OPERATION_KIND_copy_h2d && command->place ? command->place
										 : process->line;
}

static bool waits_for(const struct apart_command *command, uint64_t op)
{
	for (unsigned i = 0; i < command->wait_count; i++) {
		if (command->waits[i] == op)
			return true;
	}
	return false;
}

static void note_turn(struct lockstep_process *process, const struct apart_command *command)
{
	process->turns++;
	process->by = command->waits_by ? command->waits_by : command->api;
	if (command->ns < process->longest_ns)
		return;
	process->longest_ns = command->ns;
	process->stream = command->stream;
	process->queue = command->queue;
	process->device = command->device;
	process->begin_ns = command->end_ns - (int64_t)command->ns;
	process->end_ns = command->end_ns;
}

static int schedule(struct lockstep_process *process, const struct relaxed_command *relaxed,
		    unsigned slot_count, uint64_t line)
{
	const uint32_t number = (uint32_t)(line ^ line >> 32);
	const struct used_memory_list memory = {.memory = {number}, .whole = {number}, .count = 1};
	struct relaxed_command command = *relaxed;

	command.memory = &memory;
	command.queue = number;
	command.in_order = true;
	process->parted.slot_count = slot_count;
	return relaxed_command(&process->parted, &command);
}

int lockstep_command(struct lockstep *lockstep, uint32_t index, const struct apart_command *command,
		     const struct relaxed_command *relaxed, unsigned slot_count, bool in_order)
{
	struct lockstep_process *process = process_find(lockstep, index);
	uint64_t line;
	bool waits;

	if (!process)
		return -ENOMEM;
	line = line_of(process, command, in_order);
	waits = waits_for(command, process->op);
	process->commands++;
	process->chained += waits || (in_order && line == process->line);
	if (waits && line != process->line &&
	    (in_order ? command->kernel && command->kernel == process->kernel
		      : process->line != 0)) {
		note_turn(process, command);
		process->in_order = in_order;
		if (map_count(&process->lines, line, 1))
			return -ENOMEM;
	}
	process->line = line;
	process->op = command->op;
	process->kernel = command->kernel;
	return process->turns ? schedule(process, relaxed, slot_count, line) : 0;
}

int lockstep_waited(struct lockstep *lockstep, uint32_t index, int64_t ns)
{
	uint64_t known = map_get(&lockstep->process_of, index);

	return known == MAP_NONE ? 0 : relaxed_waited(&lockstep->processes[known].parted, ns);
}

/* By the memory that each was given it is known already. */
static bool is_said(const struct findings *findings, uint32_t stream)
{
	uint64_t pid = findings_pid(findings, stream);

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (finding->pid == pid && !strcmp(finding->name, "ordering") &&
		    !strcmp(finding->cause, "events"))
			return true;
	}
	return false;
}

static int add_process(struct findings *findings, const struct lockstep_process *process,
		       uint64_t cost_ns)
{
	struct finding *finding = findings_add(findings, "ordering", "events");
	char count[UNITS_BYTES], lines[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = process->turns;
	finding->cost_ns = cost_ns;
	finding->queue = process->queue;
	finding_device(findings, finding, process->device);
	if (process->by)
		finding->object = trace_session_event(findings->session, process->by)->name;
	units_count(count, process->turns);
	units_count(lines, process->lines.count);
	finding->what = findings_text(
		findings,
		process->in_order
			? "%s times a kernel waited for an event (%s) of the one enqueued before it in "
			  "another queue: %s queues run the same kernel, and take turns"
			: "%s times a transfer waited for an event (%s) of the command enqueued before "
			  "it: what is done with %s parts of a buffer takes turns in an out-of-order "
			  "queue",
		count, finding->object, lines);
	finding->confidence = CONFIDENCE_LOW;
	finding->why =
		process->in_order
			? "that each queue works on a part of the memory that they share is "
			  "assumed"
			: "that a part is used only by the commands behind the transfer that "
			  "brings it is assumed";
	finding->suggestion =
		"let each command wait for the events of those only that it needs, part by part";
	finding_place(findings, finding, process->stream);
	finding_time(findings, finding, process->begin_ns, process->end_ns);
	return 0;
}

int lockstep_add(const struct lockstep *lockstep, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < lockstep->count; i++) {
		const struct lockstep_process *process = &lockstep->processes[i];
		uint64_t cost_ns = relaxed_saved_ns(&process->parted);

		if (process->turns >= TURNS && process->lines.count >= LINES && cost_ns &&
		    10 * process->chained >= CHAINED_OF_TEN * process->commands &&
		    !is_said(findings, process->stream))
			status = add_process(findings, process, cost_ns);
	}
	return status;
}

void lockstep_free(struct lockstep *lockstep)
{
	for (size_t i = 0; i < lockstep->count; i++) {
		relaxed_free(&lockstep->processes[i].parted);
		map_free(&lockstep->processes[i].lines);
	}
	free(lockstep->processes);
	map_free(&lockstep->process_of);
}
