/* SPDX-License-Identifier: MIT */
/* What the runtime tells a tool: it loads the library that ACM_TOOL names in acmInit(), and
 * calls its acm_tool_begin(), which fills in the tool's functions. */
#ifndef TANDEM_DOMAINS_ACME_ABI_H
#define TANDEM_DOMAINS_ACME_ABI_H

#include <stdint.h>

enum acm_function {
	ACM_INIT = 1,
	ACM_QUEUE_CREATE,
	ACM_QUEUE_DESTROY,
	ACM_ALLOC,
	ACM_FREE,
	ACM_COPY,
	ACM_LAUNCH,
	ACM_QUEUE_WAIT,
	ACM_QUEUE_QUERY,
	ACM_ERROR_NAME,
};

/* In the thread that makes the call, before and after it. */
struct acm_call {
	uint32_t function;
	uint32_t ended;	      /* 1: after it */
	uint64_t correlation; /* of what it enqueues; else 0 */
	const uint64_t *args; /* as many as the function has */
	uint64_t returned;    /* what a create call made */
	int32_t status;
};

enum acm_operation_kind { ACM_KERNEL, ACM_WRITE, ACM_READ };

/* In the device's thread: one operation is done. Times in ns of the device's clock. */
struct acm_done {
	uint64_t correlation;
	const void *queue;
	uint32_t kind;
	uint64_t bytes;
	const char *kernel;
	uint64_t start_ns, end_ns;
};

struct acm_runtime {
	uint32_t version;
	uint64_t (*device_clock_ns)(void);
};

struct acm_tool {
	void (*call)(const struct acm_call *call);
	void (*done)(const struct acm_done *done);
};

#endif
