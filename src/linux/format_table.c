/* The tracepoints' names, for both builds. */
#include "linux/format.h"

const char *const kernel_tracepoint_system[KERNEL_TRACEPOINT_COUNT] = {
#define X(constant, system, name, ...) [KERNEL_##constant] = system,
	KERNEL_TRACEPOINTS(X)
#undef X
};

const char *const kernel_tracepoint_name[KERNEL_TRACEPOINT_COUNT] = {
#define X(constant, system, name, ...) [KERNEL_##constant] = name,
	KERNEL_TRACEPOINTS(X)
#undef X
};
