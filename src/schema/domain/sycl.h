/* SPDX-License-Identifier: MIT */
/* SYCL's own numbers in the control page (tandem_domain_control).
 *
 * Choices, `tandem record --sycl LIST`: X(word, on, needs, description), as in cuda.h.
 * Notices, what a process found that its user should know though no event was lost:
 * X(name, text). `tandem record` prints the text at the end. */
#ifndef TANDEM_SCHEMA_SYCL_H
#define TANDEM_SCHEMA_SYCL_H

#define TANDEM_SYCL_CHOICES(X)                                                        \
	X(graph, 1, 0, "the task graph, tasks, waits, queues")                        \
	X(memory, 1, 0, "allocations of unified shared memory, and those of buffers") \
	X(buffers, 1, 0, "buffers, images and accessors")                             \
	X(calls, 0, 0, "calls of the layer below SYCL (PI, Unified Runtime), at a price")

enum tandem_sycl_choice {
#define X(word, on, needs, description) TANDEM_SYCL_##word,
	TANDEM_SYCL_CHOICES(X) TANDEM_SYCL_COUNT
#undef X
};

#define TANDEM_SYCL_BIT(word) (1u << TANDEM_SYCL_##word)

#define TANDEM_SYCL_NOTICES(X) \
	X(no_nodes, "SYCL: tasks whose node was not seen; they are recorded without it")

enum tandem_sycl_notice {
#define X(name, text) TANDEM_SYCL_NOTICE_##name,
	TANDEM_SYCL_NOTICES(X)
#undef X
};

#endif
