/* SPDX-License-Identifier: MIT */
/* Whether the processor's time-stamp counter is a clock: the recorder asks for a session, an
 * in-process tool without one for its process.
 *
 *	const char *doubt = counter_doubt();	// NULL: it is
 */
#ifndef TANDEM_UTIL_COUNTER_CHECK_H
#define TANDEM_UTIL_COUNTER_CHECK_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static inline bool counter_kernel_uses(const char *name)
{
	char text[32];
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, name);
}

/* Why it is not; NULL: it is. */
static inline const char *counter_doubt(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned eax, ebx, ecx, edx;

	/* Intel SDM vol. 3, 18.17.4 and AMD APM vol. 3, E.4.7: the counter runs at one
	 * rate in every power state. Whether all processors' counters agree is what the
	 * kernel watches: it gives a counter up as clock source when they do not. */
	if (!__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) || !(edx & 1u << 8))
		return "the time-stamp counter is not invariant";
	if (!counter_kernel_uses("tsc"))
		return "the kernel does not trust the time-stamp counter";
	return NULL;
#elif defined(__aarch64__)
	return counter_kernel_uses("arch_sys_counter")
		       ? NULL
		       : "the kernel does not use the system counter";
#else
	return "no supported counter on this processor";
#endif
}

#endif
