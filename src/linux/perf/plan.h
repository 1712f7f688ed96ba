/* SPDX-License-Identifier: MIT */
/* The perf events that a run wants on every CPU, in the order in which they are
 * opened. One thread. */
#ifndef TANDEM_LINUX_PLAN_H
#define TANDEM_LINUX_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "linux/cpu.h"
#include "linux/decode.h"
#include "linux/level.h"

struct linux_plan_event {
	int id;
	enum perf_who who;
	enum linux_tracepoint tracepoint; /* LINUX_TRACEPOINT_COUNT: a driver's, or none */
};

struct linux_plan {
	struct linux_plan_event *events;
	size_t count, capacity;
	size_t urgent; /* so many of them have to be open before the program starts */
};

/* What has to be open before the program starts. The first event owns the ring. Returns
 * 0 or -errno: the switches can't be had. What else this kernel lacks is left out, here
 * and below. */
int linux_plan_make(struct linux_plan *plan, enum linux_level level, int events);

/* Appends the rest of the scheduler's tracepoints, and page faults. */
void linux_plan_add_scheduler(struct linux_plan *plan, int events);

/* Appends the drivers' tracepoints. Returns 0 or -ENOMEM. */
int linux_plan_add_drivers(struct linux_plan *plan, const struct linux_drivers *drivers);

/* Takes one out again: it can't be opened. */
void linux_plan_remove(struct linux_plan *plan, size_t index);

/* What is recorded once the first `opened` of them are open. */
struct linux_scope linux_plan_scope(const struct linux_plan *plan, size_t opened);

void linux_plan_free(struct linux_plan *plan);

#endif
