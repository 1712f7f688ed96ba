/* SPDX-License-Identifier: MIT */
#include "domains/hip/attach/attach.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/domain.h"
#include "core/local.h"
#include "core/next_symbol.h"
#include "core/process.h"
#include "domains/hip/attach/activity_callbacks.h"
#include "domains/hip/attach/dispatch_table.h"
#include "domains/hip/attach/rocprofiler.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/attach/symbols.h"
#include "domains/hip/attach/tracer_callback.h"
#include "domains/hip/state.h"
#include "schema/gen/hip_records.h"

static pthread_mutex_t attaching = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool attached;
static uint32_t unknown_functions;

static bool is_asked_for(void)
{
	return tandem_in_use() && tandem_control.domains & TANDEM_DOMAIN_BIT(hip);
}

static void attached_by(uint8_t generation)
{
	hip_runtime_recorded_by(generation, domain_is_reporting(TANDEM_DOMAIN_hip),
				unknown_functions);
}

/* A runtime that has loaded: callbacks, where it has them. HIP 6 hands out its tables with
 * its first call. */
static void runtime_register(void)
{
	if (attached || hip_by_symbol() || hip_runtime_find())
		return;
	attached = true;
	if (!hip_tracer_begin()) {
		domain_set_reporting(TANDEM_DOMAIN_hip);
		attached_by(TANDEM_HIP_GENERATION_tracer);
	} else if (!hip_activity_callbacks_begin()) {
		domain_set_reporting(TANDEM_DOMAIN_hip);
		attached_by(TANDEM_HIP_GENERATION_activity);
	} else if (!hip_calls_are_wrapped() && hip_runtime.major < 6) {
		hip_notice(TANDEM_HIP_NOTICE_no_way);
	}
	if (!domain_is_reporting(TANDEM_DOMAIN_hip) && hip_wanted(TANDEM_HIP_kernels) &&
	    !(tandem_control.domains & TANDEM_DOMAIN_BIT(hsa)))
		hip_notice(TANDEM_HIP_NOTICE_no_operations);
}

/* In a forked child HIP works no more, and its runtime may still call back. */
void hip_at_fork(void)
{
	pthread_mutex_init(&attaching, NULL);
	if (attached || hip_calls_are_wrapped())
		atomic_store(&hip_disabled, 1);
}

void hip_attach(void)
{
	if (!is_asked_for() || atomic_load(&attached))
		return;
	pthread_mutex_lock(&attaching);
	runtime_register();
	pthread_mutex_unlock(&attaching);
}

/* A tool in the process has chosen what it wants: its library may have come after ours. */
void hip_switched(void)
{
	if (tandem_local && tandem_recording() & TANDEM_DOMAIN_BIT(hip))
		hip_attach();
}

static void attach_table(const char *name, void *table)
{
	if (!is_asked_for() || !table)
		return;
	pthread_mutex_lock(&attaching);
	atomic_store(&hip_wrapped, 1);
	unknown_functions += hip_dispatch_table_wrap(table, !strcmp(name, "hip_compiler"));
	runtime_register();
	attached_by(TANDEM_HIP_GENERATION_table);
	pthread_mutex_unlock(&attaching);
}

void hip_offered(const char *name, void *table)
{
	if (!strcmp(name, "hip") || !strcmp(name, "hip_compiler"))
		attach_table(name, table);
	else
		hip_attach();
}

void tandem_rocprofiler_table(const char *name, void *table)
{
	int saved = errno;

	domains_offered(name, table);
	errno = saved;
}

void tandem_rocprofiler_chain_failed(void)
{
	hip_notice(TANDEM_HIP_NOTICE_chain);
}

/* A program that is linked with HIP has it by now: libraries that need nothing of this one
 * were initialised before. One that loads it later is attached when HIP loads the tools of
 * HSA, or hands out its tables. */
__attribute__((constructor)) static void loaded(void)
{
	int saved = errno;

	if (is_asked_for() && tandem_libraries_loaded()) {
		hip_attach();
		dlerror(); /* the program is not to find what was not found here */
	}
	errno = saved;
}
