/* SPDX-License-Identifier: MIT */
/* The floor of `tandem record PROGRAM`: what a recorder of the scheduler can't leave out. Opens
 * the switches of each CPU with a buffer as large as ours, runs the program, waits for it, and
 * leaves the events to a child to close, which takes the kernel some 20 ms. Writes nothing.
 *
 *   start PROGRAM [ARGUMENTS]
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "linux/perf/ring.h"

static int tracefs_open(void)
{
	int events = open("/sys/kernel/tracing/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int context, mount;

	if (events >= 0)
		return events;
	context = fsopen("tracefs", FSOPEN_CLOEXEC);
	if (context < 0 || fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -1;
	mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	return openat(mount, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static long tracepoint_number(void)
{
	char text[16] = "";
	int events = tracefs_open();
	int fd = events < 0 ? -1 : openat(events, "sched/sched_switch/id", O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? atol(text) : -1;
}

static int event_open(long number, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = (uint64_t)number,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) + LINUX_RING_BYTES;

	return fd < 0 ? -1
		      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0) ==
				MAP_FAILED;
}

/* It has the files as well: ours are not the last that are closed. */
static int child_main(void *nothing)
{
	const struct timespec second = {.tv_sec = 1};

	(void)nothing;
	nanosleep(&second, NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	static _Alignas(64) char stack[16384];
	long number = tracepoint_number(), cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int status = 1;
	pid_t pid;

	if (argc < 2 || number < 0)
		return 2;
	for (int cpu = 0; cpu < cpus; cpu++)
		if (event_open(number, cpu))
			return 2;
	if (posix_spawn(&pid, argv[1], NULL, NULL, argv + 1, environ) ||
	    waitpid(pid, &status, 0) != pid)
		return 2;
	if (clone(child_main, stack + sizeof(stack), CLONE_VM | CLONE_FILES, NULL) < 0)
		return 2;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
