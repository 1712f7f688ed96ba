/* SPDX-License-Identifier: MIT */
#include "analysis/report/totals.h"

#include <errno.h>
#include <string.h>

#include "analysis/report/table.h"
#include "util/order/compare.h"

static struct report_process *process_of(struct report *report, uint64_t pid)
{
	for (size_t i = 0; i < report->process_count; i++) {
		if (report->process[i].process == pid)
			return &report->process[i];
	}
	report->process[report->process_count] =
		(struct report_process){.process = pid, .name = ""};
	return &report->process[report->process_count++];
}

static int process_compare(const void *a, const void *b)
{
	const struct report_process *left = a, *right = b;
	uint64_t left_ns = left->running_ns + left->executing_ns + left->api_ns;
	uint64_t right_ns = right->running_ns + right->executing_ns + right->api_ns;

	return COMPARE(right_ns, left_ns) ?: COMPARE(left->process, right->process);
}

int totals_finish(struct report *report)
{
	size_t most = report->thread_count + report->zone_count;

	report->process = arena_alloc(&report->arena, most * sizeof(*report->process));
	if (!report->process)
		return -ENOMEM;
	for (size_t i = 0; i < report->thread_count; i++) {
		const struct report_thread *thread = &report->thread[i];
		struct report_process *process = process_of(report, thread->process);

		/* The first row is of a thread that made calls, if any has. */
		if (!*process->name)
			process->name = thread->process_name;
		process->threads++;
		process->calls += thread->calls;
		process->api_ns += thread->api_ns;
		process->running_ns += thread->running_ns;
		process->system_ns += thread->system_ns;
		process->wait_cpu_ns += thread->wait_cpu_ns;
		process->wait_blocked_ns += thread->wait_blocked_ns;
		process->unknown_ns += thread->unknown_ns;
		process->switches += thread->switches;
		process->migrations += thread->migrations;
	}
	for (size_t i = 0; i < report->zone_count; i++) {
		const struct report_zone *zone = &report->zones[i];
		struct report_process *process = process_of(report, zone->process);

		process->operations += zone->count + zone->untimed;
		process->host_queue_ns += zone->host_queue_ns;
		process->device_queue_ns += zone->device_queue_ns;
		process->executing_ns += zone->executing_ns;
	}
	table_sort(report->process, report->process_count, sizeof(*report->process),
		   process_compare);
	return 0;
}
