/* SPDX-License-Identifier: MIT */
/* The way in. CUDA's driver, when it is initialised, loads the library that
 * CUDA_INJECTION64_PATH names and calls its InitializeInjection(). Programs
 * without CUDA never come here. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/local.h"
#include "core/process.h"
#include "domains/cuda/activity/activity.h"
#include "domains/cuda/calls/callback.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/drain.h"
#include "domains/cuda/inject.h"
#include "domains/cuda/state.h"
#include "domains/cuda/switch.h"
#include "domains/cuda/thread.h"

/* A library that was to be injected before `tandem record` took its place. */
#define ENV_CHAINED "TANDEM_CUDA_INJECTION"

static _Atomic int recorded; /* CUPTI is ours */

void cuda_inject_at_fork(void)
{
	if (atomic_load(&recorded))
		cuda_disable();
}

/* The other tool first: one that wants CUPTI for itself then has it, as it would
 * without us, and we say so. */
static void chain(void)
{
	const char *path = getenv(ENV_CHAINED);
	void *library = path && path[0] ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	int (*initialize)(void) = NULL;

	if (!path || !path[0])
		return;
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjection");
	if (initialize)
		initialize();
	else
		cuda_notice(TANDEM_CUDA_NOTICE_chain);
}

static void say_why(int error, int status)
{
	if (error == -ENOENT)
		cuda_notice(TANDEM_CUDA_NOTICE_no_cupti);
	else if (error == -ENOEXEC)
		cuda_notice(TANDEM_CUDA_NOTICE_old_cupti);
	else
		cuda_notice(status == CUPTI_MULTIPLE_SUBSCRIBERS ? TANDEM_CUDA_NOTICE_busy
								 : TANDEM_CUDA_NOTICE_failed);
}

/* CUPTI found and willing: a library that does not suit the driver refuses the
 * subscription, and another may not. 0, or -errno and *status. */
static int start(int *status)
{
	int error;

	for (unsigned attempt = 0; !(error = cuda_library_open(attempt)); attempt++) {
		*status = cuda_subscribe();
		if (!*status)
			return 0;
		if (*status == CUPTI_MULTIPLE_SUBSCRIBERS)
			return -EBUSY;
	}
	return *status ? -EIO : error;
}

static void inject(void)
{
	int status = 0, error;

	cuda_driver_find();
	error = start(&status);
	if (error) {
		say_why(error, status);
		return;
	}
	atomic_store(&recorded, 1);
	tandem_process_uses(TANDEM_DOMAIN_cuda);
	tandem_process_uses(TANDEM_DOMAIN_cudart);
	cuda_switch_begin();
	cuda_activity_begin();
	cuda_switch_ready();
	cuda_drain_begin();
}

/* NVIDIA's OpenCL holds a driver of its own and injects as well. Its calls are the
 * OpenCL domain's, and CUPTI would tell nothing of them, but give the program two
 * threads. */
static bool is_of_opencl(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "-opencl.so");
}

__attribute__((visibility("default"))) int InitializeInjection(void);

/* Called by libcuda in the first cuInit(). Always 1: the program runs on. */
int InitializeInjection(void)
{
	static _Atomic int begun;
	int saved = errno;

	if (is_of_opencl(__builtin_return_address(0))) {
		chain();
		errno = saved;
		return 1;
	}
	if (atomic_exchange(&begun, 1))
		return 1;
	chain();
	if (tandem_in_use() && tandem_control.domains & TANDEM_DOMAIN_BIT(cuda)) {
		cuda_in_tool_begin();
		inject();
		cuda_in_tool_end();
	}
	errno = saved;
	return 1;
}
