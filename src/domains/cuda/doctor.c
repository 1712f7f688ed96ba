/* SPDX-License-Identifier: MIT */
/* Whether CUDA programs can be recorded: the driver, its devices, and a CUPTI that
 * our library finds. A program may bring a CUPTI of its own, which nobody can see
 * from here. Without CUDA's headers. */
#include "setup/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "setup/library.h"

#define AREA "CUDA"
#define DRIVER "libcuda.so.1"
#define SECONDS 60

typedef int32_t (*cu_init)(uint32_t flags);
typedef int32_t (*cu_get_int)(int32_t *value);
typedef int32_t (*cu_get_name)(char *name, int32_t bytes, int32_t device);
typedef int (*cuda_find)(char *path, size_t bytes, uint32_t *version);

#define FIND(type, library, name) \
	((union {                 \
		 void *object;    \
		 type function;   \
	 }){dlsym(library, name)} \
		 .function)

static void check_devices(struct checks *checks, void *driver)
{
	cu_init init = FIND(cu_init, driver, "cuInit");
	cu_get_int count_get = FIND(cu_get_int, driver, "cuDeviceGetCount");
	cu_get_int version_get = FIND(cu_get_int, driver, "cuDriverGetVersion");
	cu_get_name name_get = FIND(cu_get_name, driver, "cuDeviceGetName");
	int32_t count = 0, version = 0, error;

	if (!init || !count_get || !version_get || !name_get) {
		check_add(checks, CHECK_OPTIONAL, AREA, "driver", NULL,
			  DRIVER " is no CUDA driver");
		return;
	}
	version_get(&version);
	check_add(checks, CHECK_OK, AREA, "driver", NULL, "for CUDA %d.%d", version / 1000,
		  version % 1000 / 10);
	error = init(0);
	if (!error)
		error = count_get(&count);
	if (error || !count)
		check_add(checks, CHECK_OPTIONAL, AREA, "device", NULL,
			  "none can be used (error %d)", error);
	for (int32_t i = 0; !error && i < count; i++) {
		char name[200] = "?";

		name_get(name, sizeof(name), i);
		check_add(checks, CHECK_OK, AREA, "device", NULL, "%s", name);
	}
}

static void check_cupti(struct checks *checks, const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	cuda_find find = library ? FIND(cuda_find, library, "tandem_cuda_find") : NULL;
	char found[PATH_MAX] = "";
	uint32_t version = 0;
	int status = find ? find(found, sizeof(found), &version) : -ENOSYS;

	if (!status)
		check_add(checks, CHECK_OK, AREA, "CUPTI", NULL, "%s (version %u)", found, version);
	else if (status == -ENOEXEC)
		check_add(checks, CHECK_OPTIONAL, AREA, "CUPTI", NULL,
			  "only versions older than CUDA 12.0 were found");
	else
		check_add(checks, CHECK_OPTIONAL, AREA, "CUPTI",
			  "pip install nvidia-cuda-cupti-cu12, or set CUDA_HOME",
			  "not found in CUDA_HOME, the loader's path or /usr/local/cuda*: only "
			  "programs that bring their own are recorded");
}

static void check_all(struct checks *checks, const void *data)
{
	void *driver;

	/* Asking is no program to be recorded. */
	unsetenv("CUDA_INJECTION64_PATH");
	driver = dlopen(DRIVER, RTLD_NOW);
	if (!driver) {
		check_add(checks, CHECK_OPTIONAL, AREA, "driver", NULL,
			  "none: " DRIVER " is not installed");
		return;
	}
	check_devices(checks, driver);
	check_cupti(checks, data);
}

bool domain_check_cuda(struct checks *checks)
{
	struct library library;
	size_t before = checks->count;

	if (!library_find(&library))
		check_apart(checks, AREA, "driver", SECONDS, check_all, library.path);
	for (size_t i = before; i < checks->count; i++)
		if (checks->list[i].state == CHECK_OK && !strcmp(checks->list[i].name, "device"))
			return true;
	return false;
}
