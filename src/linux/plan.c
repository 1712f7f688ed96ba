#include "linux/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "linux/tracefs.h"
#include "util/array.h"

static int plan_add(struct kernel_plan *plan, struct kernel_plan_event event)
{
	if (array_reserve(&plan->events, &plan->capacity, plan->count + 1, sizeof(*plan->events)))
		return -ENOMEM;
	plan->events[plan->count++] = event;
	return 0;
}

static int add_tracepoint(struct kernel_plan *plan, int events, enum kernel_tracepoint tracepoint,
			  enum perf_who who)
{
	int id = kernel_tracefs_id(events, kernel_tracepoint_system[tracepoint],
				   kernel_tracepoint_name[tracepoint]);

	if (id < 0)
		return id;
	return plan_add(plan, (struct kernel_plan_event){ id, who, tracepoint });
}

int kernel_plan_make(struct kernel_plan *plan, enum kernel_level level, int events)
{
	int error = add_tracepoint(plan, events, KERNEL_SWITCH, PERF_EVERYBODY);

	if (error)
		return error;
	/* A child has copies of what its parent has when it comes to be. */
	if (level == KERNEL_SYSCALLS || level == KERNEL_ALL) {
		add_tracepoint(plan, events, KERNEL_SYS_ENTER, PERF_CHILDREN);
		add_tracepoint(plan, events, KERNEL_SYS_EXIT, PERF_CHILDREN);
	}
	plan->urgent = plan->count;
	add_tracepoint(plan, events, KERNEL_WAKING, PERF_EVERYBODY);
	add_tracepoint(plan, events, KERNEL_WAKEUP, PERF_EVERYBODY);
	add_tracepoint(plan, events, KERNEL_WAKEUP_NEW, PERF_EVERYBODY);
	add_tracepoint(plan, events, KERNEL_MIGRATE, PERF_EVERYBODY);
	return 0;
}

int kernel_plan_add_drivers(struct kernel_plan *plan, const struct kernel_drivers *drivers)
{
	int error = 0;

	for (size_t i = 0; !error && i < drivers->count; i++) {
		error = plan_add(plan, (struct kernel_plan_event){
			(int)drivers->tracepoints[i].id, PERF_EVERYBODY, KERNEL_TRACEPOINT_COUNT,
		});
	}
	return error;
}

void kernel_plan_remove(struct kernel_plan *plan, size_t index)
{
	plan->count--;
	for (size_t i = index; i < plan->count; i++)
		plan->events[i] = plan->events[i + 1];
}

static bool has(const struct kernel_plan *plan, size_t opened, enum kernel_tracepoint tracepoint)
{
	for (size_t i = 0; i < opened; i++) {
		if (plan->events[i].tracepoint == tracepoint)
			return true;
	}
	return false;
}

struct kernel_scope kernel_plan_scope(const struct kernel_plan *plan, size_t opened)
{
	return (struct kernel_scope){
		.scope = TANDEM_SCOPE_system,
		.switches = has(plan, opened, KERNEL_SWITCH),
		.wakeups = has(plan, opened, KERNEL_WAKING) && has(plan, opened, KERNEL_WAKEUP) &&
			   has(plan, opened, KERNEL_WAKEUP_NEW),
		.migrations = has(plan, opened, KERNEL_MIGRATE),
		.syscalls = has(plan, opened, KERNEL_SYS_EXIT),
	};
}

void kernel_plan_free(struct kernel_plan *plan)
{
	free(plan->events);
	*plan = (struct kernel_plan){ .events = NULL };
}
