/* SPDX-License-Identifier: MIT */
/* Transfers of the same buffers again and again that make most of a process's run. One thread.
 *
 *	struct dominate dominate = {0};
 *
 *	dominate_command(&dominate, operation);				each, of a process
 *	dominate_transfer(&dominate, buffer, operation, &call, ns);	each transfer
 *	dominate_add(&dominate, process, &buffers, told_ns, findings);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_DOMINATE_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_DOMINATE_H

#include "analysis/findings/copies/buffers.h"
#include "analysis/findings/copies/calls.h"
#include "analysis/findings/copies/unread.h"

/* Of the latest transfers that were counted. */
#define DOMINATE_RECENT 64u

struct dominate_recent {
	uint64_t call;
	uint32_t row; /* of the buffers */
	bool to_host;
	int64_t from_ns,
		to_ns; /* with no kernel at the same time, as far as is known; equal: nothing is left */
};

struct dominate { /* of a process */
	uint64_t
		inputs; /* transfers that may have brought the device something new, as they ended */
	uint64_t given; /* calls that gave it something new: of such as say so; in their order */
	int64_t first_ns, last_ns; /* of all commands: the first's start, the last's end */
	struct dominate_recent recent[DOMINATE_RECENT]; /* a ring */
	uint64_t recent_count;
};

/* Any. A kernel may have run next to transfers that ended before it. */
void dominate_command(struct dominate *dominate, struct copy_buffers *buffers,
		      const struct operation *operation);

/* Of a buffer, by its row. `ns`: what it took (exposed.h). Whether it is counted. */
bool dominate_transfer(struct dominate *dominate, struct copy_buffers *buffers, uint32_t row,
		       const struct operation *operation, const struct copy_call *call,
		       uint64_t ns);

/* One that was counted, the thread's latest, brought something new after all; or it did not. */
void dominate_take_back(struct dominate *dominate, struct copy_buffer *buffer,
			const struct copy_latest *last, uint64_t bytes);
void dominate_take_back_input(struct dominate *dominate);

/* An earlier one to the host, which nobody had time to look at. */
void dominate_unread(struct copy_buffers *buffers, const struct unread_taken *taken);

/* A call gave the device something new. */
void dominate_given(struct dominate *dominate);

/* `told_ns`: of the process, what other findings have. Returns 0 or -ENOMEM. */
int dominate_add(const struct dominate *dominate, uint32_t process,
		 const struct copy_buffers *buffers, uint64_t told_ns, struct findings *findings);

#endif
