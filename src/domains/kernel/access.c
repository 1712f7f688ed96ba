#include "domains/kernel/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* The level above which the unprivileged may not read tracepoints' data. */
#define PARANOID_FREE (-1)

/* That level where the kernel tells none. */
static int read_paranoid(void)
{
	int fd = open(PARANOID, O_RDONLY | O_CLOEXEC);
	char text[16];
	ssize_t length;

	if (fd < 0)
		return PARANOID_FREE;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return PARANOID_FREE;
	text[length] = '\0';
	return (int)strtol(text, NULL, 10);
}

static void event_words(char *words, size_t bytes, int error)
{
	int level = read_paranoid();

	if (error == -ENOSYS || (error == -ENOENT && access(PARANOID, F_OK)))
		snprintf(words, bytes, "this kernel has no perf events");
	else if (error != -EACCES && error != -EPERM)
		snprintf(words, bytes, "perf events: %s", strerror(-error));
	else if (!geteuid())
		/* A container: its filter, or the lack of a capability. */
		snprintf(words, bytes, "perf events are forbidden here; give the container "
				       "--cap-add PERFMON (or SYS_ADMIN)");
	else if (level > PARANOID_FREE)
		snprintf(words, bytes, "perf_event_paranoid is %d; run as root, or allow it: "
				       "sysctl kernel.perf_event_paranoid=%d", level,
			 PARANOID_FREE);
	else
		snprintf(words, bytes, "perf events are forbidden here; run as root");
}

void kernel_access_words(char *words, size_t bytes, enum kernel_attempt attempt, int error)
{
	if (attempt == KERNEL_ATTEMPT_EVENT)
		event_words(words, bytes, error);
	else if (error == -ENOTSUP)
		snprintf(words, bytes, "this tandem was built without libtraceevent; install "
				       "libtraceevent-dev and build it again");
	else if (error == -EACCES || error == -EPERM)
		snprintf(words, bytes, "tracefs is for root only; run as root, or allow it: "
				       "mount -o remount,mode=750,gid=%d /sys/kernel/tracing",
			 (int)getegid());
	else if (attempt == KERNEL_ATTEMPT_TRACEFS)
		snprintf(words, bytes, "tracefs is not mounted; mount -t tracefs nodev "
				       "/sys/kernel/tracing");
	else
		snprintf(words, bytes, "this kernel's scheduler has no tracepoints (%s)",
			 strerror(-error));
}
