/* SPDX-License-Identifier: MIT */
/* A folder with an OTF2 archive, for Vampir, Score-P's tools and otf2-print: a
 * location for each thread, with its calls, and one for each queue (more where
 * commands overlap), with its commands. Events of a location must not go back in
 * time, so they come from the timeline. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/events/event_sequence.h"
#include "export/export.h"
#include "export/otf2/archive.h"
#include "export/otf2/ranges.h"
#include "schema/gen/core_records.h"
#include "util/array.h"

/* A row of commands that do not overlap. */
struct lane {
	uint64_t queue; /* process and queue, as lane_key() */
	uint32_t location;
	bool busy;
	struct sequence_event running; /* where it is busy */
};

struct otf2 {
	struct otf2_archive archive;
	struct event_sequence sequence;
	bool ordering; /* the timeline is open */
	struct otf2_ranges ranges;

	/* Of the current session. */
	uint32_t node;
	struct map process_groups; /* process -> group */
	struct map device_groups;  /* process and device -> group */
	struct map threads;	   /* process and tid -> location */
	struct lane *lanes;
	size_t lane_count, lane_capacity;
};

static int otf2_begin(struct export *export)
{
	struct otf2 *state = export->state;

	return otf_archive_open(&state->archive, export->out, export->error);
}

static OTF2_Paradigm paradigm_of(const struct export *export, uint8_t domain)
{
	const char *title = trace_session_domain(export->iterator->session, domain)->title;

#define X(name)                        \
	if (!strcasecmp(title, #name)) \
		return OTF2_PARADIGM_##name;
	OTF2_DOMAIN_PARADIGMS(X)
#undef X
	return OTF2_PARADIGM_USER;
}

static uint64_t time_of(const struct export *export, int64_t monotonic_ns)
{
	int64_t ns = export_time(export, monotonic_ns);

	return ns > 0 ? (uint64_t)ns : 0;
}

static int process_group(struct export *export, uint32_t process, uint32_t *group)
{
	const struct trace_process *of = &export->iterator->session->processes[process];
	struct otf2 *state = export->state;
	uint64_t known = map_get(&state->process_groups, process);
	struct text name = TEXT_INIT;
	int status;

	if (known != MAP_NONE) {
		*group = (uint32_t)known;
		return 0;
	}
	text_format(&name, "%s (process %d)", of->name, export_pid(export, of->pid));
	status = name.failed ? -ENOMEM
			     : otf_archive_group(&state->archive, name.data, state->node,
						 OTF2_LOCATION_GROUP_TYPE_PROCESS, -1, group);
	text_free(&name);
	return status ? status : map_set(&state->process_groups, process, *group);
}

static int device_group(struct export *export, uint32_t process, uint32_t device, uint32_t *group)
{
	struct otf2 *state = export->state;
	uint64_t key = (uint64_t)process << 32 | device;
	uint64_t known = map_get(&state->device_groups, key);
	uint32_t parent;
	int status;

	if (known != MAP_NONE) {
		*group = (uint32_t)known;
		return 0;
	}
	status = process_group(export, process, &parent);
	if (!status)
		status = otf_archive_group(
			&state->archive, event_iterator_device_name(export->iterator, device),
			state->node, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, parent, group);
	return status ? status : map_set(&state->device_groups, key, *group);
}

static int thread_location(struct export *export, const struct trace_stream *stream,
			   uint32_t *location)
{
	struct otf2 *state = export->state;
	/* One location, even of a thread that came back after its stream had ended. */
	uint64_t key = (uint64_t)stream->process->index << 32 | stream->tid;
	uint64_t known = map_get(&state->threads, key);
	struct text name = TEXT_INIT;
	uint32_t group;
	int status;

	if (known != MAP_NONE) {
		*location = (uint32_t)known;
		return 0;
	}
	status = process_group(export, stream->process->index, &group);
	text_format(&name, "%s (thread %u)", stream->thread_name, stream->tid);
	if (!status)
		status = name.failed
				 ? -ENOMEM
				 : otf_archive_location(&state->archive, name.data, group,
							OTF2_LOCATION_TYPE_CPU_THREAD, location);
	text_free(&name);
	return status ? status : map_set(&state->threads, key, *location);
}

/* --- calls */

static int call_event(struct export *export, const struct sequence_event *event)
{
	const struct trace_stream *stream =
		trace_ahead_stream(&export->iterator->ahead, event->stream);
	struct otf2 *state = export->state;
	uint64_t call = event->op ? export_call(export, event->call) : 0;
	uint32_t location, region;
	int status = thread_location(export, stream, &location);

	if (!status)
		status = otf_archive_region(
			&state->archive, event->api->name, OTF2_REGION_ROLE_WRAPPER,
			paradigm_of(export, trace_session_event_domain(export->iterator->session,
								       event->api)
						    ->number),
			&region);
	if (status)
		return status;
	return event->kind == SEQUENCE_CALL_BEGIN
		       ? otf_archive_enter(&state->archive, location, time_of(export, event->ns),
					   region, call)
		       : otf_archive_leave(&state->archive, location, time_of(export, event->ns),
					   region);
}

/* --- commands */

static uint64_t lane_key(const struct sequence_event *event)
{
	return (uint64_t)event->process << 32 | event->queue;
}

static bool same_command(const struct sequence_event *a, const struct sequence_event *b)
{
	return a->op == b->op && a->name == b->name && a->duration_ns == b->duration_ns &&
	       a->operation_kind == b->operation_kind && a->bytes == b->bytes;
}

static int lane_make(struct export *export, const struct sequence_event *event, unsigned number,
		     struct lane **lane)
{
	struct otf2 *state = export->state;
	struct lane made = {.queue = lane_key(event)};
	struct text name = TEXT_INIT;
	uint32_t group;
	int status = device_group(export, event->process, event->device, &group);

	text_format(&name, number ? "queue %u, row %u" : "queue %u", event->queue, number + 1);
	if (!status)
		status = name.failed ? -ENOMEM
				     : otf_archive_location(&state->archive, name.data, group,
							    OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
							    &made.location);
	text_free(&name);
	if (status)
		return status;
	if (array_reserve(&state->lanes, &state->lane_capacity, state->lane_count + 1,
			  sizeof(*state->lanes)))
		return -ENOMEM;
	*lane = &state->lanes[state->lane_count++];
	**lane = made;
	return 0;
}

/* A row of the queue on which nothing is; or the one that the command is on. */
static int lane_find(struct export *export, const struct sequence_event *event, struct lane **lane)
{
	struct otf2 *state = export->state;
	bool starts = event->kind == SEQUENCE_START;
	unsigned number = 0;

	*lane = NULL;
	for (size_t i = 0; i < state->lane_count; i++) {
		struct lane *known = &state->lanes[i];

		if (known->queue != lane_key(event))
			continue;
		number++;
		if (starts ? !known->busy : known->busy && same_command(&known->running, event)) {
			*lane = known;
			return 0;
		}
	}
	return starts ? lane_make(export, event, number, lane) : 0;
}

static OTF2_RegionRole role_of(uint8_t kind)
{
	switch (kind) {
	case TANDEM_OPERATION_KIND_kernel:
		return OTF2_REGION_ROLE_FUNCTION;
	case TANDEM_OPERATION_KIND_barrier:
	case TANDEM_OPERATION_KIND_marker:
		return OTF2_REGION_ROLE_BARRIER;
	case TANDEM_OPERATION_KIND_other:
		return OTF2_REGION_ROLE_UNKNOWN;
	default:
		return OTF2_REGION_ROLE_DATA_TRANSFER;
	}
}

static int operation_event(struct export *export, const struct sequence_event *event)
{
	struct otf2 *state = export->state;
	uint64_t call = event->call ? export_call(export, event->call) : 0;
	uint32_t region;
	struct lane *lane;
	int status = lane_find(export, event, &lane);

	if (status || !lane)
		return status;
	status = otf_archive_region(
		&state->archive, event->name, role_of(event->operation_kind),
		paradigm_of(export, export->iterator->devices.rows[event->device].domain), &region);
	if (status)
		return status;
	lane->busy = event->kind == SEQUENCE_START;
	lane->running = *event;
	return lane->busy ? otf_archive_enter(&state->archive, lane->location,
					      time_of(export, event->ns), region, call)
			  : otf_archive_leave(&state->archive, lane->location,
					      time_of(export, event->ns), region);
}

static int range_event(struct export *export, const struct sequence_event *event)
{
	struct otf2 *state = export->state;
	uint32_t thread, group;
	int status = thread_location(
		export, trace_ahead_stream(&export->iterator->ahead, event->stream), &thread);

	if (!status)
		status = process_group(export, event->process, &group);
	return status ? status
		      : otf2_ranges_event(&state->ranges, event, time_of(export, event->ns), thread,
					  group);
}

static int want_record(void *user, const struct event_item *item, uint64_t *tag)
{
	struct export *export = user;
	struct otf2 *state = export->state;

	return otf2_ranges_want(&state->ranges, item, tag);
}

static int take_event(void *user, const struct sequence_event *event)
{
	struct export *export = user;

	switch (event->kind) {
	case SEQUENCE_CALL_BEGIN:
	case SEQUENCE_CALL_END:
		return call_event(export, event);
	case SEQUENCE_START:
	case SEQUENCE_END:
		return operation_event(export, event);
	case SEQUENCE_RECORD:
		return range_event(export, event);
	default:
		return 0;
	}
}

/* --- sessions */

static int otf2_session(struct export *export)
{
	const struct trace_run *run = &export->iterator->session->run;
	struct otf2 *state = export->state;
	int status = otf_archive_node(&state->archive, *run->host ? run->host : "unknown machine",
				      &state->node);

	if (!export->session && run->start_realtime_ns > run->start_monotonic_ns)
		state->archive.realtime_offset_ns =
			run->start_realtime_ns - run->start_monotonic_ns;
	map_clear(&state->process_groups);
	map_clear(&state->device_groups);
	map_clear(&state->threads);
	state->lane_count = 0;
	if (!status)
		status =
			event_sequence_open(&state->sequence, export->iterator, take_event, export);
	state->sequence.range = export->range;
	state->sequence.wants = want_record;
	otf2_ranges_session(&state->ranges, export, &state->archive);
	state->ordering = !status;
	return status;
}

/* A program without a traced call has no thread with a stream. */
static int otf2_process(struct export *export, const struct trace_process *process)
{
	struct otf2 *state = export->state;
	uint32_t group, location;
	int status;

	if (process->kernel || process->stream_count)
		return 0;
	status = process_group(export, process->index, &group);
	return status ? status
		      : otf_archive_location(&state->archive, "no API calls", group,
					     OTF2_LOCATION_TYPE_CPU_THREAD, &location);
}

/* Also those that made no call: they are there. */
static int otf2_thread(struct export *export, const struct trace_stream *stream)
{
	uint32_t location;

	return stream->process->kernel ? 0 : thread_location(export, stream, &location);
}

static int otf2_item(struct export *export, const struct event_item *item)
{
	struct otf2 *state = export->state;

	return event_sequence_item(&state->sequence, item);
}

static int otf2_session_end(struct export *export)
{
	struct otf2 *state = export->state;
	int status = event_sequence_finish(&state->sequence);

	event_sequence_close(&state->sequence);
	state->ordering = false;
	return status;
}

static int otf2_end(struct export *export)
{
	struct otf2 *state = export->state;

	return otf_archive_close(&state->archive);
}

static void otf2_release(struct export *export)
{
	struct otf2 *state = export->state;

	if (state->ordering)
		event_sequence_close(&state->sequence);
	otf2_ranges_free(&state->ranges);
	otf_archive_drop(&state->archive);
	map_free(&state->process_groups);
	map_free(&state->device_groups);
	map_free(&state->threads);
	free(state->lanes);
}

const struct export_ops export_otf2 = {
	.name = "otf2",
	.words = "a folder with an OTF2 archive, for Vampir and Score-P's tools",
	.suffix = "-otf2",
	.own_output = true,
	.own_process = true,
	.state_bytes = sizeof(struct otf2),
	.begin = otf2_begin,
	.session = otf2_session,
	.process = otf2_process,
	.thread = otf2_thread,
	.any = otf2_item,
	.session_end = otf2_session_end,
	.end = otf2_end,
	.release = otf2_release,
	.killed = otf_archive_sweep,
};
