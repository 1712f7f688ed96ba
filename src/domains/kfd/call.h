/* SPDX-License-Identifier: MIT */
/* One call of a function of libhsakmt's, and its record. Any thread; calls nest: libhsakmt calls
 * some of its own functions by their names. */
#ifndef TANDEM_DOMAINS_KFD_CALL_H
#define TANDEM_DOMAINS_KFD_CALL_H

#include <stdint.h>

#include "core/call/call.h"

struct kfd_call {
	struct tandem_call call;
};

/* Before the real call and after it, while recording; `arguments` as gen/args.h has them. */
void kfd_wrapped_begin(struct kfd_call *call, uint32_t function, const void *arguments);
void kfd_wrapped_end(struct kfd_call *call, const void *arguments, int32_t status);

#endif
