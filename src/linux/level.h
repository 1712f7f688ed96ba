/* SPDX-License-Identifier: MIT */
/* How much of the operating system is recorded: --kernel. */
#ifndef TANDEM_LINUX_LEVEL_H
#define TANDEM_LINUX_LEVEL_H

/* X(constant, word of --kernel, what it records) */
#define LINUX_LEVELS(X)                                                            \
	X(OFF, "off", "nothing")                                                   \
	X(SCHED, "sched", "which thread runs where, and which thread wakes which") \
	X(SYSCALLS, "syscalls", "that, and the program's system calls")            \
	X(GPU, "gpu", "the scheduler and the tracepoints of GPU drivers")          \
	X(ALL, "all", "all of these")

enum linux_level {
#define X(constant, word, what) LINUX_##constant,
	LINUX_LEVELS(X)
#undef X
};

#endif
