/* SPDX-License-Identifier: MIT */
/* One call of an HSA function, by a wrapper, and its record. Any thread; calls nest. */
#ifndef TANDEM_DOMAINS_HSA_CALL_H
#define TANDEM_DOMAINS_HSA_CALL_H

#include <stdint.h>

#include "core/call/call.h"

struct hsa_call {
	struct tandem_call call;
	uint64_t op;	   /* of its operation; 0: it makes none that is recorded */
	uint32_t function; /* 0: it is not recorded */
};

/* Before the real call and after it; `arguments` as gen/args.h has them. */
void hsa_wrapped_begin(struct hsa_call *call, uint32_t function, const void *arguments);
void hsa_wrapped_end(struct hsa_call *call, const void *arguments, int32_t status);

#endif
