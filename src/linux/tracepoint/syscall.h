/* SPDX-License-Identifier: MIT */
/* Records of system calls, of the tracepoints raw_syscalls:sys_enter and sys_exit; and what their
 * numbers are called on the machine that Tandem was built for, written before the first of each.
 */
#ifndef TANDEM_LINUX_SYSCALL_H
#define TANDEM_LINUX_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/stream.h"
#include "linux/tracepoint/format.h"
#include "util/map.h"

struct linux_syscalls {
	struct map named; /* numbers whose names were written */
	bool arguments;	  /* are recorded, too */
};

/* The fields of the tracepoint are in `raw`. */
void linux_syscall_entry_put(struct linux_syscalls *syscalls, const struct linux_formats *formats,
			     struct linux_stream *stream, uint64_t ticks, const uint8_t *raw);
void linux_syscall_exit_put(const struct linux_formats *formats, struct linux_stream *stream,
			    uint64_t ticks, const uint8_t *raw);

#endif
