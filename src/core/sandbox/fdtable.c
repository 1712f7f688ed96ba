/* SPDX-License-Identifier: MIT */
#include "core/sandbox/fdtable.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sandbox/sandbox.h"
#include "format/helper.h"

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

/* Valgrind runs no child that shares the memory; it lets one thread run at a time. */
static bool under_valgrind(void)
{
	uintptr_t result = 0;

#if defined(__x86_64__)
	/* Its client request RUNNING_ON_VALGRIND (0x1001), which real processors take for
	 * rotations that add up to nothing. */
	uintptr_t request[6] = {0x1001};
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

	if (sandbox_allows(SANDBOX_NAME))
		syscall(SYS_prctl, PR_SET_NAME, FORMAT_HELPER_NAME, 0, 0, 0);
	/* A table with nothing in it costs the same however many files the program has
	 * open; on a kernel without, the whole table is copied. */
	if (syscall(SYS_close_range, 0u, ~0u, UNSHARE_FLAG) && syscall(SYS_unshare, CLONE_FILES))
		job->result = -errno;
	else
		job->result = job->function(job->data);
	return 0;
}

/* clone(2) without the C library's function of that name: sanitizers of the program's put
 * theirs in its place, take this for a fork, and end programs that start threads after it.
 * The child runs `function` on its own stack. Returns its number or -errno. */
static long clone_child(unsigned long flags, char *stack, int (*function)(void *data), void *data)
{
#if defined(__x86_64__)
	register long result __asm__("rax") = SYS_clone;
	register unsigned long first __asm__("rdi") = flags;
	register char *second __asm__("rsi") = stack;
	register long third __asm__("rdx") = 0;
	register long fourth __asm__("r10") = 0;
	register long fifth __asm__("r8") = 0;
	register int (*run)(void *) __asm__("r12") = function;
	register void *argument __asm__("r13") = data;

	__asm__ volatile("syscall\n\t"
			 "testl %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "movq %%r13, %%rdi\n\t"
			 "callq *%%r12\n\t"
			 "movl %%eax, %%edi\n\t"
			 "movl %[exit], %%eax\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:"
			 : "+r"(result)
			 : "r"(first), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(run),
			   "r"(argument), [exit] "i"(SYS_exit)
			 : "rcx", "r11", "memory", "cc");
	return result;
#elif defined(__aarch64__)
	register unsigned long first __asm__("x0") = flags;
	register char *second __asm__("x1") = stack;
	register long third __asm__("x2") = 0;
	register long fourth __asm__("x3") = 0;
	register long fifth __asm__("x4") = 0;
	register long number __asm__("x8") = SYS_clone;
	register int (*run)(void *) __asm__("x19") = function;
	register void *argument __asm__("x20") = data;

	__asm__ volatile("svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, #0\n\t"
			 "mov x0, x20\n\t"
			 "blr x19\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc #0\n"
			 "1:"
			 : "+r"(first)
			 : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(number), "r"(run),
			   "r"(argument), [exit] "i"(SYS_exit)
			 : "memory", "cc");
	return (long)first;
#else
	int child = clone(function, stack, (int)flags, data);

	return child < 0 ? -errno : child;
#endif
}

static int job_clone(struct job *job)
{
	const unsigned long flags = SANDBOX_CLONE_FLAGS;
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	sigset_t all, before;
	long child;

	if (stack == MAP_FAILED)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	job->result = -ECANCELED;
	/* Without a signal at its end, and so no child that the program could wait for
	 * by accident. */
	child = clone_child(flags, stack + STACK_BYTES, job_run, job);
	/* The kernel shares no working directory while another thread is in an exec. */
	if (child == -EAGAIN)
		child = clone_child(flags & ~(unsigned long)CLONE_FS, stack + STACK_BYTES, job_run,
				    job);
	if (child > 0)
		syscall(SYS_wait4, child, NULL, __WCLONE, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_BYTES);
	return child < 0 ? (int)child : 0;
}

int fdtable_run(int (*function)(void *data), void *data)
{
	struct job job = {.function = function, .data = data};
	int error;

	if (atomic_load(&child_died))
		return -ECANCELED;
	if (!sandbox_allows(SANDBOX_CHILD))
		return -EPERM;
	if (under_valgrind())
		return function(data);
	error = job_clone(&job);
	/* A process that has had one thread only has nobody who could interfere. */
	if (error)
		return __libc_single_threaded ? function(data) : error;
	if (job.result == -ECANCELED)
		atomic_store(&child_died, 1);
	return job.result;
}
