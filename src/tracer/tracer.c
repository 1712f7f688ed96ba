/* SPDX-License-Identifier: MIT */
/* The library begins: libtandem.so, which has the domains, is loaded with it, and runtimes
 * that are loaded later are told of it by their loaders' environment. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/local.h"
#include "format/ticks.h"
#include "schema/domain.h"
#include "tandem/tracer.h"
#include "tracer/client.h"
#include "tracer/device_clock.h"
#include "tracer/error.h"
#include "tracer/keep.h"
#include "tracer/object.h"
#include "tracer/pool.h"
#include "tracer/thread.h"
#include "tracer/time.h"

uint32_t tandem_tracer_version(void)
{
	return TANDEM_TRACER_VERSION_MAJOR << 16 | TANDEM_TRACER_VERSION_MINOR;
}

int tandem_tracer_timestamp(uint64_t *ns)
{
	if (!ns)
		return error_set(-EINVAL, "no place for the time");
	*ns = counter_clock_ns(CLOCK_MONOTONIC);
	return 0;
}

int tandem_tracer_clock_error(uint32_t device, uint32_t *ns)
{
	uint32_t clock = object_device_clock(device);

	if (!ns)
		return error_set(-EINVAL, "no place for the error");
	if (!clock)
		return error_set(-ENOENT, "no times of device %u are known", device);
	device_clock_host(clock, 0, ns);
	return 0;
}

void tandem_tracer_keep(const void *function)
{
	keep_library(function);
}

/* The folder that holds libtandem.so, and its layer next to it. */
static bool folder_find(char *folder)
{
	Dl_info info;
	char *slash;

	if (!dladdr((const void *)tandem_local_begin, &info) || !realpath(info.dli_fname, folder))
		return false;
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

/* A variable that the program has set for another tool is the program's. */
static void environment_set(const char *name, const char *folder, const char *file)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (!access(path, R_OK))
		setenv(name, path, 0);
}

/* Loaders' layers: ours is the last of the list, the outermost. */
static void layer_add(const char *folder)
{
	const char *layers = getenv("OPENCL_LAYERS");
	char path[PATH_MAX + 64], all[4 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/libtandem-opencl.so", folder);
	if (access(path, R_OK) || (layers && strstr(layers, "libtandem-opencl.so")))
		return;
	if (layers && layers[0] &&
	    (size_t)snprintf(all, sizeof(all), "%s:%s", layers, path) < sizeof(all))
		setenv("OPENCL_LAYERS", all, 1);
	else if (!layers || !layers[0])
		setenv("OPENCL_LAYERS", path, 1);
}

static void forked(void)
{
	tracer_thread_forked();
	time_forked();
	objects_forked();
	device_clocks_forked();
	pools_forked();
	clients_forked();
}

/* Where `tandem record` runs the program, all of this has been done. */
__attribute__((constructor)) static void tracer_begins(void)
{
	char folder[PATH_MAX];

	tandem_local_begin();
	for (const struct tandem_domain_row *row = NULL; (row = tandem_domain_next(row));)
		tandem_local_choose(row->number, tandem_domain_choices(row));
	if (!getenv(TANDEM_ENV_SESSION) && folder_find(folder)) {
		layer_add(folder);
		environment_set("CUDA_INJECTION64_PATH", folder, "libtandem.so.0");
		environment_set("NVTX_INJECTION64_PATH", folder, "libtandem.so.0");
	}
	time_begin();
	clients_begin();
	pthread_atfork(NULL, NULL, forked);
}
