/* SPDX-License-Identifier: MIT */
/* What a transfer moved to the device, as a record `content` behind its call: the same hash for
 * the same bytes. Only where all arguments are recorded. */
#ifndef TANDEM_CORE_CALL_CONTENT_H
#define TANDEM_CORE_CALL_CONTENT_H

#include <stdint.h>

/* Less is moved again in no time, and not recorded. */
#define CONTENT_LEAST 1024u

/* `bytes` of host memory at `data`, which can be read, of operation `op`; `offset`: where to, in
 * the memory object. To be called when the call has returned: the driver took the data then, which
 * have to stay as they are until the command is complete, of which the program can learn by what
 * this call returns only. */
void tandem_content_record(uint64_t op, const void *data, uint64_t offset, uint64_t bytes);

#endif
