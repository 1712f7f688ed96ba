/* SPDX-License-Identifier: MIT */
/* Perfetto's native format (perfetto.dev: protos/perfetto/trace/), in parts: this
 * is what the parts share. A process has a track, and below it its threads with
 * their calls and its queues with a row for kernels and one for transfers; flows
 * lead from a call to its command and on to the call that waited for it; memory in
 * use is a counter; scheduling is the kernel's own events (perfetto_sched.h).
 *
 * All but the table of operations (perfetto.c) is of the format's own; `state` of
 * the export is struct perfetto. One thread.
 */
#ifndef TANDEM_EXPORT_PERFETTO_H
#define TANDEM_EXPORT_PERFETTO_H

#include "export/export.h"
#include "export/perfetto_packet.h"
#include "export/perfetto_sched.h"
#include "export/tracks.h"

/* Field numbers of TrackDescriptor and what it holds. */
enum {
	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_OF_PROCESS = 3,
	TRACK_OF_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_OF_COUNTER = 8,

	PROCESS_PID = 1,
	PROCESS_COMMAND = 2,
	PROCESS_NAME = 6,

	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	COUNTER_UNIT = 3,
	UNIT_COUNT = 2,
	UNIT_BYTES = 3,

	SNAPSHOT_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	REALTIME = 1, /* BuiltinClock */
	MONOTONIC = 3,
	BOOTTIME = 6,
};

/* The call of a thread that is still to be closed: what its thread waited for is
 * learned while it goes on. */
struct perfetto_call {
	uint64_t number;
	int64_t end_ns; /* INT64_MIN: none, or one that never returned */
	uint64_t track;
	struct text flows; /* fields of the event that ends it */
};

struct perfetto {
	struct perfetto_writer writer;
	struct tracks tracks;
	struct perfetto_call *open; /* by stream of the session */
	size_t open_count;
	struct perfetto_sched sched;
};

uint64_t perfetto_process_key(const struct export *export, uint32_t process);

/* The track of a stream's thread: one, even of a thread that came back after its
 * stream had ended. Returns as tracks_find(). */
int perfetto_thread_track(struct export *export, const struct trace_stream *stream, uint64_t *id);

/* A packet that describes a track; fields of TrackDescriptor go in between. */
size_t perfetto_describe(struct export *export, uint64_t id, uint64_t parent);
void perfetto_describe_end(struct export *export, size_t track);
void perfetto_describe_named(struct export *export, uint64_t id, uint64_t parent, const char *name);

/* A packet with a track event; its fields go in between. */
size_t perfetto_event(struct export *export, int64_t ns, unsigned type, uint64_t track);
void perfetto_event_name(struct export *export, const char *name, const char *category);
void perfetto_event_end(struct export *export, size_t event);

/* Operations of export_ops. */
int perfetto_command(struct export *export, const struct event_item *item);
int perfetto_memory(struct export *export, const struct event_item *item);
int perfetto_engines(struct export *export, const struct event_item *item);
int perfetto_range(struct export *export, const struct range_instance *range);
int perfetto_activity(struct export *export, const struct event_item *item);
int perfetto_build(struct export *export, const struct event_item *item);

#endif
