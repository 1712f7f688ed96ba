/* SPDX-License-Identifier: MIT */
/* Constructs: places in the program that make nodes of the task graph. A construct is what
 * the event's payload and the kernel's name say, whatever event the runtime has for it; it is
 * described when it is first met, and again after a resume. Any thread. */
#ifndef TANDEM_DOMAINS_SYCL_CONSTRUCT_H
#define TANDEM_DOMAINS_SYCL_CONSTRUCT_H

#include <stdint.h>

#include "domains/sycl/metadata.h"

/* Where an event's payload says that it is; "<unknown-file>" counts as nothing. */
struct sycl_place {
	struct sycl_text name, file;
	uint32_t line, column;
	uint64_t address;
};

void sycl_place_of(struct sycl_place *place, xpti_event_data_t *event);

/* Its number; writes its description where that is due. `what`: the runtime's word for the
 * operation, or NULL. 0: it can't be kept. */
uint32_t sycl_construct_of(xpti_event_data_t *event, const struct sycl_metadata *metadata,
			   const char *what);

#endif
