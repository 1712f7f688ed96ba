/* SPDX-License-Identifier: MIT */
#include "linux/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	int fd = open(ONLINE, O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length < 0)
		return -errno;
	text[length] = '\0';
	return parse(text, cpus);
}
