/* SPDX-License-Identifier: MIT */
/* What ran on each CPU, as rows of the resources. A task is named as it was when
 * it left the CPU; nothing is drawn for idle time, and what no record tells is
 * said to be unknown. Part of building an index. One thread.
 *
 *	view_cpus_init(&cpus, &writer, &resources, session);
 *	view_cpus_event(&cpus, &states, event);    each event of a CPU's stream, before
 *						   the states take it
 *	view_cpus_finish(&cpus);
 *	view_cpus_free(&cpus);
 */
#ifndef TANDEM_VIEW_ROWS_CPUS_H
#define TANDEM_VIEW_ROWS_CPUS_H

#include "analysis/sched/states.h"
#include "trace/session/session.h"
#include "view/rows/resources.h"

struct view_cpu {
	struct track_writer *track; /* NULL: not seen yet */
	bool known;		    /* what runs: */
	uint32_t tid;		    /* 0: nothing */
	int64_t since_ns;	    /* drawn up to here */
	int64_t seen_ns;	    /* it ran at this time at least */
	int64_t last_ns;	    /* of the latest record */
};

struct view_cpus {
	struct index_writer *writer;	  /* borrowed */
	struct view_resources *resources; /* borrowed */
	struct trace_session *session;	  /* borrowed */
	struct view_cpu *cpus;
	size_t count, capacity;
};

void view_cpus_init(struct view_cpus *cpus, struct index_writer *writer,
		    struct view_resources *resources, struct trace_session *session);

/* Both return 0 or -errno. */
int view_cpus_event(struct view_cpus *cpus, const struct states *states,
		    const struct trace_event *event);
int view_cpus_finish(struct view_cpus *cpus, const struct states *states);

void view_cpus_free(struct view_cpus *cpus);

#endif
