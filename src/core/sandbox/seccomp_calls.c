/* SPDX-License-Identifier: MIT */
/* prctl() and syscall() of the program, which find this library's before the C library's: by
 * them programs install seccomp filters, and each is looked at before it holds (sandbox.h).
 * By syscall() they also fork without the handlers of pthread_atfork() (core/fork_calls.c).
 * They do what the C library's do. A filter that is installed by other means (an instruction
 * of the program's own, a static program) is not seen. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/local.h"
#include "core/sandbox/sandbox.h"
#include "core/sandbox/seccomp_calls.h"
#include "core/stream/stream.h"

long seccomp_checked_syscall(long number, long a, long b, long c, long d, long e, long f);
long seccomp_failed_syscall(long error);

#if defined(__x86_64__)
/* As in the C library, from whose it differs by two comparisons: no frame, since some numbers
 * (vfork, clone) return on another stack or twice. */
__asm__(".text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"cmpl $157, %edi\n\t" /* prctl */
	"je 1f\n\t"
	"cmpl $317, %edi\n\t" /* seccomp */
	"je 1f\n\t"
	"cmpl $57, %edi\n\t" /* fork */
	"je 3f\n\t"
	"cmpl $56, %edi\n\t" /* clone */
	"je 3f\n\t"
	"cmpl $435, %edi\n\t" /* clone3 */
	"je 3f\n"
	".globl seccomp_raw_syscall\n"
	".hidden seccomp_raw_syscall\n"
	".hidden seccomp_checked_syscall\n"
	".hidden seccomp_failed_syscall\n"
	".hidden fork_is_asked\n"
	".hidden fork_syscall\n"
	"seccomp_raw_syscall:\n\t"
	"movq %rdi, %rax\n\t"
	"movq %rsi, %rdi\n\t"
	"movq %rdx, %rsi\n\t"
	"movq %rcx, %rdx\n\t"
	"movq %r8, %r10\n\t"
	"movq %r9, %r8\n\t"
	"movq 8(%rsp), %r9\n\t"
	"syscall\n\t"
	"cmpq $-4095, %rax\n\t"
	"jae 2f\n\t"
	"ret\n"
	"1:\tjmp seccomp_checked_syscall\n"
	"2:\tmovq %rax, %rdi\n\t"
	"jmp seccomp_failed_syscall\n"
	/* A child with memory of its own returns through its own copy of a frame; any other
	 * gets what the C library's gives it. */
	"3:\tpushq %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rsi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rdx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rcx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %r8\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %r9\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"subq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call fork_is_asked\n\t"
	"addq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %r9\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %r8\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rcx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rsi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"testb %al, %al\n\t"
	"je seccomp_raw_syscall\n\t"
	"jmp fork_syscall\n"
	".cfi_endproc\n"
	".size syscall, . - syscall\n");
_Static_assert(SYS_prctl == 157 && SYS_seccomp == 317 && SYS_fork == 57 && SYS_clone == 56,
	       "numbers of syscall()");
#endif

__attribute__((visibility("hidden"))) long seccomp_failed_syscall(long error)
{
	errno = (int)-error;
	return -1;
}

bool seccomp_copy(void *to, const void *from, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
	long copied = seccomp_raw_syscall(SYS_process_vm_readv, (long)getpid(), &here, 1l, &there,
					  1l, 0l);

	/* Denied to this process, as some containers do: the pointer is as good as the program. */
	if (copied < 0 && errno != EFAULT && from) {
		memcpy(to, from, bytes);
		return true;
	}
	return copied == (long)bytes;
}

/* The filter may lie anywhere, or nowhere; one that can't be read forbids all. */
static uint32_t filter_forbids(const struct sock_fprog *program)
{
	static struct sock_filter filter[BPF_MAXINSNS];
	static atomic_flag taken = ATOMIC_FLAG_INIT;
	struct sock_fprog found;
	uint32_t forbidden = SANDBOX_ALL;

	if (!sandbox_allows(SANDBOX_READ) || atomic_flag_test_and_set(&taken))
		return forbidden;
	if (seccomp_copy(&found, program, sizeof(found)) && found.len &&
	    found.len <= BPF_MAXINSNS &&
	    seccomp_copy(filter, found.filter, found.len * sizeof(*filter)))
		forbidden = sandbox_forbids(filter, found.len);
	atomic_flag_clear(&taken);
	return forbidden;
}

/* The last chance to make ready what can't be made any more. Returns what changes. */
static uint32_t filter_begin(const struct sock_fprog *program)
{
	uint32_t more = filter_forbids(program) & ~atomic_load(&sandbox_forbidden);

	if (more >> SANDBOX_CHILD & 1)
		tandem_stream_prepare();
	atomic_fetch_or(&sandbox_forbidden, more);
	return more;
}

static void filter_end(uint32_t more, bool installed)
{
	if (!installed)
		atomic_fetch_and(&sandbox_forbidden, ~more);
}

static int prctl_checked(long option, long a, long b, long c, long d)
{
	int saved = errno, result;
	uint32_t more;

	/* In strict mode nothing helps: the counter can't be read. */
	if (!tandem_in_use() || option != PR_SET_SECCOMP || a != SECCOMP_MODE_FILTER)
		return (int)seccomp_raw_syscall(SYS_prctl, option, a, b, c, d);
	more = filter_begin((const struct sock_fprog *)b);
	errno = saved;
	result = (int)seccomp_raw_syscall(SYS_prctl, option, a, b, c, d);
	filter_end(more, !result);
	return result;
}

__attribute__((visibility("default"))) int prctl(int option, ...)
{
	long arguments[4];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	return prctl_checked(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

__attribute__((visibility("hidden"))) long seccomp_checked_syscall(long number, long a, long b,
								   long c, long d, long e, long f)
{
	int saved = errno;
	uint32_t more;
	long result;

	if (number == SYS_prctl)
		return prctl_checked((int)a, b, c, d, e);
	if (!tandem_in_use() || a != SECCOMP_SET_MODE_FILTER)
		return seccomp_raw_syscall(number, a, b, c, d, e, f);
	more = filter_begin((const struct sock_fprog *)c);
	errno = saved;
	result = seccomp_raw_syscall(number, a, b, c, d, e, f);
	/* A positive one is a listener's descriptor, or the thread that could not follow. */
	filter_end(more, result >= 0);
	return result;
}
