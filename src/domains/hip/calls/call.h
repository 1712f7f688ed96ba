/* SPDX-License-Identifier: MIT */
/* One call of a HIP function, whichever way its runtime reports it, and its record.
 *
 *	hip_call_prepare(&call, function);             // the operation id, if it makes any
 *	hip_call_record(&call, arguments);             // before the real call
 *	hip_call_end(&call, function, arguments, status);
 *
 * Any thread; calls nest. */
#ifndef TANDEM_DOMAINS_HIP_CALL_H
#define TANDEM_DOMAINS_HIP_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/call/call.h"

struct hip_call {
	struct tandem_call call; /* .record is NULL: nothing is recorded */
	uint64_t op;		 /* of its operations; 0: it makes none */
	uint32_t function;	 /* 0: it is not recorded */
	bool hip5;		 /* its arguments are laid out as HIP 5 has them */
	void *data;		 /* of the way in (activity_callbacks.c) */
	const void *frame;	 /* in the runtime's or the wrapper's frame; NULL: not known */
	uint64_t operation;	 /* of the wrapped call around it */
	struct hip_call *outer;	 /* around it, of those that callbacks report */
};

/* For callbacks, which keep a call from its entry to its exit: a place for one more call
 * of this thread, which hip_call_leave() gives back, with those within it that the program
 * has left by longjmp(). NULL: no memory. */
struct hip_call *hip_call_enter(void);
void hip_call_leave(struct hip_call *call);

/* Whether the function's call is recorded now. Then call->function is set. */
bool hip_call_prepare(struct hip_call *call, uint32_t function, bool hip5);

/* `arguments`: laid out as gen/args.h says, or HIP 5's; they are read only here. */
void hip_call_record(struct hip_call *call, const void *arguments);

/* `status`: a hipError_t, or TANDEM_RESULT_UNKNOWN. */
void hip_call_end(struct hip_call *call, const void *arguments, int32_t status);

#endif
