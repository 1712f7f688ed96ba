/* SPDX-License-Identifier: MIT */
#include "babeltrace.h"

#include <babeltrace2/babeltrace.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define LIMIT_SECONDS 2
#define AGAIN_US 1000 /* it may be in the C library just now */

sigjmp_buf babeltrace_gave_up;

static void on_abort(int number)
{
	(void)number;
	siglongjmp(babeltrace_gave_up, 1);
}

static void *interrupted(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (void *)(uintptr_t)context->uc_mcontext.pc;
#else
	(void)context;
	return NULL;
#endif
}

static void on_limit(int number, siginfo_t *info, void *context)
{
	Dl_info found;

	(void)number;
	(void)info;
	if (dladdr(interrupted(context), &found) && found.dli_fname &&
	    strstr(found.dli_fname, "babeltrace"))
		siglongjmp(babeltrace_gave_up, 1);
}

static void limit_set(time_t seconds, suseconds_t again)
{
	struct itimerval limit = {.it_value.tv_sec = seconds, .it_interval.tv_usec = again};

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

void babeltrace_watch(void)
{
	struct sigaction action = {.sa_sigaction = on_limit, .sa_flags = SA_SIGINFO | SA_RESTART};

	signal(SIGABRT, on_abort);
	sigaction(SIGVTALRM, &action, NULL);
}

void babeltrace_begin(void)
{
	/* Of a call that was given up: the next one would be, at its first step. */
	bt_current_thread_clear_error();
	limit_set(LIMIT_SECONDS, AGAIN_US);
}

void babeltrace_end(void)
{
	limit_set(0, 0);
}
