/* SPDX-License-Identifier: MIT */
#include "linux/tracepoint/syscall.h"

#include <stddef.h>
#include <sys/syscall.h>

/* The build makes X(name) of every __NR_name of <sys/syscall.h>. */
static const char *const names[] = {
#define X(name) [__NR_##name] = #name,
#include "syscall_names.inc"
#undef X
};

const char *linux_syscall_name(uint32_t number)
{
	return number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}
