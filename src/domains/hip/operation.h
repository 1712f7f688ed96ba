/* SPDX-License-Identifier: MIT */
/* What devices did, as the runtime reports it, as operation records. */
#ifndef TANDEM_DOMAINS_HIP_OPERATION_H
#define TANDEM_DOMAINS_HIP_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/hip/abi.h"

/* The operation is enqueued to that queue; a kernel's launch says which. Before the
 * runtime can report it. Any thread. */
void hip_operation_expect(uint64_t op, uint32_t queue, uint32_t kernel, uint32_t launch_config);

/* A correlation id for what is not an operation of a call's, but goes to a queue. */
#define HIP_NO_OPERATION ((uint64_t)1 << 63)

/* Up to HIP 5.3 the runtime numbers its operations itself: `number` is one of `op`. */
void hip_operation_number(uint64_t number, uint64_t op);
uint64_t hip_operation_of(uint64_t number); /* 0: not known */

/* In the thread in which the runtime reports it. `has_name`: the record of a kernel has
 * its name. */
void hip_operation_write(const struct hip_activity *activity, uint64_t op, bool has_name);

#endif
