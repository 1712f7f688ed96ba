/* SPDX-License-Identifier: MIT */
/* seccomp filters made up at random say here what they say in the kernel. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sandbox/sandbox.h"
#include "core/sandbox/seccomp_filter.h"

#define FILTERS 400
#define LENGTH 64u
#define ERRNO_MOST 4095u /* the kernel returns no more */

static int failures;

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			failures++;                                                     \
		}                                                                       \
	} while (0)

static uint32_t random_u32(void)
{
	return (uint32_t)random() << 16 ^ (uint32_t)random();
}

/* Small numbers and large ones, none of them 0. */
static uint32_t some_number(void)
{
	uint32_t number = random_u32() >> random() % 32;

	return number ? number : 1;
}

static struct sock_filter some_instruction(unsigned left)
{
	static const uint16_t alu[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
				       BPF_OR,	BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG};
	static const uint16_t jumps[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
	uint16_t operation = alu[random() % 10];
	uint32_t cell = (uint32_t)random() % BPF_MEMWORDS;

	switch (random() % 9) {
	case 0:
		return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    4 * ((uint32_t)random() % 16));
	case 1:
		return (struct sock_filter)BPF_STMT(
			random() % 2 ? BPF_LD | BPF_IMM : BPF_LDX | BPF_IMM, some_number());
	case 2:
		return (struct sock_filter)BPF_STMT(
			random() % 2 ? BPF_LD | BPF_MEM : BPF_LDX | BPF_MEM, cell);
	case 3:
		return (struct sock_filter)BPF_STMT(random() % 2 ? BPF_ST : BPF_STX, cell);
	case 4:
		return (struct sock_filter)BPF_STMT(BPF_MISC | (random() % 2 ? BPF_TAX : BPF_TXA),
						    0);
	case 5:
		return (struct sock_filter)BPF_STMT(
			random() % 2 ? BPF_LD | BPF_W | BPF_LEN : BPF_LDX | BPF_W | BPF_LEN, 0);
	case 6:
		if (left > 2)
			return (struct sock_filter)BPF_JUMP(
				BPF_JMP | jumps[random() % 4] | (random() % 2 ? BPF_X : BPF_K),
				some_number(), (uint8_t)(random() % (left - 1)),
				(uint8_t)(random() % (left - 1)));
		return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0);
	default:
		/* The kernel refuses a constant that is too large. */
		if (operation == BPF_LSH || operation == BPF_RSH)
			return (struct sock_filter)BPF_STMT(BPF_ALU | operation |
								    (random() % 2 ? BPF_X : BPF_K),
							    (uint32_t)random() % 32);
		if (operation == BPF_DIV || operation == BPF_NEG)
			return (struct sock_filter)BPF_STMT(BPF_ALU | operation | BPF_K,
							    some_number());
		return (struct sock_filter)BPF_STMT(
			BPF_ALU | operation | (random() % 2 ? BPF_X : BPF_K), some_number());
	}
}

/* Ends by an error number that everything before makes. */
static void some_filter(struct sock_filter *filter)
{
	unsigned at = 0;

	/* What was not stored may not be loaded. */
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, some_number());
	for (uint32_t cell = 0; cell < BPF_MEMWORDS; cell++)
		filter[at++] = (struct sock_filter)BPF_STMT(BPF_ST, cell);
	for (; at < LENGTH - 3; at++)
		filter[at] = some_instruction(LENGTH - 3 - at);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xfff);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
}

static int in_kernel(struct sock_filter *filter, unsigned length, long a, long b, long c)
{
	struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return -errno;
	errno = 0;
	return syscall(SYS_getpgid, a, b, c, 0l, 0l, 0l) < 0 ? errno : 0;
}

static void compare(unsigned seed)
{
	struct sock_filter filter[LENGTH + 3], body[LENGTH];
	struct seccomp_data call = {.nr = SYS_getpgid, .arch = SECCOMP_FILTER_ARCH};
	uint32_t expected, error;
	int status;
	pid_t child;

	srandom(seed);
	some_filter(body);
	/* Other calls are let through first. */
	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	filter[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 1, 0);
	filter[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	for (unsigned i = 0; i < LENGTH; i++)
		filter[3 + i] = body[i];
	/* The instruction's address is the one thing that differs. */
	for (unsigned i = 3; i < LENGTH + 3; i++)
		if (filter[i].code == (BPF_LD | BPF_W | BPF_ABS) && filter[i].k / 4 >= 2 &&
		    filter[i].k / 4 < 4)
			filter[i].k = 16;
	for (int i = 0; i < 3; i++)
		call.args[i] = (uint64_t)(long)(int)random_u32();
	expected = seccomp_filter_run(filter, LENGTH + 3, &call);
	CHECK((expected & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO);
	error = expected & SECCOMP_RET_DATA;
	error = error > ERRNO_MOST ? ERRNO_MOST : error;
	child = fork();
	if (!child) {
		int found = in_kernel(filter, LENGTH + 3, (long)call.args[0], (long)call.args[1],
				      (long)call.args[2]);

		if (found == (int)error)
			_exit(0);
		fprintf(stderr, "filter %u: %d in the kernel, %u here\n", seed, found, error);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
}

/* What the kernel would not take. */
static void refused(void)
{
	const struct seccomp_data call = {.nr = SYS_getpgid};
	const struct sock_filter programs[][3] = {
		{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, UINT32_MAX), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_LD | BPF_MEM, 16), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_ST, 1u << 31), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_JMP | BPF_JA, UINT32_MAX), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_JMP | BPF_JA, 7), BPF_STMT(BPF_RET | BPF_A, 0)},
		{BPF_STMT(BPF_LD | BPF_IMM, 0), BPF_STMT(BPF_LD | BPF_IMM, 0)},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		CHECK(seccomp_filter_run(programs[i], 2, &call) == SECCOMP_RET_KILL_PROCESS);
	CHECK(seccomp_filter_run(NULL, 0, &call) == SECCOMP_RET_KILL_PROCESS);
}

/* What of ours a filter forbids, by the arguments too. */
static void uses(void)
{
	const struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_filter none[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)};
	const struct sock_filter errors[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)};
	const struct sock_filter populate[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 23, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
	};

	CHECK(sandbox_forbids(all, 1) == 0);
	CHECK(sandbox_forbids(errors, 1) == 0);
	CHECK(sandbox_forbids(none, 1) == SANDBOX_ALL);
	CHECK(sandbox_forbids(populate, 6) == 1u << SANDBOX_POPULATE);
}

int main(void)
{
	unsigned seed = getenv("TANDEM_SEED") ? (unsigned)atol(getenv("TANDEM_SEED"))
					      : (unsigned)getpid() * FILTERS;

	for (unsigned i = 0; i < FILTERS && failures < 5; i++)
		compare(seed + i);
	refused();
	uses();
	return failures ? 1 : 0;
}
