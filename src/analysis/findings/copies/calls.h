/* SPDX-License-Identifier: MIT */
/* The calls that transfer: what is known of each whose command is in flight, and of each thread's
 * latest. A record of its content follows a call, before its command's end or after it. Memory
 * grows with transfers in flight. One thread.
 *
 *	copy_calls_begin(&calls, session);
 *	copy_calls_add(&calls, item);				each call
 *	open = copy_calls_find(&calls, item->call);		a record of its content
 *	if (copy_calls_take(&calls, operation->call, &call))	each operation
 *		last = copy_calls_latest(&calls, operation);
 *	copy_calls_free(&calls);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_CALLS_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_CALLS_H

#include "analysis/events/event_iterator.h"
#include "util/map.h"

struct copy_latest { /* transfer of a thread */
	uint64_t buffer, bytes, address;
	uint64_t call;
	uint64_t pair;	     /* as that of a copy_call ... */
	bool by_host;	     /* ... which was counted ... */
	uint64_t by_host_ns; /* ... at this cost */
	bool written;	     /* its content was recorded: it went to the device */
	bool coming;	     /* its host memory may change before it is moved */
	bool read_before;    /* the transfer before it brought as many bytes there */
	uint16_t api;
	bool given;  /* of a read: its buffer was given something since the one before */
	bool blocks; /* it returned when the transfer was over */
	bool waited; /* the thread waited, or asked, since: it may have done something with what came */
	bool maps; /* it is none, but maps memory for the host */
	bool done; /* it took: */
	uint64_t ns, moved_ns;
};

struct copy_call {	     /* of a transfer in flight */
	uint64_t buffer;     /* transfer_ends.h */
	uint64_t pair;	     /* the call of the read that it brings back to the device; 0: none */
	uint64_t given;	     /* what its process had given the device by then (dominate.h) */
	bool same;	     /* what that read brought: this is known */
	bool unchanged;	     /* the device was given the same before */
	bool changed;	     /* it was not: this is known */
	bool unchanged_read; /* of a read: the host was */
};

struct copy_calls {
	struct map call_of; /* number of a call in flight -> its place in `open` */
	struct copy_call *open;
	size_t count, capacity;
	struct copy_latest *latest; /* by stream */
	bool addresses;		    /* are recorded */
	/* Host memory that transfers to it may still change: none was waited for since. Process and address. */
	struct map coming;
};

/* Return 0 or -ENOMEM; then copy_calls_free() is called as well. */
int copy_calls_begin(struct copy_calls *calls, const struct trace_session *session);
int copy_calls_add(struct copy_calls *calls, const struct event_item *item, uint64_t given);

/* One in flight, until the next is added, or NULL. */
struct copy_call *copy_calls_find(struct copy_calls *calls, uint64_t number);

/* One that is in flight no more; false where there is none. */
bool copy_calls_take(struct copy_calls *calls, uint64_t number, struct copy_call *call);

/* The operation's call where it is its thread's latest, or NULL. */
struct copy_latest *copy_calls_latest(struct copy_calls *calls, const struct operation *operation);

void copy_calls_free(struct copy_calls *calls);

#endif
