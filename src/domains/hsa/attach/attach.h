/* SPDX-License-Identifier: MIT */
/* How HSA's runtime is reached: it gives its tables to a tool. */
#ifndef TANDEM_DOMAINS_HSA_ATTACH_H
#define TANDEM_DOMAINS_HSA_ATTACH_H

/* By the name that rocprofiler-register has for it, "hsa", or HSA_TOOLS. The tables may come
 * by both ways, and again when HSA is initialised anew. */
void hsa_offered(const char *name, void *tables);
#define HSA_TOOLS "hsa tools"

void hsa_at_fork(void);

/* What libtandem-hsa.so calls. */
__attribute__((visibility("default"))) void tandem_hsa_loaded(void *tables);

#endif
