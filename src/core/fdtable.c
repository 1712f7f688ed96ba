/* SPDX-License-Identifier: MIT */
#include "core/fdtable.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer's frames are larger. */
#define STACK_BYTES (256u * 1024)

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define UNSHARE_FLAG 2u /* CLOSE_RANGE_UNSHARE of linux/close_range.h, Linux 5.9 */

struct job {
	int (*function)(void *data);
	void *data;
	int result;
};

static _Atomic int child_died;

bool fdtable_alone(void)
{
	return __libc_single_threaded;
}

/* Valgrind runs no child that shares the memory; it lets one thread run at a time. */
static bool under_valgrind(void)
{
	uintptr_t result = 0;

#if defined(__x86_64__)
	/* Its client request RUNNING_ON_VALGRIND (0x1001), which real processors take for
	 * rotations that add up to nothing. */
	uintptr_t request[6] = { 0x1001 };
	uintptr_t *address = request;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(result)
			 : "a"(address)
			 : "cc", "memory");
#endif
	return result;
}

static int job_run(void *data)
{
	struct job *job = data;

	/* A table with nothing in it costs the same however many files the program has
	 * open; on a kernel without, the whole table is copied. */
	if (syscall(SYS_close_range, 0u, ~0u, UNSHARE_FLAG) && syscall(SYS_unshare, CLONE_FILES))
		job->result = -errno;
	else
		job->result = job->function(job->data);
	return 0;
}

static int job_clone(struct job *job)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	sigset_t all, before;
	int child;

	if (stack == MAP_FAILED)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	job->result = -ECANCELED;
	/* Without a signal at its end, and so no child that the program could wait for
	 * by accident. */
	child = clone(job_run, stack + STACK_BYTES,
		      CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS, job);
	if (child < 0)
		job->result = -errno;
	else
		syscall(SYS_wait4, child, NULL, __WCLONE, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_BYTES);
	return child < 0 ? job->result : 0;
}

int fdtable_run(int (*function)(void *data), void *data)
{
	struct job job = { .function = function, .data = data };
	int error;

	if (atomic_load(&child_died))
		return -ECANCELED;
	if (under_valgrind())
		return function(data);
	error = job_clone(&job);
	if (error)
		return fdtable_alone() ? function(data) : error;
	if (job.result == -ECANCELED)
		atomic_store(&child_died, 1);
	return job.result;
}
