/* SPDX-License-Identifier: MIT */
#include "core/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/sandbox/seccomp_filter.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

#define MAPPING_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#define SOME_BYTES 65536u

_Atomic uint32_t sandbox_forbidden;

/* With the arguments that a filter may look at. */
static const struct need {
	enum sandbox_use use;
	int number;
	uint64_t args[6];
} needs[] = {
	{SANDBOX_CHILD, SYS_clone, {SANDBOX_CLONE_FLAGS}},
	{SANDBOX_CHILD, SYS_wait4, {2, 0, __WCLONE}},
	{SANDBOX_CHILD, SYS_rt_sigprocmask, {SIG_SETMASK, 0, 0, _NSIG / 8}},
	{SANDBOX_CHILD, SYS_mmap, {0, SOME_BYTES, PROT_READ | PROT_WRITE, MAPPING_FLAGS, -1ul}},
	{SANDBOX_CHILD, SYS_munmap, {0, SOME_BYTES}},
	{SANDBOX_CHILD, SYS_futex, {0, FUTEX_WAIT_PRIVATE, 1}},
	{SANDBOX_CHILD, SYS_futex, {0, FUTEX_WAKE_PRIVATE, INT32_MAX}},
	/* What the child does, which would be for nothing. */
	{SANDBOX_CHILD, SYS_openat, {0, 0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600}},
	{SANDBOX_CHILD, SYS_ftruncate, {3}},
	{SANDBOX_CHILD, SYS_pwritev, {3}},
	{SANDBOX_CHILD, SYS_renameat, {0}},
	{SANDBOX_CHILD, SYS_close, {3}},
	{SANDBOX_SIGNALS, SYS_rt_sigprocmask, {SIG_SETMASK, 0, 0, _NSIG / 8}},
	{SANDBOX_POPULATE, SYS_madvise, {0, SOME_BYTES, MADV_POPULATE_READ}},
	{SANDBOX_POPULATE, SYS_madvise, {0, SOME_BYTES, MADV_POPULATE_WRITE}},
	{SANDBOX_RELEASE, SYS_madvise, {0, SOME_BYTES, MADV_DONTNEED}},
	{SANDBOX_THREAD, SYS_gettid, {0}},
	{SANDBOX_THREAD, SYS_prctl, {PR_GET_NAME}},
	{SANDBOX_CUT, SYS_newfstatat, {0}},
#ifdef SYS_lstat
	{SANDBOX_CUT, SYS_lstat, {0}}, /* an older C library's */
#endif
	{SANDBOX_CUT, SYS_truncate, {0}},
	{SANDBOX_CUT, SYS_unlinkat, {0}},
	{SANDBOX_MEMORY, SYS_mmap, {0, SOME_BYTES, PROT_READ | PROT_WRITE, MAPPING_FLAGS, -1ul}},
	{SANDBOX_MEMORY, SYS_munmap, {0, SOME_BYTES}},
	{SANDBOX_STACK, SYS_sigaltstack, {0}},
	{SANDBOX_READ, SYS_process_vm_readv, {2}},
	{SANDBOX_READ, SYS_getpid, {0}},
	{SANDBOX_STATFS, SYS_fstatfs, {3}},
	{SANDBOX_NAME, SYS_prctl, {PR_SET_NAME}},
};

uint32_t sandbox_forbids(const struct sock_filter *program, unsigned length)
{
	uint32_t forbidden = 0;

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		struct seccomp_data call = {.nr = needs[i].number, .arch = SECCOMP_FILTER_ARCH};

		for (unsigned argument = 0; argument < 6; argument++)
			call.args[argument] = needs[i].args[argument];
		switch (seccomp_filter_run(program, length, &call) & SECCOMP_RET_ACTION_FULL) {
		case SECCOMP_RET_ALLOW:
		case SECCOMP_RET_LOG:
		case SECCOMP_RET_ERRNO:
			break;
		default:
			forbidden |= 1u << needs[i].use;
		}
	}
	return forbidden;
}

void *sandbox_map(size_t bytes)
{
	int saved = errno;
	void *memory = MAP_FAILED;

	if (sandbox_allows(SANDBOX_MEMORY))
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAPPING_FLAGS, -1, 0);
	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

void sandbox_unmap(void *memory, size_t bytes)
{
	if (sandbox_allows(SANDBOX_MEMORY))
		munmap(memory, bytes);
}
