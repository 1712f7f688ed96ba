/* SPDX-License-Identifier: MIT */
/* Calls that map memory of the device for the host, and that take it back (OpenCL): which memory, by their
 * arguments. One thread. */
#ifndef TANDEM_ANALYSIS_OPERATIONS_MAPPINGS_H
#define TANDEM_ANALYSIS_OPERATIONS_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

struct trace_event;

enum mapping_kind { MAPPING_NONE, MAPPING_MAPS, MAPPING_UNMAPS };

struct mapping {
	uint64_t buffer; /* a key, as of struct transfer_ends */
	bool writes;	 /* of one that maps: to be written */
};

/* Of a call that enqueues. Fields are looked up by their names: not for each event. */
enum mapping_kind mapping_find(const struct trace_event *event, struct mapping *mapping);

#endif
