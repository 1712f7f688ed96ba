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

#include "analysis/events/event_sequence.h"
#include "analysis/profile/samples.h"
#include "export/export.h"
#include "export/perfetto/packet.h"
#include "export/perfetto/sched.h"
#include "export/task_flows.h"
#include "export/tracks.h"

/* Field numbers of TrackDescriptor and what it holds. */
enum {
	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_OF_PROCESS = 3,
	TRACK_OF_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_OF_COUNTER = 8,
	TRACK_CHILDREN = 11,
	TRACK_RANK = 12,
	CHILDREN_BY_RANK = 3,

	PROCESS_PID = 1,
	PROCESS_COMMAND = 2,
	PROCESS_NAME = 6,

	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	COUNTER_UNIT = 3,
	COUNTER_UNIT_NAME = 6,
	UNIT_COUNT = 2,
	UNIT_BYTES = 3,

	SYNC_CLOCKS = 1, /* RemoteClockSync */
	SYNC_CLIENT = 2,
	SYNC_HOST = 3,
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

/* perfetto_load.c: how many operations each queue holds, and how busy each device is, in percent
 * of successive stretches of time; made from operations in their order in time. */
struct perfetto_device {
	uint32_t running;
	int64_t stretch_ns, since_ns; /* begin of the stretch; busy since, or what was counted */
	uint64_t busy_ns;	      /* in this stretch, up to since_ns */
	int percent;		      /* as was said last; -1: nothing was */
};

struct perfetto_load {
	struct event_sequence sequence;
	bool open;
	struct map depths; /* process and queue -> operations that it holds */
	struct perfetto_device *devices;
	size_t device_count, device_capacity;
	int64_t stretch_ns; /* how long one is */
};

/* perfetto_samples.c: sampled stacks; frames, files and stacks are sent once and then named by a
 * number. */
struct perfetto_samples {
	struct samples samples;
	bool begun, rated; /* a session is open; its rate was said */
};

struct perfetto {
	struct perfetto_writer writer;
	struct tracks tracks;
	struct perfetto_call *open; /* by stream of the session */
	size_t open_count;
	struct perfetto_sched sched;
	struct perfetto_samples samples;
	struct perfetto_load load;
	struct task_flows flows; /* places: slices that are to be closed */
	uint64_t dependencies;	 /* edges of earlier sessions */
};

uint64_t perfetto_process_key(const struct export *export, uint32_t process);

/* The track of a stream's thread: one, even of a thread that came back after its
 * stream had ended. Returns as tracks_find(). */
int perfetto_thread_track(struct export *export, const struct trace_stream *stream, uint64_t *id);

/* A packet that describes a track; fields of TrackDescriptor go in between. */
size_t perfetto_describe(struct export *export, uint64_t id, uint64_t parent);
void perfetto_describe_named(struct export *export, uint64_t id, uint64_t parent, const char *name);

/* What orders the children of a process's or a queue's track. */
enum perfetto_rank {
	RANK_DEPTH, /* below a queue */
	RANK_ROWS,
	RANK_QUEUES = 0, /* below a process, with the queue's number */
	RANK_OTHERS = 1 << 20,
};
void perfetto_describe_ranked(struct export *export, uint64_t id, uint64_t parent, const char *name,
			      unsigned rank);

/* The track of a queue, and one that counts: in a unit of Perfetto's, or else `unit_name`.
 * Returns as tracks_find(). */
int perfetto_queue_track(struct export *export, uint32_t process, uint32_t queue, uint32_t device,
			 uint64_t *id);
void perfetto_describe_counter(struct export *export, uint64_t id, uint64_t parent,
			       const char *name, unsigned unit, const char *unit_name);

/* A packet with a track event; its fields go in between. */
size_t perfetto_event(struct export *export, int64_t ns, unsigned type, uint64_t track);
void perfetto_event_name(struct export *export, const char *name, const char *category);

/* Ends either's packet. */
void perfetto_end(struct export *export, size_t message);

/* Operations of export_ops. */
int perfetto_command(struct export *export, const struct event_item *item);
int perfetto_memory(struct export *export, const struct event_item *item);
int perfetto_engines(struct export *export, const struct event_item *item);
int perfetto_range(struct export *export, const struct range_instance *range);
int perfetto_activity(struct export *export, const struct event_item *item);
int perfetto_build(struct export *export, const struct event_item *item);

/* Each returns 0 or -errno. */
int perfetto_load_session(struct perfetto_load *load, struct export *export);
int perfetto_load_item(struct perfetto_load *load, const struct event_item *item);
int perfetto_load_end(struct perfetto_load *load, struct export *export);

void perfetto_load_free(struct perfetto_load *load);

void perfetto_samples_session(struct perfetto_samples *samples, struct export *export);

/* Takes an event of the operating system's. Returns 0 or -ENOMEM. */
int perfetto_samples_event(struct perfetto_samples *samples, const struct trace_event *event);

void perfetto_samples_end(struct perfetto_samples *samples);

/* Writes a placed operation, by the export's axis, as one of Perfetto's own render stages. */
void perfetto_stage(struct export *export, const struct operation *operation, int64_t start_ns,
		    int64_t end_ns);

/* Closes the slices of tasks, with the flows along the graphs' edges. */
int perfetto_dependencies(struct export *export);

/* Writes the session's findings. */
int perfetto_findings(struct export *export);

#endif
