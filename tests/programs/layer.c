/* SPDX-License-Identifier: MIT */
/* A loader layer that counts the calls that it sees and passes them on: to know
 * what a program calls, and to be a layer that a program brings along. Each
 * entry is three instructions, so that no signature is needed.
 *
 *   LAYER_COUNTS   FILE: one `struct counter` for each function, mapped by every
 *                  process and counted in place, so that no death loses a count
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../stubs/functions.h"

#if !defined(__x86_64__)
#error "the counting layer is written for x86-64"
#endif

#define ENTRIES(X) STUB_TABLE(X) X(clGetExtensionFunctionAddress)

struct counter {
	char name[56];
	uint64_t calls;
};

enum {
#define X(name) INDEX_##name,
	ENTRIES(X) COUNTERS
#undef X
};

static struct counter private_counters[COUNTERS];

/* Named by the entries below. */
__attribute__((visibility("hidden"))) struct counter *layer_counters = private_counters;

#define X(name)                                                       \
	__attribute__((visibility("hidden"))) void *next_##name;      \
	void entry_##name(void);                                      \
	__attribute__((naked)) void entry_##name(void)                \
	{                                                             \
		__asm__("mov layer_counters(%%rip), %%r11\n"          \
			"lock incq %c0(%%r11)\n"                      \
			"jmp *next_" #name "(%%rip)\n"                \
			:                                             \
			: "i"(INDEX_##name * sizeof(struct counter) + \
			      offsetof(struct counter, calls)));      \
	}
ENTRIES(X)
#undef X

__attribute__((constructor)) static void counters_map(void)
{
	static const char *const names[COUNTERS] = {
#define X(name) [INDEX_##name] = #name,
		ENTRIES(X)
#undef X
	};
	const char *path = getenv("LAYER_COUNTS");
	int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (file < 0)
		return;
	if (!ftruncate(file, sizeof(private_counters))) {
		void *mapped = mmap(NULL, sizeof(private_counters), PROT_READ | PROT_WRITE,
				    MAP_SHARED, file, 0);

		if (mapped != MAP_FAILED)
			layer_counters = mapped;
	}
	close(file);
	for (int i = 0; i < COUNTERS; i++)
		strcpy(layer_counters[i].name, names[i]);
}

static cl_icd_dispatch table;

__attribute__((visibility("default"))) cl_int clGetLayerInfo(cl_layer_info param_name,
							     size_t param_value_size,
							     void *param_value,
							     size_t *param_value_size_ret)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

	if (param_name != CL_LAYER_API_VERSION ||
	    (param_value && param_value_size < sizeof(version)))
		return CL_INVALID_VALUE;
	if (param_value)
		memcpy(param_value, &version, sizeof(version));
	if (param_value_size_ret)
		*param_value_size_ret = sizeof(version);
	return CL_SUCCESS;
}

/* One by the other, through the symbol that anybody may put in its place: as layers
 * out there do. */
__attribute__((visibility("default"))) cl_int
clInitLayerWithProperties(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
			  cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
			  const uint64_t *properties);

__attribute__((visibility("default"))) cl_int
clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch, cl_uint *num_entries_ret,
	    const cl_icd_dispatch **layer_dispatch_ret)
{
	return clInitLayerWithProperties(num_entries, target_dispatch, num_entries_ret,
					 layer_dispatch_ret, NULL);
}

__attribute__((visibility("default"))) cl_int
clInitLayerWithProperties(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
			  cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
			  const uint64_t *properties)
{
	(void)properties;
	if (num_entries < sizeof(table) / sizeof(void *))
		return CL_INVALID_VALUE;
#define X(name)                                                    \
	if (target_dispatch->name) {                               \
		next_##name = (void *)target_dispatch->name;       \
		table.name = (__typeof__(table.name))entry_##name; \
	}
	ENTRIES(X)
#undef X
	*num_entries_ret = sizeof(table) / sizeof(void *);
	*layer_dispatch_ret = &table;
	return CL_SUCCESS;
}
