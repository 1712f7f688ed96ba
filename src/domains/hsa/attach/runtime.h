/* SPDX-License-Identifier: MIT */
/* The HSA runtime of this process, and what its tables said of it. */
#ifndef TANDEM_DOMAINS_HSA_RUNTIME_H
#define TANDEM_DOMAINS_HSA_RUNTIME_H

#include <stdint.h>

/* It has been initialised, again perhaps. `entry`: TANDEM_HSA_ENTRY_*. */
void hsa_runtime_begins(uint32_t core_bytes, uint32_t amd_bytes, uint8_t entry);

void hsa_runtime_describe(void); /* the record `runtime` */

/* How often HSA was initialised: what it made before is gone. */
uint32_t hsa_runtime_generation(void);

#endif
