/* SPDX-License-Identifier: MIT */
#include "linux/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/system.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* "0-3,5,8-11". */
static int parse(const char *text, struct linux_cpus *cpus)
{
	int count = 0;

	memset(cpus, 0, sizeof(*cpus));
	while (*text >= '0' && *text <= '9') {
		char *rest;
		unsigned long first = strtoul(text, &rest, 10), last = first;

		if (*rest == '-')
			last = strtoul(rest + 1, &rest, 10);
		if (last >= LINUX_CPUS || last < first)
			return -ERANGE;
		for (; first <= last; first++, count++)
			cpus->bits[first / 64] |= UINT64_C(1) << (first % 64);
		text = *rest == ',' ? rest + 1 : rest;
	}
	return count ? count : -EINVAL;
}

int linux_cpus_online(struct linux_cpus *cpus)
{
	char text[4096];
	long length = system_read_text(ONLINE, text, sizeof(text));

	return length < 0 ? (int)length : parse(text, cpus);
}
