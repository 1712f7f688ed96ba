/* Scheduling as the kernel's own tracepoints: a trace processor makes of them who
 * ran on each CPU and the state of each thread. Threads are told of with their
 * processes (ProcessTree) once they are known, by the numbers that the recorder's
 * namespace has for them, as the tracks of their calls are.
 *
 * One machine's, and each moment once: of sessions on another machine, and of what
 * an earlier session recorded at the same time, nothing is written. One thread.
 */
#ifndef TANDEM_EXPORT_PERFETTO_SCHED_H
#define TANDEM_EXPORT_PERFETTO_SCHED_H

#include "export/export.h"
#include "export/perfetto_packet.h"

struct perfetto_task { /* a thread, by the kernel's number */
	uint32_t tid, local_tid, pid;
	uint32_t name;	   /* in `names` */
	uint32_t sent_pid; /* what was last told of it */
	uint32_t sent_name;
	bool told;
};

struct perfetto_sched {
	struct map by_tid; /* -> index */
	struct perfetto_task *tasks;
	size_t task_count, task_capacity;
	struct intern names;
	struct map processes; /* pids that were told */
	bool namespaced;      /* local numbers are not the kernel's */
	bool lost;	      /* events before the next one */
	bool system_told;
	int64_t since_ns, last_ns; /* earlier sessions' end; the latest event */
};

void perfetto_sched_session(struct perfetto_sched *sched);

/* Any event of a CPU's stream. Returns 0 or -ENOMEM. */
int perfetto_sched_event(struct perfetto_sched *sched, struct export *export,
			 struct perfetto_writer *writer, const struct trace_event *event);

void perfetto_sched_free(struct perfetto_sched *sched);

#endif
