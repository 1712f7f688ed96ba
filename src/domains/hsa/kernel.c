/* SPDX-License-Identifier: MIT */
#include "domains/hsa/kernel.h"

#include <stddef.h>
#include <string.h>

#include "core/call/kernel_name.h"
#include "core/object.h"
#include "core/pool.h"
#include "domains/hsa/abi.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/state.h"

#define NAME_BYTES 4096u

struct kernel {
	uint32_t portions; /* of vector registers; 0: not known */
	bool wave32;
	char name[NAME_BYTES];
};

static struct tandem_pool kernels = TANDEM_POOL(sizeof(struct kernel));

static bool symbol_info(uint64_t symbol, uint32_t what, void *value)
{
	return !HSA_CALL(hsa_executable_symbol_get_info, int32_t,
			 (uint64_t, uint32_t, void *))(symbol, what, value);
}

/* NAME.kd is the descriptor of NAME. */
static void name_shorten(char *name, uint32_t bytes)
{
	name[bytes] = 0;
	if (bytes > 3 && !strcmp(name + bytes - 3, ".kd"))
		name[bytes - 3] = 0;
}

/* The descriptor is in the device's memory: the loader has a copy that the host can read. */
static void descriptor_read(struct kernel *kernel, const struct hsa_loader *loader, uint64_t object)
{
	const void *host = NULL;
	struct hsa_kernel_descriptor descriptor;

	kernel->portions = 0;
	if (!loader->host_address || loader->host_address((const void *)(uintptr_t)object, &host) ||
	    !host)
		return;
	memcpy(&descriptor, host, sizeof(descriptor));
	kernel->portions = (descriptor.rsrc1 & HSA_KERNEL_REGISTERS) + 1;
	kernel->wave32 = descriptor.properties & HSA_KERNEL_WAVE32;
}

/* It is kept for good, under the handle: pauses and resumes ask for it again. */
static int32_t symbol_found(uint64_t executable, uint64_t symbol, void *loader)
{
	uint32_t type = 0, bytes = 0;
	uint64_t object = 0;
	struct kernel *kernel;

	(void)executable;
	if (!symbol_info(symbol, HSA_SYMBOL_TYPE, &type) || type != HSA_SYMBOL_KERNEL ||
	    !symbol_info(symbol, HSA_SYMBOL_NAME_LENGTH, &bytes) || !bytes || bytes >= NAME_BYTES ||
	    !symbol_info(symbol, HSA_SYMBOL_OBJECT, &object))
		return 0;
	kernel = tandem_pool_take(&kernels);
	if (!kernel)
		return 0;
	if (symbol_info(symbol, HSA_SYMBOL_NAME, kernel->name)) {
		name_shorten(kernel->name, bytes);
		descriptor_read(kernel, loader, object);
		tandem_handle_set(TANDEM_KIND(hsa, program), (const void *)(uintptr_t)object,
				  (uintptr_t)kernel);
	} else {
		tandem_pool_give(&kernels, kernel);
	}
	return 0;
}

void hsa_kernels_loaded(uint64_t executable)
{
	struct hsa_loader loader = {NULL};

	if (!hsa_has(HSA_ID_hsa_executable_iterate_symbols) ||
	    !hsa_has(HSA_ID_hsa_executable_symbol_get_info))
		return;
	hsa_in_tool++;
	if (hsa_has(HSA_ID_hsa_system_get_major_extension_table) &&
	    HSA_CALL(hsa_system_get_major_extension_table, int32_t,
		     (uint16_t, uint16_t, size_t, void *))(HSA_EXTENSION_LOADER, 1, sizeof(loader),
							   &loader))
		loader.host_address = NULL;
	HSA_CALL(hsa_executable_iterate_symbols, int32_t,
		 (uint64_t, int32_t(*)(uint64_t, uint64_t, void *), void *))
	(executable, symbol_found, &loader);
	hsa_in_tool--;
}

static const struct kernel *kernel_find(uint64_t kernel_object)
{
	return (const struct kernel *)(uintptr_t)tandem_handle_get(
		TANDEM_KIND(hsa, program), (const void *)(uintptr_t)kernel_object);
}

uint32_t hsa_kernel(uint64_t kernel_object)
{
	const struct kernel *kernel = kernel_find(kernel_object);

	return tandem_kernel_named(TANDEM_DOMAIN_hsa, kernel ? kernel->name : NULL);
}

/* In which portions the descriptor counts. From gfx10 on a kernel has waves of 32 or of 64: those
 * of the agent, or what its limits are is not said of it. */
uint32_t hsa_kernel_registers(uint64_t kernel_object, uint32_t gfx, uint32_t wave_items)
{
	const struct kernel *kernel = kernel_find(kernel_object);
	bool unified = gfx == 0x90a || (gfx >= 0x940 && gfx <= 0x942) || gfx == 0x950;

	if (!kernel || !gfx || (gfx >= 0x1000 && kernel->wave32 != (wave_items == 32)))
		return 0;
	return kernel->portions * (unified || (gfx >= 0x1000 && kernel->wave32) ? 8 : 4);
}
