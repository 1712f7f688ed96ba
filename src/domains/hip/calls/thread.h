/* SPDX-License-Identifier: MIT */
/* What one thread has of HIP: its calls under way, and its current device. Only its own
 * thread touches it. */
#ifndef TANDEM_DOMAINS_HIP_THREAD_H
#define TANDEM_DOMAINS_HIP_THREAD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

struct hip_call;

/* Small: what is loaded late has little static storage of threads, for all libraries. */
struct hip_thread {
	uint32_t in_tool; /* calls of our own under way: they are not traced */
	int saved_errno;
	uint32_t device;	    /* + 1; 0: not known */
	struct hip_call *innermost; /* reported by callbacks, under way */
	uint64_t operation;	    /* of the innermost wrapped call */
};

extern __thread struct hip_thread hip_thread __attribute__((tls_model("initial-exec")));

/* Around every call of ours into the runtime. Nests. */
static inline void hip_in_tool_begin(void)
{
	if (!hip_thread.in_tool++)
		hip_thread.saved_errno = errno;
}

static inline void hip_in_tool_end(void)
{
	if (!--hip_thread.in_tool)
		errno = hip_thread.saved_errno;
}

#endif
