/* SPDX-License-Identifier: MIT */
/* libtandem-opencl.so: the entry points of a layer of the OpenCL loader (Khronos'
 * cl_loader_layers 1.0.1), which lead into libtandem.so.
 *
 * A library of its own, named in OPENCL_LAYERS and never preloaded: other layers
 * export the same names and call them in themselves, and a preloaded library that
 * had them as well would answer in their place.
 *
 * Loaders up to 2025, and ocl-icd, call clInitLayer; Khronos' since January 2026
 * call clInitLayerWithProperties, and clDeinitLayer when they end. Both take a
 * layer whose version is 100.
 */
#include <string.h>

#include "domains/opencl/attach/loader.h"
#include "domains/opencl/cl.h"

#define EXPORT __attribute__((visibility("default")))

/* The interface's functions, with their types lowered. */
EXPORT int32_t clGetLayerInfo(uint32_t param_name, size_t param_value_size, void *param_value,
			      size_t *param_value_size_ret);
EXPORT int32_t clInitLayer(uint32_t num_entries, void *const *target_dispatch,
			   uint32_t *num_entries_ret, void *const **layer_dispatch_ret);
EXPORT int32_t clInitLayerWithProperties(uint32_t num_entries, void *const *target_dispatch,
					 uint32_t *num_entries_ret,
					 void *const **layer_dispatch_ret,
					 const uint64_t *properties);
EXPORT int32_t clDeinitLayer(void);

static int asked, initialised;

int32_t clGetLayerInfo(uint32_t param_name, size_t param_value_size, void *param_value,
		       size_t *param_value_size_ret)
{
	static const uint32_t version = CL_LAYER_API_VERSION_100;
	static const char name[] = "tandem";
	const void *answer = param_name == CL_LAYER_API_VERSION ? (const void *)&version : name;
	size_t bytes = param_name == CL_LAYER_API_VERSION ? sizeof(version) : sizeof(name);

	if (param_name != CL_LAYER_API_VERSION && param_name != CL_LAYER_NAME)
		return CL_INVALID_VALUE;
	if (param_value && param_value_size < bytes)
		return CL_INVALID_VALUE;
	if (param_value)
		memcpy(param_value, answer, bytes);
	if (param_value_size_ret)
		*param_value_size_ret = bytes;
	asked = 1;
	tandem_opencl_asked();
	return CL_SUCCESS;
}

int32_t clInitLayer(uint32_t num_entries, void *const *target_dispatch, uint32_t *num_entries_ret,
		    void *const **layer_dispatch_ret)
{
	initialised = 1;
	return tandem_opencl_attach(__builtin_return_address(0), num_entries, target_dispatch,
				    num_entries_ret, layer_dispatch_ret);
}

int32_t clInitLayerWithProperties(uint32_t num_entries, void *const *target_dispatch,
				  uint32_t *num_entries_ret, void *const **layer_dispatch_ret,
				  const uint64_t *properties)
{
	/* Version 1.0.1 has no property, and asks for this answer to any. */
	if (properties && *properties)
		return CL_INVALID_PROPERTY;
	initialised = 1;
	return tandem_opencl_attach(__builtin_return_address(0), num_entries, target_dispatch,
				    num_entries_ret, layer_dispatch_ret);
}

int32_t clDeinitLayer(void)
{
	tandem_opencl_detach();
	return CL_SUCCESS;
}

/* A loader closes a layer that it does not take. */
__attribute__((destructor)) static void layer_closed(void)
{
	if (asked && !initialised)
		tandem_opencl_refused();
}
