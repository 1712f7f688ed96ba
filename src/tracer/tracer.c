/* SPDX-License-Identifier: MIT */
/* The library begins: libtandem.so, which has the domains, is loaded with it, and runtimes
 * that are loaded later are told of it by their loaders' environment. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/local.h"
#include "format/ticks.h"
#include "schema/domain.h"
#include "tandem/tracer.h"
#include "tracer/client.h"
#include "tracer/clock/device_clock.h"
#include "tracer/clock/time.h"
#include "tracer/environment.h"
#include "tracer/error.h"
#include "tracer/keep.h"
#include "tracer/object.h"
#include "tracer/pool/pool.h"
#include "tracer/thread.h"

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
	tandem_local_begin();
	for (const struct tandem_domain_row *row = NULL; (row = tandem_domain_next(row));)
		tandem_local_choose(row->number, tandem_domain_choices(row));
	if (!getenv(TANDEM_ENV_SESSION))
		environment_begin();
	time_begin();
	clients_begin();
	pthread_atfork(NULL, NULL, forked);
}
