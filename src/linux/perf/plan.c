/* SPDX-License-Identifier: MIT */
#include "linux/perf/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "linux/tracepoint/tracefs.h"
#include "util/array.h"

static int plan_add(struct linux_plan *plan, struct linux_plan_event event)
{
	if (array_reserve(&plan->events, &plan->capacity, plan->count + 1, sizeof(*plan->events)))
		return -ENOMEM;
	plan->events[plan->count++] = event;
	return 0;
}

static int add_tracepoint(struct linux_plan *plan, int events, enum linux_tracepoint tracepoint,
			  enum perf_who who)
{
	int id = linux_tracefs_id(events, linux_tracepoint_system[tracepoint],
				  linux_tracepoint_name[tracepoint]);

	if (id < 0)
		return id;
	return plan_add(plan, (struct linux_plan_event){id, who, tracepoint});
}

int linux_plan_make(struct linux_plan *plan, enum linux_level level, int events)
{
	int error = add_tracepoint(plan, events, LINUX_SWITCH, PERF_EVERYBODY);

	if (error)
		return error;
	/* A child has copies of what its parent has when it comes to be. */
	if (level == LINUX_SYSCALLS || level == LINUX_ALL) {
		add_tracepoint(plan, events, LINUX_SYS_ENTER, PERF_CHILDREN);
		add_tracepoint(plan, events, LINUX_SYS_EXIT, PERF_CHILDREN);
	}
	plan->urgent = plan->count;
	return 0;
}

void linux_plan_add_scheduler(struct linux_plan *plan, int events)
{
	add_tracepoint(plan, events, LINUX_WAKING, PERF_EVERYBODY);
	add_tracepoint(plan, events, LINUX_WAKEUP, PERF_EVERYBODY);
	add_tracepoint(plan, events, LINUX_WAKEUP_NEW, PERF_EVERYBODY);
	add_tracepoint(plan, events, LINUX_MIGRATE, PERF_EVERYBODY);
	plan_add(plan,
		 (struct linux_plan_event){LINUX_FAULTS, PERF_EVERYBODY, LINUX_TRACEPOINT_COUNT});
}

int linux_plan_add_drivers(struct linux_plan *plan, const struct linux_drivers *drivers)
{
	int error = 0;

	for (size_t i = 0; !error && i < drivers->count; i++) {
		error = plan_add(plan, (struct linux_plan_event){
					       (int)drivers->tracepoints[i].id,
					       PERF_EVERYBODY,
					       LINUX_TRACEPOINT_COUNT,
				       });
	}
	return error;
}

void linux_plan_remove(struct linux_plan *plan, size_t index)
{
	plan->count--;
	for (size_t i = index; i < plan->count; i++)
		plan->events[i] = plan->events[i + 1];
}

static bool has(const struct linux_plan *plan, size_t opened, enum linux_tracepoint tracepoint)
{
	for (size_t i = 0; i < opened; i++) {
		if (plan->events[i].tracepoint == tracepoint)
			return true;
	}
	return false;
}

struct linux_scope linux_plan_scope(const struct linux_plan *plan, size_t opened)
{
	return (struct linux_scope){
		.scope = TANDEM_SCOPE_system,
		.switches = has(plan, opened, LINUX_SWITCH),
		.wakeups = has(plan, opened, LINUX_WAKING) && has(plan, opened, LINUX_WAKEUP) &&
			   has(plan, opened, LINUX_WAKEUP_NEW),
		.migrations = has(plan, opened, LINUX_MIGRATE),
		.syscalls = has(plan, opened, LINUX_SYS_EXIT),
	};
}

void linux_plan_free(struct linux_plan *plan)
{
	free(plan->events);
	*plan = (struct linux_plan){.events = NULL};
}
