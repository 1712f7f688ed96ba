/* SPDX-License-Identifier: MIT */
/* What the traced program has forbidden itself by seccomp(2), and so us: a filter may end the
 * process for a system call that it does not expect. Such a call can't be tried, so whoever
 * is about to make one in the program's own name asks here first:
 *
 *	if (sandbox_allows(SANDBOX_RELEASE))
 *		madvise(...);
 *
 * What is forbidden becomes known when the program installs a filter (seccomp_calls.c), by
 * running it. One that was there before the program started is not known: all is allowed.
 * It holds for all threads, though a filter may be one thread's; and for ever, as filters do.
 * Asking makes no system call; any thread, also in a signal handler.
 */
#ifndef TANDEM_CORE_SANDBOX_H
#define TANDEM_CORE_SANDBOX_H

#include <linux/filter.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sandbox_use {
	SANDBOX_CHILD,	  /* fdtable_run() */
	SANDBOX_SIGNALS,  /* rt_sigprocmask */
	SANDBOX_POPULATE, /* madvise(MADV_POPULATE_READ, MADV_POPULATE_WRITE) */
	SANDBOX_RELEASE,  /* madvise(MADV_DONTNEED) */
	SANDBOX_THREAD,	  /* who this thread is: gettid, prctl(PR_GET_NAME) */
	SANDBOX_CUT,	  /* a file's end: newfstatat, truncate, unlinkat */
	SANDBOX_MEMORY,	  /* mmap, munmap */
	SANDBOX_STACK,	  /* sigaltstack */
	SANDBOX_READ, /* process_vm_readv: how a filter is looked at, or memory that may be gone */
	SANDBOX_STATFS, /* fstatfs */
	SANDBOX_NAME,	/* prctl(PR_SET_NAME) */
	SANDBOX_USES,
};

/* Of such a child. */
#define SANDBOX_CLONE_FLAGS (CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS)

#define SANDBOX_ALL ((1u << SANDBOX_USES) - 1)

#pragma GCC visibility push(hidden)
extern _Atomic uint32_t sandbox_forbidden; /* 1 << use */
#pragma GCC visibility pop

static inline bool sandbox_allows(enum sandbox_use use)
{
	return !(atomic_load_explicit(&sandbox_forbidden, memory_order_relaxed) >> use & 1);
}

/* What a filter forbids: kills, traps, or gives to somebody else to decide. What fails with
 * an error is allowed. */
uint32_t sandbox_forbids(const struct sock_filter *program, unsigned length);

/* Memory of zeros; NULL: there is none. */
void *sandbox_map(size_t bytes);
void sandbox_unmap(void *memory, size_t bytes);

#endif
