/* SPDX-License-Identifier: MIT */
/* HSA's own numbers in the control page (tandem_domain_control); schema/domain/cuda.h explains
 * the lists. */
#ifndef TANDEM_SCHEMA_HSA_H
#define TANDEM_SCHEMA_HSA_H

#define TANDEM_HSA_CHOICES(X)                                                               \
	X(api, 1, 0, "calls of the API, but for those that a runtime above it makes")       \
	X(all, 0, TANDEM_HSA_BIT(api),                                                      \
	  "each load and store of a signal or an index, too, "                              \
	  "and what HIP's runtime calls")                                                   \
	X(kernels, 1, 0, "dispatches and copies, where HIP's runtime does not report them") \
	X(memory, 1, 0, "allocations")

enum tandem_hsa_choice {
#define X(word, on, needs, description) TANDEM_HSA_##word,
	TANDEM_HSA_CHOICES(X) TANDEM_HSA_COUNT
#undef X
};

#define TANDEM_HSA_BIT(word) (1u << TANDEM_HSA_##word)

#define TANDEM_HSA_NOTICES(X)                                                            \
	X(no_interception, "HSA was used, but a queue of it could not be intercepted: "  \
			   "its kernels are not recorded")                               \
	X(lost_signal, "HSA had no signal left for a dispatch or a copy: its times are " \
		       "not recorded")

enum tandem_hsa_notice {
#define X(name, text) TANDEM_HSA_NOTICE_##name,
	TANDEM_HSA_NOTICES(X)
#undef X
};

#endif
