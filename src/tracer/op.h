/* SPDX-License-Identifier: MIT */
/* The tracer's domains and operations, by numbers and names, and the events that they are.
 * Static storage; any thread. */
#ifndef TANDEM_TRACER_OP_H
#define TANDEM_TRACER_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/schema.h"
#include "tandem/tracer.h"

#define OP_KINDS 16u /* that devices do */

/* Whether there is such an operation. */
bool op_exists(uint32_t domain, uint32_t kind, uint32_t op);

/* How many numbers there are, from 0; 0 where there is no such domain. */
uint32_t op_count(uint32_t domain, uint32_t kind);

bool op_domain_exists(uint32_t domain);

/* The function's event, whose tandem_id_number() it is; NULL: it is none of an API. */
const struct tandem_event *op_event(uint32_t domain, uint32_t op);

/* The name of a function that exists. */
const char *op_function_name(uint32_t domain, uint32_t op);

/* Where a call's record has its operation id, from the record's start; 0: nowhere. */
uint16_t op_id_offset(const struct tandem_event *event);

#endif
