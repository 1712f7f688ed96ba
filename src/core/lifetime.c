/* SPDX-License-Identifier: MIT */
#include "core/lifetime.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/constructors.h"
#include "core/control.h"
#include "core/domain.h"
#include "core/dormant.h"
#include "core/process.h"
#include "core/stream/bus_error.h"
#include "core/stream/lasting.h"
#include "core/stream/stream.h"
#include "core/stream/stream_file.h"
#include "core/stream/stream_threads.h"
#include "core/ticks.h"

/* The child records into a trace of its own. The parent's streams stay the
 * parent's: this process never writes to them again. */
static void process_forked(void)
{
	tandem_control_forked();
	tandem_stream_forget();
	stream_files_forget();
	stream_threads_forget();
	tandem_lasting_forget();
	tandem_process_forget();
	domains_at_fork();
}

static _Atomic int watched;

void tandem_lifetime_forked(void)
{
	int saved = errno;

	if (atomic_load(&watched))
		process_forked();
	errno = saved;
}

void tandem_lifetime_watch_forks(void)
{
	if (!atomic_exchange(&watched, 1))
		pthread_atfork(NULL, NULL, process_forked);
}

/* For a recorder that sees which programs begin. */
static void process_joins(void)
{
	uint64_t now = tandem_ticks(), before;
	_Atomic uint64_t *last =
		&tandem_session->joined_ticks[(uint32_t)getpid() % TANDEM_JOIN_PLACES];

	before = atomic_load(last);
	while (before < now && !atomic_compare_exchange_weak(last, &before, now))
		;
	atomic_fetch_add(&tandem_session->joins, 1);
}

__attribute__((constructor(CONSTRUCTOR_SESSION))) static void process_begins(void)
{
	if (tandem_control_attach())
		return;
	/* Nobody tells that another session has begun. */
	if (tandem_dormant)
		tandem_threads_ask(true);
	else
		process_joins();
	bus_error_watch(tandem_stream_replaced);
	tandem_lifetime_watch_forks();
}

/* Runs after the program's own exit handlers: this library was loaded before
 * they were registered, or by the loader that they use. Threads that are still
 * at work go on recording. */
__attribute__((destructor)) static void process_ends(void)
{
	domains_at_end();
	tandem_stream_close();
	stream_files_close();
}
