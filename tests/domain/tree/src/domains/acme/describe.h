/* SPDX-License-Identifier: MIT */
/* Our numbers of the runtime's objects, with a record of what each is. Any thread. */
#ifndef TANDEM_DOMAINS_ACME_DESCRIBE_H
#define TANDEM_DOMAINS_ACME_DESCRIBE_H

#include <stdint.h>

#include "core/control.h"
#include "domains/acme/abi.h"

static inline bool acme_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(acme);
}

void acme_device_begin(const struct acm_runtime *runtime);

/* Describes an object met unannounced (core/domain.h). */
void acme_describe(unsigned type, void *handle, uint32_t number);

uint32_t acme_queue_created(const void *queue);
uint32_t acme_memory_created(const void *memory, uint64_t bytes);
void acme_memory_freed(const void *memory);

#endif
