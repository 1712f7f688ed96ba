/* SPDX-License-Identifier: MIT */
/* What libtandem-rocprofiler.so calls in libtandem.so. */
#ifndef TANDEM_DOMAINS_HIP_ROCPROFILER_H
#define TANDEM_DOMAINS_HIP_ROCPROFILER_H

/* What the user had in ROCPROFILER_REGISTER_LIBRARY. */
#define TANDEM_ENV_ROCPROFILER "TANDEM_ROCPROFILER"

/* A runtime's dispatch table, by the name by which it registers: "hip", "hip_compiler",
 * "hsa". Before any of its functions is called. */
__attribute__((visibility("default"))) void tandem_rocprofiler_table(const char *name, void *table);

__attribute__((visibility("default"))) void tandem_rocprofiler_chain_failed(void);

#endif
