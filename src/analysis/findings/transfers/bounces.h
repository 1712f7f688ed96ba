/* SPDX-License-Identifier: MIT */
/* The bytes of a buffer that go to the host and back to the device, and that the host had no
 * time to change in between: it could as well have left them there. One thread.
 *
 *	bounces_begin(&bounces, session);
 *	bounces_call(&bounces, item);				each call
 *	bounces_command(&bounces, &item->operation, ns);	each transfer; what it takes of the run
 *	bounces_add(&bounces, findings);
 *	bounces_release(&bounces);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_TRANSFERS_BOUNCES_H
#define TANDEM_ANALYSIS_FINDINGS_TRANSFERS_BOUNCES_H

#include "analysis/findings/finding.h"
#include "analysis/operations/operation.h"

struct bounce_transfer {  /* of a buffer */
	uint64_t key;	  /* process and number */
	uint64_t address; /* of the host's memory; 0: not known */
	uint32_t stream;
	uint64_t host_ns; /* of its thread, until the call */
	uint8_t kind;
	uint64_t bytes, ns;
};

struct bounce { /* of a process */
	uint64_t count, ns;
	uint64_t at_once; /* of these: with no time in between to change all of it */
	uint32_t stream;
	uint16_t api;		  /* event id of the call that brings them back */
	int64_t begin_ns, end_ns; /* of the first */
};

struct bounce_thread {	     /* of a stream */
	int64_t returned_ns; /* the latest call */
	uint64_t host_ns;    /* between its calls, so far */
};

struct bounces {
	struct map calls; /* number of a call in flight -> its transfer, in `open` */
	struct bounce_transfer *open;
	size_t open_count, open_capacity;
	struct map buffers; /* process and number -> the latest transfer */
	struct bounce_transfer *last;
	size_t last_count, last_capacity;
	struct bounce_thread *threads; /* by stream */
	struct bounce *processes;      /* by index */
};

/* Return 0 or -ENOMEM; after an error bounces_release() is called as well. */
int bounces_begin(struct bounces *bounces, const struct trace_session *session);
int bounces_call(struct bounces *bounces, const struct event_item *item);
int bounces_command(struct bounces *bounces, const struct operation *operation, uint64_t ns);
int bounces_add(const struct bounces *bounces, struct findings *findings);

void bounces_release(struct bounces *bounces);

#endif
