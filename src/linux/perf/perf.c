/* SPDX-License-Identifier: MIT */
#include "linux/perf/perf.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "linux/perf/ring.h"

#define FILES_LEFT 8u

struct perf_event_attr perf_attributes(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static void tasks_too(struct perf_event_attr *attr)
{
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
}

/* Wakes the collector when half of the ring is full, however large it is. */
static void own_ring(struct perf_event_attr *attr)
{
	tasks_too(attr);
	attr->watermark = 1;
	attr->wakeup_watermark = 0;
}

/* The recorder itself stays out of it: its children's copies of the event begin
 * when they become another program. */
static void children_only(struct perf_event_attr *attr)
{
	attr->inherit = 1;
	attr->disabled = 1;
	attr->enable_on_exec = 1;
}

/* The lowest number that is free is taken: whether few are left to those who have to start the
 * program, and to write what was recorded. */
static bool files_run_out(long fd)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && (rlim_t)fd + FILES_LEFT >= limit.rlim_cur;
}

static int event_open(struct perf_event_attr *attr, enum perf_who who, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, who == PERF_EVERYBODY ? -1 : 0, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 && files_run_out(fd)) {
		close((int)fd);
		return -EMFILE;
	}
	return fd < 0 ? -errno : (int)fd;
}

static int redirect(int fd, int owner)
{
	int error;

	if (fd < 0 || owner < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

int perf_open(struct perf_event_attr *attr, enum perf_who who, int cpu, int owner)
{
	if (owner < 0)
		own_ring(attr);
	if (who == PERF_CHILDREN)
		children_only(attr);
	return redirect(event_open(attr, who, cpu), owner);
}

static struct perf_event_attr tracepoint(int id)
{
	struct perf_event_attr attr = perf_attributes(PERF_TYPE_TRACEPOINT, (uint64_t)id);

	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	return attr;
}

int perf_open_tracepoint(int id, enum perf_who who, int cpu, int owner)
{
	struct perf_event_attr attr = tracepoint(id);

	return perf_open(&attr, who, cpu, owner);
}

int perf_open_faults(int cpu, int owner)
{
	struct perf_event_attr attr =
		perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = PERF_FAULTS;
	return perf_open(&attr, PERF_EVERYBODY, cpu, owner);
}

int perf_open_lead(int id, int cpu, int owner)
{
	struct perf_event_attr attr = tracepoint(id);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	tasks_too(&attr);
	return perf_open(&attr, PERF_EVERYBODY, cpu, owner);
}

int perf_lead_enabled(int lead, uint64_t *ns)
{
	uint64_t values[2]; /* the count, the time */

	if (read(lead, values, sizeof(values)) != sizeof(values))
		return -EIO;
	*ns = values[1];
	return 0;
}

void perf_disable(int event)
{
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
}

int perf_open_switches(enum perf_who who, int cpu, int owner)
{
	struct perf_event_attr attr = perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.context_switch = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return perf_open(&attr, who, cpu, owner);
}
