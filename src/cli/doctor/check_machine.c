/* SPDX-License-Identifier: MIT */
/* The clock, the kernel and the disk, as recording will find them. */
#include "cli/doctor/areas.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "recorder/access.h"
#include "recorder/session/clock.h"
#include "setup/check.h"
#include "util/units.h"

/* Below this a session of a few minutes may fill the disk. */
#define DISK_ENOUGH_BYTES 1e9

void check_clock(struct checks *checks)
{
	struct clock_source source;
	struct clock_pair early, late;

	clock_choose(CLOCK_AUTO, &source);
	clock_pair_read(source.source, &early);
	clock_pair_read(source.source, &late);
	clock_rate(&source, &early, &late);
	check_add(checks, source.source == TANDEM_CLOCK_COUNTER ? CHECK_OK : CHECK_OPTIONAL,
		  "clock", "source", NULL, "%s: %s",
		  source.source == TANDEM_CLOCK_COUNTER ? "time-stamp counter" : "CLOCK_MONOTONIC",
		  source.reason);
	check_add(checks, CHECK_INFO, "clock", "rate", NULL, "%.3f MHz, %s",
		  (double)source.ticks_hz / 1e6, source.origin);
}

static void check_perf(struct checks *checks)
{
	struct recorder_access found;

	recorder_access(&found);
	switch (found.scope) {
	case RECORDER_SCOPE_MACHINE:
		check_add(checks, CHECK_OK, "kernel", "perf events", NULL,
			  "perf_event_paranoid is %d: the whole machine's scheduler",
			  found.paranoid);
		break;
	case RECORDER_SCOPE_PROGRAM:
		check_add(checks, CHECK_PARTIAL, "kernel", "perf events", found.fix,
			  "perf_event_paranoid is %d: only the program's own context switches and "
			  "samples",
			  found.paranoid);
		break;
	case RECORDER_SCOPE_NONE:
		if (access("/proc/sys/kernel/perf_event_paranoid", F_OK))
			check_add(checks, CHECK_OPTIONAL, "kernel", "perf events", NULL,
				  "this kernel has none");
		else
			check_add(checks, CHECK_OPTIONAL, "kernel", "perf events", found.fix,
				  "perf_event_paranoid is %d: for root only", found.paranoid);
		break;
	}
}

static void check_tracefs(struct checks *checks)
{
	if (!access("/sys/kernel/tracing/events", R_OK))
		check_add(checks, CHECK_OK, "kernel", "tracefs", NULL, "/sys/kernel/tracing");
	else if (errno == EACCES)
		check_add(checks, CHECK_OPTIONAL, "kernel", "tracefs", NULL,
			  "/sys/kernel/tracing is for root only");
	else
		check_add(checks, CHECK_OPTIONAL, "kernel", "tracefs",
			  "mount -t tracefs nodev /sys/kernel/tracing", "not mounted");
}

static void check_disk(struct checks *checks)
{
	char number[UNITS_BYTES];
	struct statvfs space;
	double free_bytes;

	if (statvfs(".", &space)) {
		check_add(checks, CHECK_OPTIONAL, "disk", "space here", NULL, "%s",
			  strerror(errno));
		return;
	}
	free_bytes = (double)space.f_bavail * (double)space.f_frsize;
	check_add(checks, free_bytes < DISK_ENOUGH_BYTES ? CHECK_OPTIONAL : CHECK_OK, "disk",
		  "space here",
		  free_bytes < DISK_ENOUGH_BYTES ? "tandem record -o DIR elsewhere" : NULL,
		  "%s free", units_bytes(number, free_bytes));
	if (access(".", W_OK))
		check_add(checks, CHECK_OPTIONAL, "disk", "this folder",
			  "tandem record -o DIR elsewhere", "cannot be written to: %s",
			  strerror(errno));
}

void check_machine(struct checks *checks)
{
	check_perf(checks);
	check_tracefs(checks);
	check_disk(checks);
}
