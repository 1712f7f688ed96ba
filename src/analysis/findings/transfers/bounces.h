/* SPDX-License-Identifier: MIT */
/* The bytes of a buffer that go to the host and back to the device, and that the host did not
 * change in between (core/call/content.h), changed a part of, or had no time to change all of: it could as
 * well have left them there. One thread.
 *
 *	bounces_begin(&bounces, session);
 *	bounces_call(&bounces, item);				each call
 *	bounces_command(&bounces, &item->operation, ns);	each transfer; what it takes of the run
 *	bounces_content(&bounces, item, &content);		what one of them moved
 *	bounces_add(&bounces, findings);
 *	bounces_release(&bounces);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_TRANSFERS_BOUNCES_H
#define TANDEM_ANALYSIS_FINDINGS_TRANSFERS_BOUNCES_H

#include "analysis/findings/finding.h"
#include "analysis/operations/operation.h"

struct bounce_content {
	uint64_t offset;       /* in the buffer */
	uint64_t hashed, hash; /* 0: not known */
	uint64_t words;	       /* a byte each; 0: not known */
};

struct bounce_transfer { /* of a buffer */
	uint64_t call;
	uint64_t key;	  /* process and number */
	uint64_t address; /* of the host's memory; 0: not known */
	uint32_t stream;
	uint64_t host_ns; /* of its thread, until the call */
	uint8_t kind;
	uint16_t api;
	int64_t begin_ns, end_ns;
	uint64_t bytes, ns; /* ns: what it takes of the run */
	struct bounce_content content;

	/* Of the one before it, where it may be a bounce of that: */
	struct bounce_content from;
	bool may_be, at_once, soon, few_changed;
	bool again; /* that one brought it back as well, as a state that is restored several times */
	uint64_t both_ns;

	bool fetched; /* the host's memory has what was read of the buffer, as far as is known */
	bool counted, is_same;	 /* it is one; by its content */
	bool is_part;		 /* by its content, the host changed no more than a part */
	uint64_t same, replaced; /* of those of the buffer so far, whose content is known */
};

struct bounce { /* of a process */
	uint64_t count, ns;
	/* Of these: not changed, or no more than a part, or with no time in between to change all. */
	uint64_t at_once;
	uint64_t same;	/* of these: not changed */
	uint64_t parts; /* of these: no more than a part changed, by the content */
	bool sampled;	/* not all bytes of those were compared */
	uint32_t stream;
	uint16_t api;		  /* event id of the call that brings them back */
	int64_t begin_ns, end_ns; /* of the first */
};

struct bounce_thread {	     /* of a stream */
	int64_t returned_ns; /* the latest call */
	uint64_t host_ns;    /* between its calls, so far */
	size_t last;	     /* its latest transfer that ended, in `last`; +1 */
};

struct bounces {
	struct map calls; /* number of a call in flight -> its transfer, in `open` */
	struct bounce_transfer *open;
	size_t open_count, open_capacity;
	size_t free_open;   /* one that is done, + 1, whose `bytes` say the next; 0: none */
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
void bounces_content(struct bounces *bounces, const struct event_item *item,
		     const struct bounce_content *content);
/* Same, of a read that did not wait: its words only. */
void bounces_arrived(struct bounces *bounces, const struct async_read *read,
		     const struct bounce_content *content);
int bounces_add(const struct bounces *bounces, struct findings *findings);

void bounces_release(struct bounces *bounces);

#endif
