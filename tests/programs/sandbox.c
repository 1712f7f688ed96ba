/* SPDX-License-Identifier: MIT */
/* sandbox prctl|syscall N: some calls; a seccomp filter that ends the process for what a
 * recorder may want to do, installed by prctl() or syscall(); then N more calls. */
#include "world.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const unsigned numbers[] = {
		SYS_madvise, SYS_rt_sigprocmask, SYS_clone,    SYS_mmap,  SYS_munmap,
		SYS_openat,  SYS_ftruncate,	 SYS_truncate, SYS_wait4,
	};
	const unsigned count = sizeof(numbers) / sizeof(*numbers);
	struct sock_filter filter[2 * sizeof(numbers) / sizeof(*numbers) + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = {.len = 2 * count + 2, .filter = filter};
	cl_uint platforms;
	unsigned length = 1;

	CHECK(argc == 3);
	for (unsigned i = 0; i < count; i++) {
		filter[length++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i], 0, 1);
		filter[length++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	}
	filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	CL(clGetPlatformIDs(0, NULL, &platforms));
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (!strcmp(argv[1], "prctl"))
		CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	else
		CHECK(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
	for (long i = 0; i < atol(argv[2]); i++)
		CL(clGetPlatformIDs(0, NULL, &platforms));
	return 0;
}
