/* SPDX-License-Identifier: MIT */
/* Transfers that did not wait, by their operation's number: what a read brought is recorded behind the call
 * that waited for it (`content_arrived`). The latest 1,024 are remembered. One thread.
 *
 *	struct async_reads reads = {0};
 *	async_reads_call(&reads, event, call);				each call
 *	read = async_reads_find(&reads, process, content->op);		each record
 *	async_reads_free(&reads);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_ASYNC_READS_H
#define TANDEM_ANALYSIS_OPERATIONS_ASYNC_READS_H

#include <stdint.h>

#include "util/map.h"

struct trace_event;

#define ASYNC_READS_MOST 1024u

struct async_read {
	uint64_t operation; /* its key (operation.h); 0: none */
	uint64_t call;
	uint64_t buffer, host; /* as of struct transfer_ends */
};

struct async_reads {
	struct map place_of;
	struct async_read *reads; /* a ring */
	uint64_t count;
};

/* `call`: its number. Returns 0 or -ENOMEM. */
int async_reads_call(struct async_reads *reads, const struct trace_event *event, uint64_t call);

/* NULL where it is not known; borrowed until the next call. */
const struct async_read *async_reads_find(const struct async_reads *reads, uint32_t process,
					  uint64_t op);

void async_reads_free(struct async_reads *reads);

#endif
