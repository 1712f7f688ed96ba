/* SPDX-License-Identifier: MIT */
/* Scheduling as the kernel's own tracepoints: a trace processor makes of them who
 * ran on each CPU, the state of each thread and its system calls.
 *
 * A thread can be woken on its way to sleep: then its waking comes before its switch
 * (only its wake-up comes after), and a trace processor, which goes by wakings alone,
 * would have it blocked until it runs. So that waking is written once more, at the
 * time of the wake-up.
 *
 * Each moment of a machine once: of what an earlier session of it recorded at the same
 * time nothing is written. One thread.
 */
#ifndef TANDEM_EXPORT_PERFETTO_SCHED_H
#define TANDEM_EXPORT_PERFETTO_SCHED_H

#include "export/export.h"
#include "export/perfetto/packet.h"
#include "export/perfetto/task.h"

struct perfetto_sched {
	struct perfetto_tasks tasks;
	bool lost; /* events before the next one */
	bool system_told;
	uint32_t machine;
	int64_t since_ns, last_ns; /* earlier sessions' end; the latest event: on this machine */
	struct map ends;	   /* machine -> last_ns, of those that had events */
};

/* A session on this machine begins. Returns 0 or -ENOMEM. */
int perfetto_sched_session(struct perfetto_sched *sched, uint32_t machine);

/* Any event of a CPU's stream. Returns 0 or -ENOMEM. */
int perfetto_sched_event(struct perfetto_sched *sched, struct export *export,
			 struct perfetto_writer *writer, const struct trace_event *event);

void perfetto_sched_free(struct perfetto_sched *sched);

#endif
