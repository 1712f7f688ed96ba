/* SPDX-License-Identifier: MIT */
/* What a seccomp filter says of a system call, found out by running the filter here: the
 * instructions of linux/filter.h that seccomp(2) accepts, as net/core/filter.c has them.
 *
 *	struct seccomp_data call = {.nr = SYS_openat, .arch = SECCOMP_FILTER_ARCH};
 *	uint32_t action = seccomp_filter_run(program, length, &call) & SECCOMP_RET_ACTION_FULL;
 *
 * No system calls, no memory; any thread. A program that the kernel would refuse, or that is
 * not understood, kills (SECCOMP_RET_KILL_PROCESS).
 */
#ifndef TANDEM_CORE_SECCOMP_FILTER_H
#define TANDEM_CORE_SECCOMP_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>

#if defined(__x86_64__)
#define SECCOMP_FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SECCOMP_FILTER_ARCH AUDIT_ARCH_AARCH64
#else
#define SECCOMP_FILTER_ARCH 0u /* no filter allows it */
#endif

uint32_t seccomp_filter_run(const struct sock_filter *program, unsigned length,
			    const struct seccomp_data *data);

#endif
