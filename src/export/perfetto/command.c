/* SPDX-License-Identifier: MIT */
/* What the devices did: a slice on a row of its queue, with the flow that came
 * from its call. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/operations/operation.h"
#include "export/perfetto/perfetto.h"
#include "util/order/compare.h"

enum row { ROW_KERNELS, ROW_TRANSFERS, ROW_OTHERS, ROW_UNTIMED };

static enum row row_of(const struct operation *operation)
{
	switch (operation->kind) {
	case TANDEM_OPERATION_KIND_kernel:
		return ROW_KERNELS;
	case TANDEM_OPERATION_KIND_copy_h2d:
	case TANDEM_OPERATION_KIND_copy_d2h:
	case TANDEM_OPERATION_KIND_copy_d2d:
	case TANDEM_OPERATION_KIND_fill:
	case TANDEM_OPERATION_KIND_map:
	case TANDEM_OPERATION_KIND_unmap:
	case TANDEM_OPERATION_KIND_migrate:
		return ROW_TRANSFERS;
	default:
		return ROW_OTHERS;
	}
}

int perfetto_queue_track(struct export *export, uint32_t process, uint32_t queue, uint32_t device,
			 uint64_t *id)
{
	struct perfetto *state = export->state;
	uint64_t key = track_key(TRACK_QUEUE, export_process(export, process), queue, 0);
	struct text name = TEXT_INIT;
	uint64_t parent;
	int status = tracks_find(&state->tracks, key, id);

	if (status <= 0)
		return status;
	status = tracks_find(&state->tracks, perfetto_process_key(export, process), &parent);
	text_format(&name, "queue %u on %s", queue,
		    event_iterator_device_name(export->iterator, device));
	if (!name.failed)
		perfetto_describe_ranked(export, *id, parent, name.data, RANK_QUEUES + queue);
	status = status < 0 || name.failed ? -ENOMEM : 0;
	text_free(&name);
	return status;
}

/* The track for a command from start to end, by the kind of its row. */
static int row_track(struct export *export, const struct operation *operation, enum row row,
		     int64_t start_ns, int64_t end_ns, uint64_t *id)
{
	static const char *const names[] = {
		[ROW_KERNELS] = "kernels",
		[ROW_TRANSFERS] = "transfers",
		[ROW_OTHERS] = "others",
		[ROW_UNTIMED] = "ended, without device times",
	};
	struct perfetto *state = export->state;
	uint64_t queue, key;
	int status = perfetto_queue_track(export, operation->process, operation->queue_number,
					  operation->device, &queue);

	if (status < 0)
		return status;
	key = track_key(TRACK_ROW, export_process(export, operation->process),
			operation->queue_number, row);
	status = tracks_lane(&state->tracks, key, start_ns, end_ns, id);
	if (status > 0)
		perfetto_describe_ranked(export, *id, queue, names[row], RANK_ROWS + row);
	return status < 0 ? status : 0;
}

static void annotate_command(struct export *export, const struct operation *operation)
{
	struct perfetto *state = export->state;
	struct perfetto_writer *writer = &state->writer;
	const struct tandem_rec_operation *record = operation->record;
	const struct tandem_event *api =
		trace_session_event(export->iterator->session, operation->api);
	const struct task_construct *construct =
		event_iterator_construct(export->iterator, operation);
	uint64_t running = record->end - record->start;

	perfetto_annotate_word(writer, "kind", operation_kind_name(operation->kind));
	if (api)
		perfetto_annotate_word(writer, "call", api->name);
	perfetto_annotate_unsigned(writer, "op", operation->op);
	if (record->bytes)
		perfetto_annotate_unsigned(writer, "bytes", record->bytes);
	if (record->bytes && operation->timed && running)
		perfetto_annotate_double(writer, "gb_per_s",
					 (double)record->bytes / (double)running);
	if (record->status)
		perfetto_annotate_signed(writer, "status", record->status);
	if (construct) {
		perfetto_annotate_unsigned(writer, "node", operation->node);
		perfetto_annotate_word(writer, "task", construct->name);
		perfetto_annotate_word(writer, "place", construct->place);
	}
	if (operation->size.dimensions)
		perfetto_annotate_sizes(writer, "global", operation->size.global,
					operation->size.dimensions);
	if (operation->size.local_dimensions)
		perfetto_annotate_sizes(writer, "local", operation->size.local,
					operation->size.local_dimensions);
	if (!operation->placed)
		return;
	if (record->queued <= record->submitted && record->submitted <= record->start) {
		perfetto_annotate_unsigned(writer, "in_host_queue_ns",
					   record->submitted - record->queued);
		perfetto_annotate_unsigned(writer, "in_device_queue_ns",
					   record->start - record->submitted);
	}
	if (operation->times.bound_ns != CLOCKFIT_UNBOUNDED)
		perfetto_annotate_unsigned(writer, "clock_bound_ns", operation->times.bound_ns);
	if (!operation->times.causal)
		perfetto_annotate_word(writer, "clock", "breaks causality");
}

/* The call that was going on when the end was seen waited for it. */
static void end_flow(struct export *export, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct perfetto *state = export->state;
	struct perfetto_call *open = &state->open[item->event->stream->index];
	uint8_t source = operation->record->completion_source;

	if (source != TANDEM_COMPLETION_SOURCE_blocking_call &&
	    source != TANDEM_COMPLETION_SOURCE_finish && source != TANDEM_COMPLETION_SOURCE_wait)
		return;
	if (open->end_ns != INT64_MIN && open->number == item->call)
		proto_fixed(&open->flows, PERFETTO_EVENT_LAST_FLOW,
			    export_call(export, operation->call));
}

/* That of a task is closed when all that depends on it is known. */
static int end_slice(struct export *export, const struct operation *operation, int64_t start_ns,
		     int64_t end_ns, uint64_t track)
{
	const struct task_place place = {.track = track, .start_ns = start_ns, .end_ns = end_ns};
	struct perfetto *state = export->state;
	int status = operation->node ? task_flows_operation(&state->flows, operation->process,
							    operation->node, &place)
				     : 0;

	if (!status)
		perfetto_end(export, perfetto_event(export, end_ns, PERFETTO_SLICE_END, track));
	return status < 0 ? status : 0;
}

/* An end of an edge, at a place. */
struct flow_end {
	size_t place;
	uint64_t id;
	bool last;
};

static int by_place(const void *a, const void *b)
{
	const struct flow_end *left = a, *right = b;

	return COMPARE(left->place, right->place);
}

static void close_places(struct export *export, const struct flow_end *ends, size_t count)
{
	struct perfetto *state = export->state;
	size_t next = 0;

	for (size_t i = 0; i < state->flows.place_count; i++) {
		const struct task_place *place = &state->flows.places[i];
		size_t event =
			perfetto_event(export, place->end_ns, PERFETTO_SLICE_END, place->track);

		for (; next < count && ends[next].place == i; next++)
			proto_fixed(&state->writer.packet,
				    ends[next].last ? PERFETTO_EVENT_LAST_FLOW
						    : PERFETTO_EVENT_FLOW,
				    ends[next].id);
		perfetto_end(export, event);
	}
}

int perfetto_dependencies(struct export *export)
{
	struct perfetto *state = export->state;
	size_t at = 0, from, to, count = 0;
	struct flow_end *ends = calloc(2 * state->flows.edge_count + 1, sizeof(*ends));

	if (!ends)
		return -ENOMEM;
	while (task_flows_next(&state->flows, &at, &from, &to)) {
		/* Calls have the numbers below. */
		uint64_t id = UINT64_C(1) << 63 | (state->dependencies + at);

		ends[count++] = (struct flow_end){from, id, false};
		ends[count++] = (struct flow_end){to, id, true};
	}
	if (count)
		qsort(ends, count, sizeof(*ends), by_place);
	close_places(export, ends, count);
	state->dependencies += at;
	free(ends);
	task_flows_free(&state->flows);
	return 0;
}

int perfetto_command(struct export *export, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct perfetto *state = export->state;
	int64_t start_ns, end_ns;
	uint64_t track;
	size_t event;
	int status;

	start_ns = export_time(export,
			       operation->placed ? operation->times.start_ns : operation->seen_ns);
	end_ns = operation->placed ? export_time(export, operation->times.end_ns) : start_ns;
	status = row_track(export, operation, operation->placed ? row_of(operation) : ROW_UNTIMED,
			   start_ns, end_ns, &track);
	if (status)
		return status;
	event = perfetto_event(export, start_ns,
			       operation->placed ? PERFETTO_SLICE_BEGIN : PERFETTO_INSTANT, track);
	perfetto_event_name(export, operation->name,
			    devices_domain(export->iterator->session, operation->domain));
	if (operation->call && export_holds(export, operation->call_begin_ns))
		proto_fixed(&state->writer.packet, PERFETTO_EVENT_FLOW,
			    export_call(export, operation->call));
	annotate_command(export, operation);
	perfetto_end(export, event);
	status = operation->placed ? end_slice(export, operation, start_ns, end_ns, track) : 0;
	if (status)
		return status;
	if (operation->placed)
		perfetto_stage(export, operation, start_ns, end_ns);
	if (operation->call)
		end_flow(export, item);
	return 0;
}
