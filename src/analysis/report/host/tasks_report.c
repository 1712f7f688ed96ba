/* SPDX-License-Identifier: MIT */
#include "analysis/report/host/tasks_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/table.h"
#include "util/keyed_row.h"
#include "util/order/compare.h"

struct tasks_row {
	const struct task_construct *construct; /* the first of those that are alike */
	uint64_t count, operations, untimed, bytes;
	uint64_t waiting_ns, executing_ns;
	struct histogram submits;
};

void tasks_report_init(struct tasks_report *report, const struct tasks *tasks,
		       const struct range *counted)
{
	memset(report, 0, sizeof(*report));
	report->tasks = tasks;
	report->counted = *counted;
}

/* Processes of one program have a construct each for one place. */
static int row_find(struct tasks_report *report, const struct task_construct *construct,
		    struct tasks_row **row)
{
	const char *const texts[] = {construct->name, construct->file, construct->function,
				     construct->device};
	uint64_t key = (uint64_t)construct->line << 4 | construct->kind;
	const struct tasks_row fresh = {.construct = construct};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		uint32_t text;

		if (intern_add(&report->texts, texts[i], strlen(texts[i]), &text))
			return -ENOMEM;
		key = (key ^ text) * 0x9e3779b97f4a7c15u;
	}
	*row = keyed_row(&report->row_of, key, &report->rows, &report->row_capacity,
			 &report->row_count, &fresh, sizeof(fresh));
	return *row ? 0 : -ENOMEM;
}

int tasks_report_call(struct tasks_report *report, const struct trace_event *event)
{
	const struct task_construct *construct = tasks_construct(
		report->tasks, event->stream->process->index, tasks_submitted_node(event));
	struct tasks_row *row;

	if (!construct || !range_holds(&report->counted, event->ns))
		return 0;
	if (row_find(report, construct, &row))
		return -ENOMEM;
	row->count++;
	return event->end_ticks
		       ? histogram_add(&row->submits, (uint64_t)(event->end_ns - event->ns))
		       : 0;
}

int tasks_report_operation(struct tasks_report *report, const struct operation *operation)
{
	const struct trace_operation_times *times = &operation->device_times;
	const struct task_construct *construct =
		tasks_construct(report->tasks, operation->process, operation->node);
	struct tasks_row *row;

	if (!construct || !range_holds(&report->counted, operation->call_begin_ns))
		return 0;
	if (row_find(report, construct, &row))
		return -ENOMEM;
	row->operations++;
	row->bytes += operation->record->bytes;
	if (!operation->timed) {
		row->untimed++;
		return 0;
	}
	row->executing_ns += times->end - times->start;
	row->waiting_ns += times->waits ? times->start - times->queued : 0;
	return 0;
}

static int row_compare(const void *a, const void *b)
{
	const struct report_task *left = a, *right = b;

	return COMPARE(right->executing_ns, left->executing_ns)
	       ?: COMPARE(right->submits.total_ns, left->submits.total_ns)
	       ?: strcmp(left->name, right->name);
}

int tasks_report_finish(struct tasks_report *rows, struct report *report)
{
	report->tasks = arena_alloc(&report->arena, rows->row_count * sizeof(*report->tasks));
	if (!report->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct tasks_row *row = &rows->rows[i];
		const struct task_construct *construct = row->construct;

		report->tasks[report->task_count++] = (struct report_task){
			.domain = tandem_domain_get(construct->domain)
					  ? tandem_domain_get(construct->domain)->name
					  : "",
			.kind = task_kind_name(construct->kind),
			.name = table_string(report, construct->name),
			.place = table_string(report, construct->place),
			.file = table_string(report, construct->file),
			.line = construct->line,
			.function = table_string(report, construct->function),
			.device = table_string(report, construct->device),
			.count = row->count,
			.submits = table_times(&row->submits),
			.operations = row->operations,
			.untimed = row->untimed,
			.bytes = row->bytes,
			.waiting_ns = row->waiting_ns,
			.executing_ns = row->executing_ns,
		};
	}
	table_sort(report->tasks, report->task_count, sizeof(*report->tasks), row_compare);
	return 0;
}

void tasks_report_free(struct tasks_report *report)
{
	for (size_t i = 0; i < report->row_count; i++)
		histogram_free(&report->rows[i].submits);
	free(report->rows);
	map_free(&report->row_of);
	intern_free(&report->texts);
	memset(report, 0, sizeof(*report));
}
