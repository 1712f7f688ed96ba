/* SPDX-License-Identifier: MIT */
/* One call of a function of libnvrtc's, and its record. Any thread; calls nest: the compiler may call
 * the program back, which calls others. */
#ifndef TANDEM_DOMAINS_NVRTC_CALL_H
#define TANDEM_DOMAINS_NVRTC_CALL_H

#include <stdint.h>

#include "core/call/call.h"

struct nvrtc_call {
	struct tandem_call call;
	uint64_t begin; /* of a build */
	uint32_t function;
};

/* Before the real call and after it, while recording; `arguments` as gen/args.h has them. */
void nvrtc_wrapped_begin(struct nvrtc_call *call, uint32_t function, const void *arguments);
void nvrtc_wrapped_end(struct nvrtc_call *call, const void *arguments, int32_t status);

#endif
