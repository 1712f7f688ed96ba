#include "linux/reaper.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Meanwhile nobody else who opens or closes a tracepoint gets anywhere: a second
 * recording that starts right after this one had to wait. So the tracepoints are
 * kept for a moment, switched off; whoever wants them then finds them there. */
#define LINGER_S 1

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
			close_range(from, (unsigned)fds[i] - 1, 0);
		from = (unsigned)fds[i] + 1;
	}
	close_range(from, ~0u, 0);
}

/* The pipe ends with its parent, whose copies of the events are gone then: so it
 * is this process that waits for the kernel, and nobody else. */
static _Noreturn void child_main(int *fds, size_t count, int pipe_end)
{
	char nothing;

	fds[count++] = pipe_end;
	qsort(fds, count, sizeof(*fds), compare);
	keep_only(fds, count);
	setsid();
	prctl(PR_SET_NAME, "tandem-close");
	if (chdir("/") || read(pipe_end, &nothing, 1))
		_exit(1);
	for (size_t i = 0; i < count; i++)
		ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
	sleep(LINGER_S);
	_exit(0);
}

void linux_reap(const int *fds, size_t count)
{
	int *sorted = malloc((count + 1) * sizeof(*sorted));
	int ends[2] = { -1, -1 };

	if (sorted && count && !pipe2(ends, O_CLOEXEC)) {
		memcpy(sorted, fds, count * sizeof(*sorted));
		if (!fork())
			child_main(sorted, count, ends[0]);
	}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	/* The other end stays open until this process exits. */
	if (ends[0] >= 0)
		close(ends[0]);
	free(sorted);
}
