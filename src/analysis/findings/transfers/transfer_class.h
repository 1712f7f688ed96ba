/* SPDX-License-Identifier: MIT */
/* Transfers that are taken together: of one device and direction, and of a size or of one kind of
 * host memory. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_TRANSFERS_TRANSFER_CLASS_H
#define TANDEM_ANALYSIS_FINDINGS_TRANSFERS_TRANSFER_CLASS_H

#include "analysis/findings/finding.h"
#include "analysis/operations/operation.h"

struct transfer_class {
	uint64_t count, bytes;
	uint64_t ns;	   /* on the device */
	uint64_t least_ns; /* of one, with what its call took besides */
	uint64_t exposed_ns;
	double fastest; /* bytes a ns, of one */
	uint32_t stream;
	uint16_t api; /* event id of the call, of the longest; so are: */
	int64_t begin_ns, end_ns;
	uint32_t process, queue; /* queue: its number in the process */
	uint64_t longest_ns;
};

/* `exposed_ns`: of its time, that in which the device ran no kernel (exposed.h). */
void transfer_class_add(struct transfer_class *class, const struct operation *operation,
			uint64_t exposed_ns);

/* Bytes a ns, of all. */
double transfer_class_rate(const struct transfer_class *class);

/* The function that made the longest. */
const char *transfer_class_api(const struct transfer_class *class, const struct findings *findings);

/* A new finding of `transfers`, of these; NULL without memory. */
struct finding *transfer_class_finding(const struct transfer_class *class,
				       struct findings *findings, uint32_t device, uint8_t kind,
				       const char *cause);

/* "to the device", "to the host", "on the device". */
const char *transfer_direction(uint8_t kind);

#endif
