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

struct dominate { /* of a process */
	uint64_t
		inputs; /* transfers that may have brought the device something new, as they ended */
	uint64_t given; /* calls that gave it something new: of such as say so; in their order */
	int64_t first_ns, last_ns; /* of all commands: the first's start, the last's end */
};

void dominate_command(struct dominate *dominate, const struct operation *operation);

/* `ns`: what it took (exposed.h). */
void dominate_transfer(struct dominate *dominate, struct copy_buffer *buffer,
		       const struct operation *operation, const struct copy_call *call,
		       uint64_t ns);

/* One that was counted, the thread's latest, brought something new after all; or it did not. */
void dominate_take_back(struct copy_buffer *buffer, const struct copy_latest *last, uint64_t bytes);
void dominate_take_back_input(struct dominate *dominate);

/* A call gave the device something new. */
void dominate_given(struct dominate *dominate);

/* `told_ns`: of the process, what other findings have. Returns 0 or -ENOMEM. */
int dominate_add(const struct dominate *dominate, uint32_t process,
		 const struct copy_buffers *buffers, uint64_t told_ns, struct findings *findings);

#endif
