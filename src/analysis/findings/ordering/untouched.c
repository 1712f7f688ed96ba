/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ordering/untouched.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hash.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Of less the host asks whether it changed: a flag, a residual. */
#define LEAST_BYTES 4096u

struct untouched_process {
	uint64_t place;	  /* of the latest command */
	uint64_t written; /* of the latest that may have written anything */
	uint64_t count, ns, bytes;
	uint32_t stream, device;
	uint16_t api;
	int64_t begin_ns, end_ns; /* of the first */
};

static uint64_t memory_key(uint32_t process, const struct apart_command *command, unsigned at)
{
	return (uint64_t)process << 32 | command->memory.whole[at];
}

/* Whether a memory of the command was written since that place. */
static bool is_written(const struct untouched *untouched, const struct untouched_process *process,
		       uint32_t index, const struct apart_command *command, uint64_t since)
{
	if (process->written > since || command->memory.unknown || !command->memory.count)
		return true;
	for (unsigned i = 0; i < command->memory.count; i++) {
		uint64_t written = map_get(&untouched->written, memory_key(index, command, i));

		if (written != MAP_NONE && written > since)
			return true;
	}
	return false;
}

static int note_read(struct untouched *untouched, struct untouched_process *process, uint64_t place,
		     uint32_t index, const struct apart_command *command)
{
	uint64_t key = HASH_START, since;

	hash_number(&key, command->transfer_key);
	hash_number(&key, index);
	since = map_get(&untouched->read, key);
	if (since != MAP_NONE && command->bytes >= LEAST_BYTES && !command->blocks &&
	    !is_written(untouched, process, index, command, since)) {
		if (!process->count++) {
			process->stream = command->stream;
			process->device = command->device;
			process->api = command->api;
			process->begin_ns = command->end_ns - (int64_t)command->ns;
			process->end_ns = command->end_ns;
		}
		process->ns += command->ns;
		process->bytes += command->bytes;
	}
	return map_set(&untouched->read, key, place);
}

static int note_writes(struct untouched *untouched, struct untouched_process *process,
		       uint64_t place, uint32_t index, const struct apart_command *command)
{
	int status = 0;

	if (command->memory.unknown || !command->memory.count)
		process->written = place;
	for (unsigned i = 0; !status && i < command->memory.count; i++)
		if (!(command->memory.reads >> i & 1))
			status = map_set(&untouched->written, memory_key(index, command, i), place);
	return status;
}

int untouched_command(struct untouched *untouched, uint64_t place, uint32_t index,
		      const struct apart_command *command)
{
	const struct untouched_process fresh = {.place = place - 1};
	struct untouched_process *process =
		keyed_row(&untouched->process_of, index, &untouched->processes,
			  &untouched->capacity, &untouched->count, &fresh, sizeof(fresh));

	if (!process)
		return -ENOMEM;
	if (place > process->place + 1)
		process->written = place - 1;
	process->place = place;
	if (apart_is_marker(command))
		return 0;
	return command->kind == TANDEM_OPERATION_KIND_copy_d2h && command->transfer_key
		       ? note_read(untouched, process, place, index, command)
		       : note_writes(untouched, process, place, index, command);
}

static int add_process(struct findings *findings, const struct untouched_process *process)
{
	char count[UNITS_BYTES], bytes[UNITS_BYTES], mean[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "copies", "unchanged");

	if (!finding)
		return -ENOMEM;
	finding->count = process->count;
	finding->cost_ns = process->ns;
	finding->object =
		process->api ? trace_session_event(findings->session, process->api)->name : "";
	finding_device(findings, finding, process->device);
	finding->what = findings_text(
		findings,
		"%s transfers (%s, mean %s) brought the host data that it had been given before, "
		"unchanged: %s in all",
		units_count(count, process->count), finding->object,
		units_bytes(mean, (double)process->bytes / (double)process->count),
		units_bytes(bytes, (double)process->bytes));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"no command has written that memory since, by the memory that each was given: "
		"what a kernel reaches otherwise (variables of the device, textures) is "
		"unknown";
	finding->suggestion = "read it once, and again where a kernel has changed it";
	finding_place(findings, finding, process->stream);
	finding_time(findings, finding, process->begin_ns, process->end_ns);
	return 0;
}

int untouched_add(const struct untouched *untouched, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < untouched->count; i++) {
		const struct untouched_process *process = &untouched->processes[i];

		if (process->count && findings_is_habit(findings, process->count, process->ns))
			status = add_process(findings, process);
	}
	return status;
}

void untouched_free(struct untouched *untouched)
{
	map_free(&untouched->written);
	map_free(&untouched->read);
	map_free(&untouched->process_of);
	free(untouched->processes);
}
