/* SPDX-License-Identifier: MIT */
/* How HSA's runtime is reached: it gives its tables to a tool. */
#ifndef TANDEM_DOMAINS_HSA_ATTACH_H
#define TANDEM_DOMAINS_HSA_ATTACH_H

#include <stdint.h>

#include "domains/hsa/abi.h"

/* `entry`: TANDEM_HSA_ENTRY_*. The tables may come by both ways, and again when HSA is
 * initialised anew. */
void hsa_attach_tables(struct hsa_api_table *tables, uint8_t entry);

void hsa_attached_describe(void); /* the record `runtime` */

/* How often HSA was initialised: what it made before is gone. */
uint32_t hsa_generation(void);

void hsa_at_fork(void);

/* What libtandem-hsa.so calls. */
__attribute__((visibility("default"))) void tandem_hsa_loaded(void *tables);

#endif
