/* SPDX-License-Identifier: MIT */
#include "domains/cuda/calls/parameter_sizes.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "domains/cuda/cupti/driver.h"

#define KERNELS 512u
#define WORDS_KEPT 15u /* parameters of a kernel that is kept */

/* Who has made `function` BUSY fills the rest. */
#define BUSY 1u

struct kernel {
	_Atomic uint64_t function; /* 0: free */
	_Atomic uint64_t packed[2];
};

static struct kernel kernels[KERNELS];
static _Atomic uint32_t forgotten; /* times */

static struct kernel *kernel_at(uint64_t function)
{
	return &kernels[(function >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 55];
}

static bool kept_find(uint64_t function, struct cuda_parameter_sizes *sizes)
{
	struct kernel *kernel = kernel_at(function);
	uint64_t packed[2];

	if (atomic_load(&kernel->function) != function)
		return false;
	packed[0] = atomic_load(&kernel->packed[0]);
	packed[1] = atomic_load(&kernel->packed[1]);
	if (atomic_load(&kernel->function) != function)
		return false;
	memcpy(sizes, packed, sizeof(packed));
	return true;
}

/* Takes the place of another one. `times`: forgotten when the driver was asked. */
static void keep(uint64_t function, const struct cuda_parameter_sizes *sizes, uint32_t times)
{
	struct kernel *kernel = kernel_at(function);
	uint64_t known = atomic_load(&kernel->function), packed[2];

	if (sizes->count > WORDS_KEPT || known == BUSY ||
	    !atomic_compare_exchange_strong(&kernel->function, &known, BUSY))
		return;
	memcpy(packed, sizes, sizeof(packed));
	atomic_store(&kernel->packed[0], packed[0]);
	atomic_store(&kernel->packed[1], packed[1]);
	atomic_store(&kernel->function, function);
	if (atomic_load(&forgotten) != times)
		atomic_store(&kernel->function, 0);
}

_Static_assert(offsetof(struct cuda_parameter_sizes, words) + WORDS_KEPT == 2 * sizeof(uint64_t),
	       "packed");
_Static_assert(KERNELS == 1u << (64 - 55), "kernel_at()");

bool cuda_parameter_sizes_find(const void *function, struct cuda_parameter_sizes *sizes)
{
	uint32_t times = atomic_load(&forgotten), count;
	size_t bytes[CUDA_PARAMETERS_MOST];

	if (kept_find((uintptr_t)function, sizes))
		return true;
	count = cuda_driver_parameters(function, bytes, CUDA_PARAMETERS_MOST);
	if (count > CUDA_PARAMETERS_MOST)
		return false;
	memset(sizes, 0, sizeof(*sizes));
	sizes->count = (uint8_t)count;
	for (uint32_t i = 0; i < count; i++) {
		size_t words = bytes[i] / sizeof(uint64_t);

		sizes->words[i] = words < UINT8_MAX ? (uint8_t)words : UINT8_MAX;
	}
	keep((uintptr_t)function, sizes, times);
	return true;
}

/* What is BUSY meanwhile sees that it was. */
void cuda_parameter_sizes_forget(void)
{
	atomic_fetch_add(&forgotten, 1);
	for (uint32_t i = 0; i < KERNELS; i++) {
		uint64_t known = atomic_load(&kernels[i].function);

		if (known && known != BUSY)
			atomic_compare_exchange_strong(&kernels[i].function, &known, 0);
	}
}
