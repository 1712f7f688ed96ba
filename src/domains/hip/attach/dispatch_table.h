/* SPDX-License-Identifier: MIT */
/* The third way in: the dispatch tables that HIP 6 and later hands to rocprofiler-register.
 * Wrappers of ours take the place of its functions; where the runtime knows functions that
 * this tandem does not, they stay as they are and are not recorded. */
#ifndef TANDEM_DOMAINS_HIP_DISPATCH_TABLE_H
#define TANDEM_DOMAINS_HIP_DISPATCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Before any function of the table is called. `compiler`: the table of functions that
 * compiled code calls. Returns how many of its functions this tandem does not know. */
uint32_t hip_dispatch_table_wrap(void *table, bool compiler);

#endif
