/* SPDX-License-Identifier: MIT */
#include "domains/hip/attach/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stream/stream.h"
#include "domains/hip/calls/thread.h"
#include "schema/gen/hip_records.h"

struct hip_runtime hip_runtime;

static int library_look(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (strncmp(name, "libamdhip64.so", strlen("libamdhip64.so")) != 0)
		return 0;
	*(const char **)data = info->dlpi_name;
	return 1;
}

/* libamdhip64.so.5.7.31921, behind the names that lead to it. */
static void version_read(const char *path)
{
	char *real = realpath(path, NULL);
	const char *name = real ? strrchr(real, '/') : NULL;

	if (!name ||
	    sscanf(name, "/libamdhip64.so.%u.%u", &hip_runtime.major, &hip_runtime.minor) < 1)
		sscanf(strrchr(path, '/') ?: path, "%*[/]libamdhip64.so.%u", &hip_runtime.major);
	free(real);
}

static void functions_take(void *library)
{
#define X(name, returned, parameters) *(void **)&hip_runtime.name = dlsym(library, #name);
	HIP_FUNCTIONS(X)
#undef X
}

int hip_runtime_find(void)
{
	const char *path = NULL;
	void *library;

	if (hip_runtime.path[0])
		return 0;
	if (!dl_iterate_phdr(library_look, &path))
		return -ENOENT;
	library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return -ENOENT;
	version_read(path);
	functions_take(library);
	snprintf(hip_runtime.path, sizeof(hip_runtime.path), "%s", path);
	return 0;
}

void hip_runtime_take(const void *function, void *library)
{
	Dl_info info;

	functions_take(library);
	if (dladdr(function, &info))
		snprintf(hip_runtime.path, sizeof(hip_runtime.path), "%s", info.dli_fname);
}

bool hip_runtime_has_devices(void)
{
	static _Atomic uint32_t devices; /* + 1; 0: not asked yet */
	uint32_t known = atomic_load_explicit(&devices, memory_order_relaxed);
	int32_t count = 0;

	if (tandem_unlikely(!known)) {
		hip_in_tool_begin();
		if (!hip_runtime.hipGetDeviceCount || hip_runtime.hipGetDeviceCount(&count))
			count = 0;
		hip_in_tool_end();
		known = (uint32_t)(count > 0 ? count : 0) + 1;
		atomic_store(&devices, known);
	}
	return known > 1;
}

static struct {
	uint8_t generation, operations;
	uint32_t unknown_functions;
} recorded_by;

_Atomic uint32_t hip_runtime_described;

void hip_runtime_recorded_by(uint8_t generation, bool operations, uint32_t unknown_functions)
{
	recorded_by.generation = generation;
	recorded_by.operations = operations;
	recorded_by.unknown_functions = unknown_functions;
}

void hip_runtime_describe_now(void)
{
	uint32_t now = tandem_process_statedump() + 1;
	uint32_t bytes = (uint32_t)strlen(hip_runtime.path);
	struct tandem_hip_runtime *record;

	if (atomic_exchange(&hip_runtime_described, now) == now)
		return;
	tandem_process_uses(TANDEM_DOMAIN_hip);
	record = tandem_record_begin(TANDEM_HIP_EVENT_runtime, (uint32_t)sizeof(*record) + bytes);
	if (!record)
		return;
	record->version = hip_runtime.major * 100 + hip_runtime.minor;
	record->generation = recorded_by.generation;
	record->operations = recorded_by.operations;
	record->unknown_functions = recorded_by.unknown_functions;
	record->path_count = (uint16_t)bytes;
	memcpy(record + 1, hip_runtime.path, bytes);
	tandem_record_commit();
}
