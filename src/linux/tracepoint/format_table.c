/* SPDX-License-Identifier: MIT */
/* The tracepoints' names, for both builds. */
#include "linux/tracepoint/format.h"

const char *const linux_tracepoint_system[LINUX_TRACEPOINT_COUNT] = {
#define X(constant, system, name, ...) [LINUX_##constant] = system,
	LINUX_TRACEPOINTS(X)
#undef X
};

const char *const linux_tracepoint_name[LINUX_TRACEPOINT_COUNT] = {
#define X(constant, system, name, ...) [LINUX_##constant] = name,
	LINUX_TRACEPOINTS(X)
#undef X
};
