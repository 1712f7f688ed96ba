/* SPDX-License-Identifier: MIT */
/* The kinds of findings that need the model of the run (the graph), or what threads did (the
 * waits): fed by a thread of its own, beside the one that reads and orders events and feeds the
 * other kinds. Started where the session is long and the pass is for findings alone; else the
 * caller does it all, in the same order. It takes a tenth more CPU time, and a third less by the
 * wall: worth it where one would wait for 10 s.
 *
 * What the other thread has of the pass's iterator meanwhile: streams, and the rows of devices,
 * which do not change any more. Items and events are copied; what they point to stays until that
 * thread has taken them (trace/ahead.h, `holds`).
 *
 *	beside_open(&beside, findings, pass);
 *	side_add(&beside.side, ops, state);
 *	beside_start(&beside, pass, graph);		`graph`: a kind wants it
 *	beside_item(&beside, item, inside);		each item, in the order of its records
 *	beside_event(&beside, event);			each event, in its true order
 *	beside_settle(&beside, pass);			no more items come
 *	beside_close(&beside);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_BESIDE_H
#define TANDEM_ANALYSIS_FINDINGS_BESIDE_H

#include "analysis/findings/side.h"
#include "util/thread/relay.h"

/* What one thread writes at every item is in no cache line with what the other one uses. */
#define BESIDE_APART __attribute__((aligned(128)))

#define BESIDE_WORTH_BYTES (640u << 20)

struct beside {
	struct findings *findings; /* borrowed */
	struct relay *relay;	   /* NULL: the caller does it all */
	struct trace_ahead *ahead; /* borrowed */
	uint64_t taken;		   /* its blocks of which items were handed over */

	/* The other thread's. */
	struct side side BESIDE_APART;
	struct findings own;	/* as it sees them */
	struct waits *waits;	/* the pass's, that it feeds; NULL: it does not */
	struct event_item item; /* the call that it takes */
	int failed;
	struct graph graph; /* of findings->graph, if that is not NULL */
	char end[] BESIDE_APART;
};

/* All that return an int: 0 or -errno; beside_close() is called either way. */
int beside_open(struct beside *beside, struct findings *findings, struct pass *pass);
int beside_start(struct beside *beside, struct pass *pass, bool graph);
int beside_item(struct beside *beside, const struct event_item *item, bool inside);
int beside_event(struct beside *beside, const struct sequence_event *event);

/* All is taken, in the caller's thread from now on, and the pass's waits are settled. */
int beside_settle(struct beside *beside, struct pass *pass);

void beside_close(struct beside *beside);

#endif
