/* SPDX-License-Identifier: MIT */
/* Which CPUs take part now (sysfs). Any thread. */
#ifndef TANDEM_LINUX_CPUS_H
#define TANDEM_LINUX_CPUS_H

#include <stddef.h>
#include <stdint.h>

enum { LINUX_CPUS = 8192 }; /* NR_CPUS is never more (CONFIG_MAXSMP) */

struct linux_cpus {
	uint64_t bits[LINUX_CPUS / 64];
};

/* Fills the set of those that are on-line. Returns how many, or -errno. */
int linux_cpus_online(struct linux_cpus *cpus);

static inline int linux_cpus_has(const struct linux_cpus *cpus, int cpu)
{
	return cpus->bits[cpu / 64] >> (cpu % 64) & 1;
}

#endif
