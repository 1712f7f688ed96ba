/* SPDX-License-Identifier: MIT */
/* Whether the packets of CTF traces have a size. Of one without, libbabeltrace2 (2.0.4) makes
 * entries in its index for ever, until the memory is used up. One thread.
 */
#ifndef TANDEM_TRACE_TRACE_PACKETS_H
#define TANDEM_TRACE_TRACE_PACKETS_H

#include <stddef.h>

#include "trace/external/hosts/trace_folders.h"

/* Returns 0, or -EBADMSG and in `why` the first packet whose size is 0. Traces that are laid
 * out in another way than LTTng's, and whatever else is wrong, are left to who reads them. */
int trace_packets_check(const struct trace_folders *folders, char *why, size_t why_bytes);

#endif
