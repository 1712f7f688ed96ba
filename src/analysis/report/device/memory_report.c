/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/memory_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/report/table.h"
#include "util/order/compare.h"

static int memory_compare(const void *a, const void *b)
{
	const struct report_memory *left = a, *right = b;

	return COMPARE(right->peak_bytes, left->peak_bytes) ?: strcmp(left->device, right->device);
}

int memory_report_finish(struct memory *memory, struct report *report)
{
	char shared[64];

	memory_settle(memory);
	report->memory = arena_alloc(&report->arena, memory->row_count * sizeof(*report->memory));
	if (!report->memory)
		return -ENOMEM;
	for (size_t i = 0; i < memory->row_count; i++) {
		const struct memory_row *row = &memory->rows[i];
		const char *place = "host";

		if (report->ranged && !row->peak && !row->allocations && !row->frees)
			continue;
		if (row->device != TRACE_NONE) {
			place = memory->devices->rows[row->device].shown;
		} else if (row->shared) {
			snprintf(shared, sizeof(shared), "context of %u devices", row->shared);
			place = table_string(report, shared);
		}
		report->memory[report->memory_count++] = (struct report_memory){
			.domain = devices_domain(memory->devices->session, row->domain),
			.device = place,
			.allocated_bytes = row->allocated,
			.freed_bytes = row->freed,
			.peak_bytes = row->peak,
			.allocations = row->allocations,
			.frees = row->frees,
		};
	}
	table_sort(report->memory, report->memory_count, sizeof(*report->memory), memory_compare);
	return 0;
}
