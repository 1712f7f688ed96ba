/* SPDX-License-Identifier: MIT */
/* What is finished is written at intervals, so that a program that is killed loses
 * at most the last one; and at the exit all of it is, with a bounded wait for what
 * still runs.
 *
 * CUPTI's own periodic flush delivers full buffers only, and nothing else happens
 * in a program that waits, so this is a thread of ours: the one place where Tandem
 * has one. The reason against it does not hold here: a program that uses CUDA has
 * the driver's threads anyway. It sleeps on the control page's word, so that pause
 * and resume are heard at once. It is made when CUDA is initialised, and not at all
 * with an interval of 0. */
#include "domains/cuda/drain.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/process.h"
#include "domains/cuda/activity/activity.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/state.h"
#include "domains/cuda/switch.h"
#include "domains/cuda/thread.h"

#define STACK_BYTES (256u * 1024)
#define POLL_NS 2000000

static pthread_t thread;
static bool thread_runs;
static _Atomic uint32_t ending;

static void flush(uint32_t flag)
{
	cuda_in_tool_begin();
	cupti.cuptiActivityFlushAll(flag);
	cuda_in_tool_end();
}

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
				 .tv_nsec = (long)(ns % 1000000000u)};
}

static uint32_t interval_ms(void)
{
	return tandem_control.domain[TANDEM_DOMAIN_cuda].interval_ms;
}

/* Until somebody pauses or resumes, or the interval is over. */
static void interval_wait(uint64_t recording)
{
	struct timespec interval = time_of((uint64_t)interval_ms() * 1000000u);

	/* The word's lower half, in which CUDA's bit is. */
	syscall(SYS_futex, &tandem_control.recording, FUTEX_WAIT, (uint32_t)recording, &interval,
		NULL, 0);
}

static void *drain(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "tandem-cuda");
	while (!atomic_load(&ending)) {
		interval_wait(tandem_recording());
		if (atomic_load(&ending) || cuda_is_disabled())
			break;
		cuda_switch();
		if (cuda_activity_outstanding())
			flush(0);
	}
	return NULL;
}

static void thread_start(void)
{
	pthread_attr_t attributes;
	sigset_t all, before;

	if (!interval_ms() || pthread_attr_init(&attributes))
		return;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	/* The program's signals are for its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	thread_runs = !pthread_create(&thread, &attributes, drain, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}

static void thread_stop(void)
{
	struct timespec limit;

	atomic_store(&ending, 1);
	if (!thread_runs)
		return;
	syscall(SYS_futex, &tandem_control.recording, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	/* It hears at once, or is in the middle of a flush; a CUPTI that hangs
	 * there does not keep the program from ending. */
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 1 + tandem_control.exit_wait_ms / 1000;
	thread_runs = pthread_timedjoin_np(thread, NULL, &limit) != 0;
}

static void exit_drain(void)
{
	struct timespec pause = time_of(POLL_NS);
	uint64_t limit;

	if (cuda_is_disabled())
		return;
	if (!cuda_driver_has_devices())
		cuda_notice(TANDEM_CUDA_NOTICE_no_device);
	thread_stop();
	if (thread_runs)
		return; /* it holds what we would need */
	limit = tandem_monotonic_ns() + (uint64_t)tandem_control.exit_wait_ms * 1000000u;
	flush(0);
	while (cuda_activity_outstanding() && tandem_monotonic_ns() < limit) {
		nanosleep(&pause, NULL);
		flush(0);
	}
	if (cuda_activity_outstanding())
		flush(CUPTI_FLUSH_FORCED);
}

/* What comes later, exit handlers that were registered before CUDA was initialised and
 * destructors, finds CUDA itself ended, and launches nothing. */
static void exit_handler(void)
{
	exit_drain();
	atomic_store(&cuda_ended, 1);
}

/* A tool asks for what has completed. */
void cuda_drain_at_flush(void)
{
	if (!cuda_is_disabled() && !cuda_has_ended() && cuda_activity_outstanding())
		flush(0);
}

void cuda_drain_begin(void)
{
	/* Registered while CUDA is initialised: runs before what CUDA itself and
	 * the program's libraries registered earlier. */
	atexit(exit_handler);
	thread_start();
}
