/* SPDX-License-Identifier: MIT */
#include "sinks/tap.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/process.h"
#include "core/sandbox/sandbox.h"
#include "core/stream/stream_file.h"
#include "core/stream/stream_threads.h"
#include "sinks/wanted.h"

struct sink_slot sink_slots[TANDEM_SINKS];
_Atomic uint32_t sinks_attached;
atomic_flag sinks_changing = ATOMIC_FLAG_INIT;

static struct tap *_Atomic taps;

_Atomic bool taps_fence = true;

void taps_begin(void)
{
	static _Atomic int begun;

#ifdef __SANITIZE_THREAD__
	return; /* it does not know what the call orders */
#endif
	if (!atomic_exchange(&begun, 1) &&
	    !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		atomic_store(&taps_fence, false);
}

static struct tap *tap_find(void)
{
	struct tap *tap;

	for (tap = atomic_load(&taps); tap; tap = tap->next)
		if (!atomic_exchange(&tap->taken, true))
			return tap;
	tap = sandbox_map(sizeof(struct tap));
	if (!tap)
		return NULL;
	atomic_store(&tap->taken, true);
	tap->next = atomic_load(&taps);
	while (!atomic_compare_exchange_weak(&taps, &tap->next, tap)) {
	}
	return tap;
}

struct tap *tap_of(struct tandem_thread *thread)
{
	int saved;

	if (tandem_likely(thread->tap))
		return thread->tap;
	saved = errno;
	thread->tap = tap_find();
	errno = saved;
	if (!thread->tap)
		return NULL;
	thread->tap->error_number = &errno;
	thread->tap->depth = 0;
	thread->tap->scratch_used = 0;
	thread->tap->in_sink = 0;
	if (!thread->number)
		thread->number = stream_file_number();
	tandem_stream_watch(thread);
	return thread->tap;
}

int tandem_tap_open(struct tandem_thread *thread)
{
	int saved = errno;
	struct tap *tap = atomic_load(&sinks_attached) ? tap_of(thread) : NULL;

	errno = saved;
	return tap ? 0 : atomic_load(&sinks_attached) ? -ENOMEM : -ENOENT;
}

void tap_rest(struct tap *tap)
{
	if (atomic_load(&tap->active) & 1)
		tap_leave(tap);
	tap->in_sink = 0;
}

void tandem_tap_free(struct tandem_thread *thread)
{
	struct tap *tap = thread->tap;

	thread->tap = NULL;
	if (!tap)
		return;
	tap_rest(tap);
	atomic_store(&tap->taken, false);
}

/* The child of a fork has one thread, and no call of it is open. Another may have been
 * attaching a sink, or taking one away. */
void tandem_tap_forget(struct tandem_thread *thread)
{
	uint32_t left = 0;

	atomic_flag_clear(&sinks_changing);
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		left |= atomic_load(&sink_slots[i].sink) ? 1u << i : 0;
		wanted_set(i, atomic_load(&sink_slots[i].sink));
	}
	atomic_store(&sinks_attached, left);
	for (struct tap *tap = atomic_load(&taps); tap; tap = tap->next) {
		tap_rest(tap);
		tap->depth = 0;
		tap->scratch_used = 0;
		atomic_store(&tap->taken, tap == thread->tap);
	}
}

/* What the thread was at has ended. */
static bool tap_wait(struct tap *tap, uint64_t deadline)
{
	uint32_t seen = atomic_load_explicit(&tap->active, memory_order_acquire);
	struct timespec pause = {.tv_nsec = 20000};

	for (unsigned turn = 0;
	     seen & 1 && atomic_load_explicit(&tap->active, memory_order_acquire) == seen; turn++) {
		if (turn < 100) {
			sched_yield();
			continue;
		}
		if (tandem_monotonic_ns() > deadline)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

int tandem_sinks_wait(uint64_t timeout_ns)
{
	uint64_t now = tandem_monotonic_ns();
	uint64_t deadline = now + timeout_ns < now ? UINT64_MAX : now + timeout_ns;
	int saved = errno, error = 0;

	if (!atomic_load(&taps_fence))
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (struct tap *tap = atomic_load(&taps); tap; tap = tap->next)
		if (tap != tandem_thread.tap && !tap_wait(tap, deadline))
			error = -EBUSY;
	errno = saved;
	return error;
}
