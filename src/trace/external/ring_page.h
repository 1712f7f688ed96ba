/* SPDX-License-Identifier: MIT */
/* A page of the kernel's ring buffer as a file has it, made safe to give to
 * libtraceevent, which believes what is written there: the length of the page, and
 * of each event. Little endian; the layout is include/linux/ring_buffer.h's. */
#ifndef TANDEM_TRACE_RING_PAGE_H
#define TANDEM_TRACE_RING_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Ends the page, if need be, where an event reaches beyond it. long_bytes is that
 * of the kernel's `long`, 4 or 8. Returns false if events were cut off. */
bool ring_page_trim(uint8_t *page, uint32_t page_bytes, unsigned long_bytes);

#endif
