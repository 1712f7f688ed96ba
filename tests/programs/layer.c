/* A loader layer that counts the calls that it sees and passes them on: to know
 * what a program calls, and to be a layer that a program brings along. Each
 * entry is two instructions, so that no signature is needed.
 *
 *   LAYER_COUNTS   FILE: at exit a line of JSON is added, {"pid":n, FUNCTION:n...}
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../stubs/functions.h"

#if !defined(__x86_64__)
#error "the counting layer is written for x86-64"
#endif

#define ENTRIES(X) STUB_TABLE(X) X(clGetExtensionFunctionAddress)

#define X(name)                                                  \
	__attribute__((visibility("hidden"))) long count_##name; \
	__attribute__((visibility("hidden"))) void *next_##name; \
	void entry_##name(void);                                 \
	__asm__(".pushsection .text\n"                           \
		".hidden entry_" #name "\n"                      \
		".globl entry_" #name "\n"                       \
		"entry_" #name ":\n"                             \
		"	lock incq count_" #name "(%rip)\n"       \
		"	jmp *next_" #name "(%rip)\n"             \
		".popsection\n");
ENTRIES(X)
#undef X

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

__attribute__((visibility("default"))) cl_int
clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch, cl_uint *num_entries_ret,
	    const cl_icd_dispatch **layer_dispatch_ret)
{
	if (num_entries < sizeof(table) / sizeof(void *))
		return CL_INVALID_VALUE;
#define X(name)                                                   \
	if (target_dispatch->name) {                              \
		next_##name = (void *)target_dispatch->name;      \
		table.name = (__typeof__(table.name))entry_##name; \
	}
	ENTRIES(X)
#undef X
	*num_entries_ret = sizeof(table) / sizeof(void *);
	*layer_dispatch_ret = &table;
	return CL_SUCCESS;
}

__attribute__((destructor)) static void counts_write(void)
{
	static char line[16384];
	const char *path = getenv("LAYER_COUNTS");
	int used;

	if (!path)
		return;
	used = snprintf(line, sizeof(line), "{\"pid\":%d", (int)getpid());
#define X(name)                                                                         \
	if (count_##name)                                                               \
		used += snprintf(line + used, sizeof(line) - (size_t)used, ",\"%s\":%ld", \
				 #name, count_##name);
	ENTRIES(X)
#undef X
	used += snprintf(line + used, sizeof(line) - (size_t)used, "}\n");

	int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (file < 0 || write(file, line, (size_t)used) != used)
		perror(path);
	if (file >= 0)
		close(file);
}
