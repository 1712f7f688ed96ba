/* Which CPUs take part now (sysfs). Any thread. */
#ifndef TANDEM_LINUX_CPUS_H
#define TANDEM_LINUX_CPUS_H

#include <stddef.h>
#include <stdint.h>

enum { KERNEL_CPUS = 8192 }; /* NR_CPUS is never more (CONFIG_MAXSMP) */

struct kernel_cpus {
	uint64_t bits[KERNEL_CPUS / 64];
};

/* Fills the set of those that are on-line. Returns how many, or -errno. */
int kernel_cpus_online(struct kernel_cpus *cpus);

static inline int kernel_cpus_has(const struct kernel_cpus *cpus, int cpu)
{
	return cpus->bits[cpu / 64] >> (cpu % 64) & 1;
}

#endif
