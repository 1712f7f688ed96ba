/* SPDX-License-Identifier: MIT */
#include "domains/cuda/calls/parameters.h"

#include <stdatomic.h>
#include <string.h>

#include "core/control.h"
#include "core/stream/stream.h"
#include "domains/cuda/calls/call.h"
#include "domains/cuda/calls/parameter_sizes.h"
#include "domains/cuda/gen/ids.h"
#include "domains/cuda/operation_id.h"
#include "domains/cuda/state.h"
#include "schema/gen/core_records.h"

/* A kernel with more is not recorded. */
#define ADDRESSES_MOST 24u

/* Addresses of the device and of the host, in 64-bit programs on Linux. */
#define ADDRESS_LEAST (UINT64_C(1) << 32)
#define ADDRESS_END (UINT64_C(1) << 47)

/* Words of `extra` (CU_LAUNCH_PARAM_*). */
enum { EXTRA_END, EXTRA_BUFFER, EXTRA_BYTES };

typedef void *const *pointers;

struct launch {
	const void *function;
	pointers parameters; /* pointers to their values ... */
	pointers extra;	     /* ... or one buffer with all of them */
};

struct addresses {
	uint64_t words[ADDRESSES_MOST];
	uint32_t count;
	bool too_many;
};

static bool launch_of(uint32_t id, const struct cupti_call *data, struct launch *launch)
{
	switch (id) {
	case CUDA_DRIVER_cuLaunchKernel:
	case CUDA_DRIVER_cuLaunchKernel_ptsz:
		launch->function = CUDA_ARGUMENT(data, void *, 0);
		launch->parameters = CUDA_ARGUMENT(data, pointers, 48);
		launch->extra = CUDA_ARGUMENT(data, pointers, 56);
		return true;
	case CUDA_DRIVER_cuLaunchCooperativeKernel:
	case CUDA_DRIVER_cuLaunchCooperativeKernel_ptsz:
		launch->function = CUDA_ARGUMENT(data, void *, 0);
		launch->parameters = CUDA_ARGUMENT(data, pointers, 48);
		launch->extra = NULL;
		return true;
	case CUDA_DRIVER_cuLaunchKernelEx:
	case CUDA_DRIVER_cuLaunchKernelEx_ptsz:
		launch->function = CUDA_ARGUMENT(data, void *, 8);
		launch->parameters = CUDA_ARGUMENT(data, pointers, 16);
		launch->extra = CUDA_ARGUMENT(data, pointers, 24);
		return true;
	default:
		return false;
	}
}

static void add_word(struct addresses *addresses, uint64_t word)
{
	if (word < ADDRESS_LEAST || word >= ADDRESS_END)
		return;
	for (uint32_t i = 0; i < addresses->count; i++) {
		if (addresses->words[i] == word)
			return;
	}
	if (addresses->count == ADDRESSES_MOST)
		addresses->too_many = true;
	else
		addresses->words[addresses->count++] = word;
}

/* Pointers lie at multiples of their size. */
static void add_value(struct addresses *addresses, const uint8_t *value, size_t words)
{
	uint64_t word;

	for (size_t i = 0; i < words; i++) {
		memcpy(&word, value + i * sizeof(word), sizeof(word));
		add_word(addresses, word);
	}
}

/* False: the driver does not say how large they are. */
static bool add_parameters(struct addresses *addresses, const struct launch *launch)
{
	struct cuda_parameter_sizes sizes;

	if (!cuda_parameter_sizes_find(launch->function, &sizes))
		return false;
	for (uint32_t i = 0; i < sizes.count; i++) {
		if (sizes.words[i] == UINT8_MAX)
			return false;
		if (launch->parameters[i])
			add_value(addresses, launch->parameters[i], sizes.words[i]);
	}
	return true;
}

static bool add_extra(struct addresses *addresses, pointers extra)
{
	const uint8_t *buffer = NULL;
	const size_t *bytes = NULL;

	for (uint32_t i = 0; (uintptr_t)extra[i] != EXTRA_END; i += 2) {
		if ((uintptr_t)extra[i] == EXTRA_BUFFER)
			buffer = extra[i + 1];
		else if ((uintptr_t)extra[i] == EXTRA_BYTES)
			bytes = extra[i + 1];
		else
			return false;
	}
	if (buffer && bytes)
		add_value(addresses, buffer, *bytes / sizeof(uint64_t));
	return buffer && bytes;
}

static void record_put(uint64_t op, const struct addresses *addresses)
{
	struct tandem_rec_kernel_memory *record;
	uint32_t bytes = addresses->count * (uint32_t)sizeof(addresses->words[0]);

	record = tandem_record_begin(TANDEM_EVENT_kernel_memory, (uint32_t)sizeof(*record) + bytes);
	if (!record)
		return;
	record->op = op;
	record->addresses_count = (uint16_t)addresses->count;
	memcpy(record + 1, addresses->words, bytes);
	tandem_record_commit();
}

void cuda_parameters_called(uint32_t id, const struct cupti_call *data)
{
	struct addresses addresses = {.count = 0};
	struct launch launch;
	bool known = false;

	if (tandem_likely(tandem_control.args_level != TANDEM_ARGS_FULL) || !data->arguments ||
	    !cuda_recording() || !cuda_wanted(TANDEM_CUDA_kernels) ||
	    atomic_load_explicit(&cuda_captures, memory_order_relaxed) ||
	    !launch_of(id, data, &launch))
		return;
	if (launch.parameters)
		known = add_parameters(&addresses, &launch);
	else if (launch.extra)
		known = add_extra(&addresses, launch.extra);
	if (known && !addresses.too_many)
		record_put(cuda_operation_id(data->correlation), &addresses);
}
