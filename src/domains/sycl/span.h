/* SPDX-License-Identifier: MIT */
/* What a thread has begun and not ended yet: tasks, waits, allocations, each an open record.
 * Trace points come in pairs, of which the second may be missing: what lies above an end that
 * fits, and what is oldest where too many are open, has no end in the trace. One thread's. */
#ifndef TANDEM_DOMAINS_SYCL_SPAN_H
#define TANDEM_DOMAINS_SYCL_SPAN_H

#include <stdint.h>

#include "core/call/call.h"

/* Begins a record of the event id, of `bytes`; `kind` (the trace point of its begin) is what
 * its end is found by. NULL: not recorded. After filling it: tandem_record_commit(). */
void *sycl_span_begin(uint16_t kind, uint16_t id, uint32_t bytes);

/* Ends the latest of that kind; `returned` replaces the record's first bytes. */
void sycl_span_end(uint16_t kind, const void *returned, uint32_t returned_bytes);

#endif
