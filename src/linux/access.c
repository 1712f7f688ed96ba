/* SPDX-License-Identifier: MIT */
#include "linux/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/system.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* The level above which the unprivileged may not read tracepoints' data. */
#define PARANOID_FREE (-1)

/* That level where the kernel tells none. */
static int read_paranoid(void)
{
	char text[16];

	if (system_read_text(PARANOID, text, sizeof(text)) <= 0)
		return PARANOID_FREE;
	return (int)strtol(text, NULL, 10);
}

static bool tracefs_closed(void)
{
	return access("/sys/kernel/tracing/events/sched/sched_switch/id", R_OK) && errno == EACCES;
}

/* Above this level an ordinary user gets no perf event, not even of his own program. */
#define PARANOID_PROGRAM 2

/* CAP_PERFMON or CAP_SYS_ADMIN, as root has it outside of most containers. */
static bool is_privileged(void)
{
	static const unsigned sys_admin = 21, perfmon = 38;
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long capabilities = 0;
	char line[128];
	bool known = false;

	while (file && !known && fgets(line, sizeof(line), file))
		known = sscanf(line, "CapEff: %llx", &capabilities) == 1;
	if (file)
		fclose(file);
	return known ? capabilities >> sys_admin & 1 || capabilities >> perfmon & 1 : !geteuid();
}

enum linux_permission linux_access_permission(int *level)
{
	*level = read_paranoid();
	if (access(PARANOID, F_OK))
		return LINUX_MAY_NOTHING;
	if (is_privileged())
		return LINUX_MAY_SYSTEM;
	if (*level > PARANOID_PROGRAM)
		return LINUX_MAY_NOTHING;
	return *level > PARANOID_FREE || tracefs_closed() ? LINUX_MAY_PROGRAM : LINUX_MAY_SYSTEM;
}

void linux_access_fix(char *fix, size_t bytes)
{
	bool paranoid = read_paranoid() > PARANOID_FREE, closed = tracefs_closed();
	char sysctl[64] = "", mount[96] = "";

	if (paranoid)
		snprintf(sysctl, sizeof(sysctl), "sysctl kernel.perf_event_paranoid=%d",
			 PARANOID_FREE);
	if (closed)
		snprintf(mount, sizeof(mount),
			 "mount -o remount,mode=750,gid=%d /sys/kernel/tracing", (int)getegid());
	snprintf(fix, bytes, "%s%s%s", sysctl, paranoid && closed ? " && " : "", mount);
}

/* Everything that stands in an ordinary user's way, whatever came first. */
static void permission_words(char *words, size_t bytes)
{
	char fix[192];

	if (!geteuid()) {
		/* A container: its filter, or the lack of a capability. */
		snprintf(words, bytes,
			 "perf events are forbidden here; give the container "
			 "--cap-add PERFMON (or SYS_ADMIN)");
		return;
	}
	linux_access_fix(fix, sizeof(fix));
	snprintf(words, bytes, "the rest is for root; root may allow it to you: %s", fix);
}

void linux_access_words(char *words, size_t bytes, enum linux_attempt attempt, int error)
{
	if (error == -EACCES || error == -EPERM)
		permission_words(words, bytes);
	else if (attempt == LINUX_ATTEMPT_TRACEFS)
		snprintf(words, bytes,
			 "tracefs is not mounted; mount -t tracefs nodev "
			 "/sys/kernel/tracing");
	else if (attempt == LINUX_ATTEMPT_FORMAT)
		snprintf(words, bytes, "this kernel's scheduler has no tracepoints (%s)",
			 strerror(-error));
	else if (error == -ENOSYS || access(PARANOID, F_OK))
		snprintf(words, bytes, "this kernel has no perf events");
	else
		snprintf(words, bytes, "perf events: %s", strerror(-error));
}

void linux_access_sample_words(char *words, size_t bytes, int error)
{
	if ((error == -EACCES || error == -EPERM) && geteuid())
		snprintf(words, bytes,
			 "no stacks are sampled: perf_event_paranoid is %d; root may "
			 "allow it: sysctl kernel.perf_event_paranoid=2",
			 read_paranoid());
	else if (error == -EACCES || error == -EPERM)
		snprintf(words, bytes,
			 "no stacks are sampled: perf events are forbidden here; give "
			 "the container --cap-add PERFMON (or SYS_ADMIN)");
	else if (error == -EINVAL)
		snprintf(words, bytes,
			 "no stacks are sampled: the kernel takes no such rate (its "
			 "limit: sysctl kernel.perf_event_max_sample_rate)");
	else if (error == -ENOTSUP)
		snprintf(words, bytes, "no stacks are sampled: --unwind dwarf is for x86-64 only");
	else
		snprintf(words, bytes, "no stacks are sampled: %s", strerror(-error));
}
