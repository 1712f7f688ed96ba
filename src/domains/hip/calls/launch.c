/* SPDX-License-Identifier: MIT */
#include "domains/hip/calls/launch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "core/call/launch_config.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/calls/thread.h"
#include "domains/hip/gen/args.h"
#include "domains/hip/gen/ids.h"
#include "schema/gen/core_records.h"

#define KERNELS 4096u

/* hipFuncAttributes, as far as it is looked at. */
struct function_attributes {
	int32_t binary_version, cache_mode;
	uint64_t constant_bytes, local_bytes;
	int32_t dynamic_bytes_most, items_most, registers, carveout, ptx_version;
	uint64_t shared_bytes;
	uint64_t more[16];
};

_Static_assert(__builtin_offsetof(struct function_attributes, registers) == 32,
	       "hipFuncAttributes");
_Static_assert(__builtin_offsetof(struct function_attributes, shared_bytes) == 48,
	       "hipFuncAttributes");

/* By our numbers of kernels: asked for once. */
static struct {
	_Atomic uint32_t kernel; /* stored last */
	uint32_t registers, static_bytes, private_bytes;
} known[KERNELS];

/* What the code needs. Only of a kernel that the runtime has named: it knows the function, and
 * asking leaves no error behind. */
static void code_describe(struct tandem_rec_launch_config *config, const void *function)
{
	uint32_t slot = config->kernel % KERNELS;
	struct function_attributes attributes;

	if (!hip_runtime.hipFuncGetAttributes || !config->kernel)
		return;
	if (atomic_load_explicit(&known[slot].kernel, memory_order_acquire) != config->kernel) {
		memset(&attributes, 0, sizeof(attributes));
		hip_in_tool_begin();
		if (hip_runtime.hipFuncGetAttributes(&attributes, function))
			memset(&attributes, 0, sizeof(attributes));
		hip_in_tool_end();
		atomic_store(&known[slot].kernel, 0);
		known[slot].registers = (uint32_t)attributes.registers;
		known[slot].static_bytes = (uint32_t)attributes.shared_bytes;
		known[slot].private_bytes = (uint32_t)attributes.local_bytes;
		atomic_store_explicit(&known[slot].kernel, config->kernel, memory_order_release);
	}
	config->registers = known[slot].registers;
	config->static_local_bytes = known[slot].static_bytes;
	config->private_bytes = known[slot].private_bytes;
}

static void blocks_set(struct tandem_rec_launch_config *config, const void *blocks,
		       const void *items)
{
	memcpy(&config->groups_x, blocks, 3 * sizeof(uint32_t));
	memcpy(&config->items_x, items, 3 * sizeof(uint32_t));
}

/* A grid in threads. */
static void threads_set(struct tandem_rec_launch_config *config, const uint32_t *threads,
			const uint32_t *items)
{
	uint32_t blocks[3];

	for (int i = 0; i < 3; i++)
		blocks[i] =
			items[i] ? (uint32_t)(((uint64_t)threads[i] + items[i] - 1) / items[i]) : 0;
	blocks_set(config, blocks, items);
}

/* hipLaunchConfig_t, and HIP_LAUNCH_CONFIG, where the memory has 4 bytes. */
struct launch_config_ex {
	uint32_t blocks[3], items[3];
	uint64_t shared_bytes;
	const void *stream;
};

_Static_assert(__builtin_offsetof(struct launch_config_ex, stream) == 32, "hipLaunchConfig_t");

static const struct launch_config_ex *config_ex(uint32_t function, const void *arguments)
{
	const struct hip_args_hipLaunchKernelExC *by_symbol = arguments;
	const struct hip_args_hipDrvLaunchKernelEx *by_function = arguments;

	return function == HIP_ID_hipLaunchKernelExC	 ? by_symbol->config
	       : function == HIP_ID_hipDrvLaunchKernelEx ? by_function->config
							 : NULL;
}

const void *hip_launch_stream(uint32_t function, const void *arguments)
{
	const struct launch_config_ex *ex = arguments ? config_ex(function, arguments) : NULL;

	return ex ? ex->stream : NULL;
}

static bool config_fill_ex(struct tandem_rec_launch_config *config, uint32_t function,
			   const void *arguments)
{
	const struct hip_args_hipLaunchKernelExC *by_symbol = arguments;
	const struct launch_config_ex *ex = config_ex(function, arguments);

	if (!ex)
		return false;
	blocks_set(config, ex->blocks, ex->items);
	config->dynamic_local_bytes = (uint32_t)ex->shared_bytes;
	if (function == HIP_ID_hipLaunchKernelExC)
		code_describe(config, by_symbol->fPtr);
	return true;
}

static bool config_fill(struct tandem_rec_launch_config *config, uint32_t function,
			const void *arguments)
{
	const struct hip_args_hipLaunchKernel *by_symbol = arguments;
	const struct hip_args_hipLaunchCooperativeKernel *cooperative = arguments;
	const struct hip_args_hipModuleLaunchKernel *by_function = arguments;
	const struct hip_args_hipExtModuleLaunchKernel *in_threads = arguments;

	switch (function) {
	case HIP_ID_hipLaunchKernel:
	case HIP_ID_hipExtLaunchKernel:
		blocks_set(config, by_symbol->numBlocks, by_symbol->dimBlocks);
		config->dynamic_local_bytes = (uint32_t)by_symbol->sharedMemBytes;
		code_describe(config, by_symbol->function_address);
		return true;
	case HIP_ID_hipLaunchCooperativeKernel:
		blocks_set(config, cooperative->gridDim, cooperative->blockDimX);
		config->dynamic_local_bytes = cooperative->sharedMemBytes;
		code_describe(config, cooperative->f);
		return true;
	case HIP_ID_hipModuleLaunchKernel:
		blocks_set(config, &by_function->gridDimX, &by_function->blockDimX);
		config->dynamic_local_bytes = by_function->sharedMemBytes;
		return true;
	case HIP_ID_hipExtModuleLaunchKernel:
		threads_set(config, &in_threads->globalWorkSizeX, &in_threads->localWorkSizeX);
		config->dynamic_local_bytes = (uint32_t)in_threads->sharedMemBytes;
		return true;
	default:
		return config_fill_ex(config, function, arguments);
	}
}

uint32_t hip_launch_config(uint32_t function, const void *arguments, uint32_t kernel)
{
	struct tandem_rec_launch_config config;

	memset(&config, 0, sizeof(config));
	config.domain = TANDEM_DOMAIN_hip;
	config.kernel = kernel;
	return arguments && config_fill(&config, function, arguments)
		       ? launch_config_number(TANDEM_EVENT_launch_config, &config, sizeof(config))
		       : 0;
}
