/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/through.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/operation.h"
#include "analysis/operations/transfer_ends.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Transfers of which no end comes, as without device times, are forgotten when there are more. */
#define IN_FLIGHT_MOST 65536u

struct through_place { /* of the host's memory: what was read to it last */
	uint64_t buffer, bytes, ns;
	int64_t end_ns;
	bool used; /* it was sent on */
};

struct through_process {
	struct copy_time reads, writes;
	uint64_t unseen; /* of the writes: enqueued before the read was over */
	uint32_t stream, device;
	int64_t begin_ns, end_ns; /* of the first that was sent back */
};

int through_call(struct through *through, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct transfer_ends ends;
	uint64_t op = trace_event_op(event), key;

	if (!op || trace_event_failed(event) || !transfer_ends_find(event, &ends) || !ends.host)
		return 0;
	if (through->address_of.count > IN_FLIGHT_MOST) {
		map_clear(&through->address_of);
		map_clear(&through->buffer_of);
		map_clear(&through->api_of);
	}
	key = operation_key(event->stream->process->index, op);
	return map_set(&through->address_of, key, ends.host)
		       ?: map_set(&through->buffer_of, key, ends.buffer)
		       ?: map_set(&through->api_of, key, event->record->id);
}

static struct through_place *place_get(struct through *through, uint32_t process, uint64_t address)
{
	const struct through_place fresh = {.bytes = 0};

	return keyed_row(&through->place_of, operation_key(process, address), &through->places,
			 &through->capacity, &through->count, &fresh, sizeof(fresh));
}

static int note_read(struct through *through, const struct sequence_event *event, uint64_t address,
		     uint64_t buffer)
{
	struct through_place *place = place_get(through, event->process, address);

	if (!place)
		return -ENOMEM;
	*place = (struct through_place){.buffer = buffer,
					.bytes = event->bytes,
					.ns = event->duration_ns,
					.end_ns = event->ns};
	return 0;
}

static int note_write(struct through *through, const struct sequence_event *event,
		      struct through_place *place, uint16_t api)
{
	const struct through_process fresh = {.stream = event->stream, .device = event->device};
	struct through_process *process = keyed_row(&through->process_of, event->process,
						    &through->processes, &through->process_capacity,
						    &through->process_count, &fresh, sizeof(fresh));

	if (!process)
		return -ENOMEM;
	if (!process->writes.count) {
		process->begin_ns = event->ns;
		process->end_ns = event->ns + (int64_t)event->duration_ns;
	}
	process->unseen += event->other_ns < place->end_ns;
	copy_time_add(&process->writes, api, event->bytes, event->duration_ns);
	if (!place->used)
		copy_time_add(&process->reads, 0, place->bytes, place->ns);
	place->used = true;
	return 0;
}

int through_event(struct through *through, const struct sequence_event *event)
{
	bool reads = event->kind == SEQUENCE_END &&
		     event->operation_kind == TANDEM_OPERATION_KIND_copy_d2h;
	bool writes = event->kind == SEQUENCE_START &&
		      event->operation_kind == TANDEM_OPERATION_KIND_copy_h2d;
	uint64_t key = operation_key(event->process, event->op), address, buffer, api, known;
	struct through_place *place;

	if (!reads && !writes)
		return 0;
	address = map_remove(&through->address_of, key);
	buffer = map_remove(&through->buffer_of, key);
	api = map_remove(&through->api_of, key);
	if (address == MAP_NONE || buffer == MAP_NONE)
		return 0;
	if (reads)
		return note_read(through, event, address, buffer);
	known = map_get(&through->place_of, operation_key(event->process, address));
	place = known == MAP_NONE ? NULL : &through->places[known];
	if (!place || place->bytes != event->bytes || place->buffer == buffer)
		return 0;
	return note_write(through, event, place, (uint16_t)api);
}

static const struct through_process *process_of(const struct through *through, uint32_t process)
{
	uint64_t row = map_get(&through->process_of, process);
	const struct through_process *known = row == MAP_NONE ? NULL : &through->processes[row];

	/* As it mostly is so where nothing is known, too. */
	return known && known->unseen >= COPY_HABIT_COUNT &&
			       2 * known->unseen >= known->writes.count
		       ? known
		       : NULL;
}

int through_add(const struct through *through, uint32_t index, struct findings *findings)
{
	const struct through_process *process = process_of(through, index);
	char count[UNITS_BYTES], bytes[UNITS_BYTES], mean[UNITS_BYTES], unseen[UNITS_BYTES];
	const struct copy_time *writes;
	struct finding *finding;

	if (!process)
		return 0;
	finding = findings_add(findings, "copies", "by-host");
	if (!finding)
		return -ENOMEM;
	writes = &process->writes;
	finding->count = writes->count;
	/* Those of one direction run next to those of the other. */
	finding->cost_ns = writes->ns > process->reads.ns ? writes->ns : process->reads.ns;
	finding->object = copy_time_api(writes, findings);
	finding_device(findings, finding, process->device);
	finding->what = findings_text(
		findings,
		"what was read from one buffer was written to another, %s times (%s, mean %s), %s "
		"in all; %s times before the host could have seen it",
		units_count(count, writes->count), finding->object,
		units_bytes(mean, (double)writes->bytes / (double)writes->count),
		units_bytes(bytes, (double)writes->bytes), units_count(unseen, process->unseen));
	finding->confidence =
		process->unseen == writes->count ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	finding->why = findings_text(
		findings,
		"to and from the same host memory, as many bytes, the second %senqueued before the "
		"first was over; the cost is that of the direction that took longer",
		process->unseen == writes->count ? "" : "mostly ");
	finding->suggestion = "copy from buffer to buffer on the device";
	finding_place(findings, finding, process->stream);
	finding_time(findings, finding, process->begin_ns, process->end_ns);
	return 0;
}

void through_free(struct through *through)
{
	map_free(&through->place_of);
	map_free(&through->process_of);
	map_free(&through->address_of);
	map_free(&through->buffer_of);
	map_free(&through->api_of);
	free(through->places);
	free(through->processes);
}
