/* SPDX-License-Identifier: MIT */
/* Which memory a call moves, by its arguments. Memory of the device is an object (OpenCL) or an
 * address (CUDA), for which basic arguments do. That of the host is an address, which of OpenCL
 * is recorded with all arguments only. One thread. */
#ifndef TANDEM_ANALYSIS_OPERATIONS_TRANSFER_ENDS_H
#define TANDEM_ANALYSIS_OPERATIONS_TRANSFER_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct trace_event;

struct transfer_ends {
	uint64_t buffer; /* the device's end: a key, of the process too */
	uint64_t host;	 /* the host's; 0: not recorded */
	bool is_address; /* the device's end is one, and no object */
};

/* False where the call moves nothing between host and device, or it is not known which is which. */
bool transfer_ends_find(const struct trace_event *event, struct transfer_ends *ends);

/* `buffer` of a memory object with that number, in the process of the event. */
uint64_t transfer_ends_buffer(const struct trace_event *event, uint64_t memory);

/* The same of memory that is an address. */
uint64_t transfer_ends_address(const struct trace_event *event, uint64_t address);

#endif
