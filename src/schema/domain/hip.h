/* SPDX-License-Identifier: MIT */
/* HIP's own numbers in the control page (tandem_domain_control); schema/domain/cuda.h explains
 * the lists. */
#ifndef TANDEM_SCHEMA_HIP_H
#define TANDEM_SCHEMA_HIP_H

#define TANDEM_HIP_CHOICES(X)                                                            \
	X(api, 1, 0, "calls of the API")                                                 \
	X(all, 0, TANDEM_HIP_BIT(api),                                                   \
	  "also calls that only query (hipGetDevice, hipGetLastError) or that compiled " \
	  "launches make")                                                               \
	X(kernels, 1, 0, "kernels, copies, fills and barriers")                          \
	X(memory, 1, 0, "allocations")

enum tandem_hip_choice {
#define X(word, on, needs, description) TANDEM_HIP_##word,
	TANDEM_HIP_CHOICES(X) TANDEM_HIP_COUNT
#undef X
};

#define TANDEM_HIP_BIT(word) (1u << TANDEM_HIP_##word)

#define TANDEM_HIP_NOTICES(X)                                                                    \
	X(no_way, "HIP was used, but its runtime offers no way to record it: nothing of it "     \
		  "is recorded")                                                                 \
	X(refused, "HIP's runtime refused to register some of its callbacks")                    \
	X(no_device, "HIP was used, but it found no device: its calls are recorded alone")       \
	X(no_operations, "HIP's runtime reports nothing of what its devices do, and HSA is not " \
			 "recorded: its calls are recorded alone")                               \
	X(chain, "the library that ROCPROFILER_REGISTER_LIBRARY named could not be loaded "      \
		 "next to ours")

enum tandem_hip_notice {
#define X(name, text) TANDEM_HIP_NOTICE_##name,
	TANDEM_HIP_NOTICES(X)
#undef X
};

#endif
