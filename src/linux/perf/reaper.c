/* SPDX-License-Identifier: MIT */
#include "linux/perf/reaper.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "util/system_calls.h"

/* Meanwhile nobody else who opens or closes a tracepoint gets anywhere: a second
 * recording that starts right after this one had to wait. So the tracepoints are
 * kept for a moment, switched off; whoever wants them then finds them there. */
#define LINGER_S 1

#define STACK_BYTES 16384u

/* To copy the page tables would take a tenth of what recording /bin/true does. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REAPER_FLAGS 0
#else
#define REAPER_FLAGS CLONE_VM
#endif

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Closes every file but these, which are sorted. */
static void keep_only(const int *fds, size_t count)
{
	unsigned from = 0;

	for (size_t i = 0; i < count; i++) {
		if ((unsigned)fds[i] > from)
			system_close_range(from, (unsigned)fds[i] - 1);
		from = (unsigned)fds[i] + 1;
	}
	system_close_range(from, ~0u);
}

struct reaper {
	int *fds; /* sorted */
	size_t count;
	int pipe_end;
	struct iovec *maps;
	size_t map_count;
};

/* The pipe ends with its parent, whose copies of the events are gone then: so it
 * is this process that waits for the kernel, and nobody else. It runs on the parent's
 * memory, on a stack of its own: system calls only, none that should fail. */
static int child_main(void *reaper_of)
{
	const struct reaper *reaper = reaper_of;
	char nothing;

	keep_only(reaper->fds, reaper->count);
	setsid();
	if (chdir("/") || read(reaper->pipe_end, &nothing, 1))
		_exit(1);
	/* At once: their pages count for the user. */
	for (size_t i = 0; i < reaper->map_count; i++)
		munmap(reaper->maps[i].iov_base, reaper->maps[i].iov_len);
	for (size_t i = 0; i < reaper->count; i++)
		if (reaper->fds[i] != reaper->pipe_end)
			ioctl(reaper->fds[i], PERF_EVENT_IOC_DISABLE, 0);
	sleep(LINGER_S);
	_exit(0);
}

void linux_reap(const int *fds, size_t count, const struct iovec *maps, size_t map_count)
{
	/* The child's, for as long as it lives, with its stack behind: never freed. */
	size_t own = sizeof(struct reaper) + map_count * sizeof(*maps) + (count + 1) * sizeof(int);
	size_t bytes = (own + STACK_BYTES + 63) & ~(size_t)63;
	struct reaper *reaper =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ends[2] = {-1, -1};
	char name[16];

	if (reaper != MAP_FAILED && count && !pipe2(ends, O_CLOEXEC)) {
		*reaper = (struct reaper){
			.count = count + 1,
			.pipe_end = ends[0],
			.maps = (struct iovec *)(reaper + 1),
			.map_count = map_count,
		};
		reaper->fds = (int *)(reaper->maps + map_count);
		memcpy(reaper->fds, fds, count * sizeof(int));
		if (map_count)
			memcpy(reaper->maps, maps, map_count * sizeof(*maps));
		reaper->fds[count] = ends[0];
		qsort(reaper->fds, reaper->count, sizeof(int), compare);
		prctl(PR_GET_NAME, name);
		/* The child's from its first moment. */
		prctl(PR_SET_NAME, LINUX_REAPER_NAME);
		clone(child_main, (char *)reaper + bytes, REAPER_FLAGS, reaper);
		prctl(PR_SET_NAME, name);
	}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	/* The other end stays open until this process exits. */
	if (ends[0] >= 0)
		close(ends[0]);
}
