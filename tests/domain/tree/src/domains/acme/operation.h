/* SPDX-License-Identifier: MIT */
/* Operations: the runtime numbers them itself, in the call and when they are done. */
#ifndef TANDEM_DOMAINS_ACME_OPERATION_H
#define TANDEM_DOMAINS_ACME_OPERATION_H

#include <stdint.h>

#include "domains/acme/abi.h"
#include "schema/ids.h"
#include "schema/record.h"

static inline uint64_t acme_operation_id(uint64_t correlation)
{
	return TANDEM_OP_RUNTIME(acme) | (correlation & TANDEM_OP_COUNT_MASK);
}

/* In the device's thread. */
void acme_operation_done(const struct acm_done *done);

#endif
