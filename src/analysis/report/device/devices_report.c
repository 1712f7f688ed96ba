/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/devices_report.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/report/table.h"
#include "util/order/compare.h"

static int busy_compare(const void *a, const void *b)
{
	const struct report_busy *left = a, *right = b;

	return COMPARE(right->busy_ns, left->busy_ns) ?: strcmp(left->name, right->name);
}

static int sharing_compare(const void *a, const void *b)
{
	const struct report_sharing *left = a, *right = b;

	return COMPARE(right->waited_ns, left->waited_ns)
		       ?: COMPARE(right->beside_ns, left->beside_ns);
}

static const char *process_name(const struct devices *devices, struct report *report,
				uint32_t process)
{
	return process == CONTENTION_NOBODY
		       ? ""
		       : table_string(report, devices->session->processes[process].name);
}

/* Of devices that several processes used. */
static int finish_sharing(struct devices *devices, struct report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < devices->count; i++)
		count += devices_contention(devices, i) ? devices_contention(devices, i)->pair_count
							: 0;
	report->sharing = arena_alloc(&report->arena, count * sizeof(*report->sharing));
	if (!report->sharing)
		return -ENOMEM;
	for (size_t i = 0; i < devices->count; i++) {
		const struct contention *contention = devices_contention(devices, i);

		for (size_t k = 0; contention && k < contention->pair_count; k++) {
			const struct contention_pair *pair = &contention->pairs[k];
			bool nobody = pair->other == CONTENTION_NOBODY;
			const struct trace_process *processes = devices->session->processes;

			report->sharing[report->sharing_count++] = (struct report_sharing){
				.domain = devices_domain(devices->session, devices->rows[i].domain),
				.device = devices->rows[i].shown,
				.process = processes[pair->process].pid,
				.name = process_name(devices, report, pair->process),
				.by_kind = nobody			  ? "idle"
					   : pair->other == pair->process ? "itself"
									  : "process",
				.by_process = nobody ? 0 : processes[pair->other].pid,
				.by = process_name(devices, report, pair->other),
				.waited_ns = (uint64_t)(pair->waited_ns + 0.5),
				.beside_ns = (uint64_t)(pair->beside_ns + 0.5),
			};
		}
	}
	table_sort(report->sharing, report->sharing_count, sizeof(*report->sharing),
		   sharing_compare);
	return 0;
}

/* How many commands were there at a moment, on the average: that of a time that
 * several spend there counts several times (Little 1961). */
static double mean_depth(uint64_t spent_ns, uint64_t span_ns)
{
	return span_ns ? (double)spent_ns / (double)span_ns : 0;
}

int devices_report_finish(struct devices *devices, struct report *report)
{
	report->devices = arena_alloc(&report->arena, devices->count * sizeof(*report->devices));
	if (!report->devices)
		return -ENOMEM;
	if (devices_finish(devices))
		return -ENOMEM;
	devices_name(devices, &report->arena);
	for (size_t i = 0; i < devices->count; i++) {
		struct device_row *row = &devices->rows[i];
		uint64_t busy_ns = row->feed ? row->feed->contention.busy_ns
					     : utilization_sum(&row->utilization);

		if (!row->described && !row->operations)
			continue;
		report->devices[report->busy_count++] = (struct report_busy){
			.domain = devices_domain(devices->session, row->domain),
			.name = row->shown,
			.type = devices_type(row->type),
			.platform = table_string(
				report, intern_text(&devices->objects.names, row->platform_name)),
			.busy_ns = busy_ns,
			.busy_percent = table_percent(busy_ns, report->span_ns),
			.idle_ns = busy_ns < report->span_ns ? report->span_ns - busy_ns : 0,
			.operations = row->operations,
			.host_queue_ns = row->host_queue_ns,
			.device_queue_ns = row->device_queue_ns,
			.executing_ns = row->executing_ns,
			.host_queue_depth = mean_depth(row->host_queue_ns, report->span_ns),
			.device_queue_depth = mean_depth(row->device_queue_ns, report->span_ns),
		};
	}
	table_sort(report->devices, report->busy_count, sizeof(*report->devices), busy_compare);
	return finish_sharing(devices, report);
}
