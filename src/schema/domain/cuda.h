/* SPDX-License-Identifier: MIT */
/* CUDA's own numbers in the control page (tandem_domain_control).
 *
 * Choices, `tandem record --cuda LIST`: X(word, on, needs, description). `on`: it is
 * recorded unless the user says otherwise. `needs`: what is recorded with it. The
 * command parses and explains the list by them, the domain obeys.
 *
 * Notices, what a process found that its user should know though no event was lost:
 * X(name, text). `tandem record` prints the text at the end. */
#ifndef TANDEM_SCHEMA_CUDA_H
#define TANDEM_SCHEMA_CUDA_H

#define TANDEM_CUDA_CHOICES(X)                                                                    \
	X(api, 1, 0, "calls of the runtime and the driver API")                                   \
	X(queries, 0, TANDEM_CUDA_BIT(api),                                                       \
	  "also calls that only query: cudaGetDevice, cudaGetLastError")                          \
	X(all, 0, TANDEM_CUDA_BIT(api), "and those that the runtime makes under most of its own") \
	X(kernels, 1, 0, "kernels, copies and fills")                                             \
	X(memory, 1, 0, "allocations")                                                            \
	X(graphs, 1, TANDEM_CUDA_BIT(kernels),                                                    \
	  "each node of a graph; without it a graph is one operation")                            \
	X(um, 1, 0, "unified memory: migrations and faults")                                      \
	X(overhead, 1, 0, "what CUDA and CUPTI themselves cost")                                  \
	X(modules, 1, 0, "loaded device code, with its hash")                                     \
	X(cubin, 0, TANDEM_CUDA_BIT(modules), "keep the loaded device code in the session")       \
	X(latency, 0, TANDEM_CUDA_BIT(kernels),                                                   \
	  "when a kernel was queued and submitted, at a price")                                   \
	X(external, 0, TANDEM_CUDA_BIT(kernels),                                                  \
	  "the program's own numbers of what it launches, at a price")

enum tandem_cuda_choice {
#define X(word, on, needs, description) TANDEM_CUDA_##word,
	TANDEM_CUDA_CHOICES(X) TANDEM_CUDA_COUNT
#undef X
};

#define TANDEM_CUDA_BIT(word) (1u << TANDEM_CUDA_##word)

#define TANDEM_CUDA_REFUSED "(`tandem print --name refused` has its words)"

#define TANDEM_CUDA_NOTICES(X)                                                                   \
	X(no_cupti, "CUDA was used, but CUPTI was not found: nothing of it is recorded "         \
		    "(`tandem doctor` says where it is looked for)")                             \
	X(old_cupti, "CUDA was used, but every CUPTI found is older than CUDA 12.0: nothing "    \
		     "of it is recorded")                                                        \
	X(busy, "CUDA was used, but another tool holds CUPTI: nothing of it is recorded")        \
	X(failed, "CUDA was used, but CUPTI refused to start: nothing of it is recorded")        \
	X(partly, "CUPTI refused something of CUDA's activity " TANDEM_CUDA_REFUSED)             \
	X(no_kernels, "CUPTI refused to record CUDA's kernels " TANDEM_CUDA_REFUSED)             \
	X(no_copies, "CUPTI refused to record CUDA's copies " TANDEM_CUDA_REFUSED)               \
	X(no_fills, "CUPTI refused to record CUDA's fills " TANDEM_CUDA_REFUSED)                 \
	X(no_um, "CUPTI refused to record unified memory " TANDEM_CUDA_REFUSED)                  \
	X(no_overhead, "CUPTI refused to record its overhead " TANDEM_CUDA_REFUSED)              \
	X(no_graphs, "CUPTI refused to record CUDA's graphs " TANDEM_CUDA_REFUSED)               \
	X(no_external, "CUPTI refused to record the program's own numbers " TANDEM_CUDA_REFUSED) \
	X(clock, "CUPTI would not take the session's clock: device times are fitted to "         \
		 "it")                                                                           \
	X(chain, "the library that CUDA_INJECTION64_PATH named could not be loaded "             \
		 "next to ours")                                                                 \
	X(no_device, "CUDA was used, but it found no device: nothing of it is recorded "         \
		     "(`tandem doctor` says more)")                                              \
	X(fatal, "CUPTI met a fatal error and stopped: CUDA is recorded up to there")

enum tandem_cuda_notice {
#define X(name, text) TANDEM_CUDA_NOTICE_##name,
	TANDEM_CUDA_NOTICES(X)
#undef X
};

#endif
