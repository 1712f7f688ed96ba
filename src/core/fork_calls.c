/* SPDX-License-Identifier: MIT */
/* Ways to fork that run no handlers of pthread_atfork(): clone() without CLONE_VM, _Fork(),
 * and fork, clone and clone3 by syscall(). The program's find this library's before the C
 * library's. They do what the C library's do, and in the child what is the parent's is
 * forgotten: the streams are shared memory, and both would write to the same places. A fork
 * by an instruction of the program's own is not seen. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/constructors.h"
#include "core/lifetime.h"
#include "core/sandbox/sandbox.h"
#include "core/sandbox/seccomp_calls.h"

typedef int (*clone_function)(int (*function)(void *), void *stack, int flags, void *data, ...);
typedef pid_t (*fork_function)(void);

static clone_function real_clone;
static fork_function real_fork;

/* Before anybody can call: dlsym() takes locks, and a fork may come in a signal handler. */
__attribute__((constructor(CONSTRUCTOR_FORKS))) static void find_real(void)
{
	real_clone = (clone_function)dlsym(RTLD_NEXT, "clone");
	real_fork = (fork_function)dlsym(RTLD_NEXT, "_Fork");
}

struct beginning {
	int (*function)(void *);
	void *data;
};

/* The parent's stack is there to be read: the child has a copy of all memory. */
static int child_begin(void *data)
{
	const struct beginning *begin = data;

	tandem_lifetime_forked();
	return begin->function(begin->data);
}

__attribute__((visibility("default"))) int clone(int (*function)(void *), void *stack, int flags,
						 void *data, ...)
{
	struct beginning begin = {function, data};
	void *parent_tid, *tls, *child_tid;
	va_list list;

	va_start(list, data);
	parent_tid = va_arg(list, void *);
	tls = va_arg(list, void *);
	child_tid = va_arg(list, void *);
	va_end(list);
	if (!real_clone)
		find_real();
	if (!real_clone) {
		errno = ENOSYS;
		return -1;
	}
	if (flags & CLONE_VM || !function)
		return real_clone(function, stack, flags, data, parent_tid, tls, child_tid);
	return real_clone(child_begin, stack, flags, &begin, parent_tid, tls, child_tid);
}

__attribute__((visibility("default"))) pid_t _Fork(void)
{
	pid_t child;

	if (!real_fork)
		find_real();
	if (!real_fork) {
		errno = ENOSYS;
		return -1;
	}
	child = real_fork();
	if (!child)
		tandem_lifetime_forked();
	return child;
}

#if defined(__x86_64__)
bool fork_is_asked(long number, long a, long b);
long fork_syscall(long number, long a, long b, long c, long d, long e, long f);

#define CLONE3_LEAST_BYTES 64 /* CLONE_ARGS_SIZE_VER0 of linux/sched.h */

struct clone3_begin {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack;
};

/* Whether this system call makes a child with memory of its own that returns on this stack,
 * with the thread's own variables. */
__attribute__((visibility("hidden"))) bool fork_is_asked(long number, long a, long b)
{
	struct clone3_begin args = {.flags = CLONE_VM};
	int saved = errno;

	if (number == SYS_fork)
		return true;
	if (number == SYS_clone)
		return !(a & (CLONE_VM | CLONE_SETTLS)) && !b;
#ifdef SYS_clone3
	if (number == SYS_clone3 && a && b >= CLONE3_LEAST_BYTES && sandbox_allows(SANDBOX_READ) &&
	    !seccomp_copy(&args, (const void *)a, sizeof(args)))
		args.flags = CLONE_VM;
#endif
	errno = saved;
	return !(args.flags & (CLONE_VM | CLONE_SETTLS)) && !args.stack;
}

__attribute__((visibility("hidden"))) long fork_syscall(long number, long a, long b, long c, long d,
							long e, long f)
{
	long child = seccomp_raw_syscall(number, a, b, c, d, e, f);

	if (!child)
		tandem_lifetime_forked();
	return child;
}
#endif
