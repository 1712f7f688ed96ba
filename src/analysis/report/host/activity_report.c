/* SPDX-License-Identifier: MIT */
#include "analysis/report/host/activity_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/table.h"
#include "trace/clock.h"
#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/order/compare.h"

struct activity_row {
	enum tandem_record_role role;
	unsigned domain;
	const char *kind;	  /* of an enumerator of the session's schema */
	uint32_t process, device; /* device: row of devices, TRACE_NONE: the CPU */
	uint64_t id;		  /* of an external id: its number; of a module: its program */
	uint64_t count, value, total_ns, max_ns;
	int64_t first_ns;
	uint64_t hash;
	bool saved;
};

void activity_report_init(struct activity_report *activity, struct devices *devices,
			  const struct range *range)
{
	memset(activity, 0, sizeof(*activity));
	activity->devices = devices;
	activity->range = *range;
}

/* When it happened, and how long it took. */
static int64_t time_of(const struct trace_event *event, uint64_t *duration_ns)
{
	struct trace_clock *clock = &event->stream->process->session->clock;
	uint64_t begin = trace_field_number(event, "begin"), end = trace_field_number(event, "end");
	int64_t begin_ns;

	*duration_ns = 0;
	if (!begin)
		return event->ns;
	begin_ns = trace_clock_ns(clock, begin);
	if (end > begin)
		*duration_ns = (uint64_t)(trace_clock_ns(clock, end) - begin_ns);
	return begin_ns;
}

/* Rows are few, but for those of external ids. */
static uint64_t key_of(const struct activity_row *row)
{
	uint64_t key = (uint64_t)row->role << 60 ^ (uint64_t)row->domain << 54 ^
		       (uint64_t)row->process << 32 ^ row->device;

	key = (key ^ (uintptr_t)row->kind) * UINT64_C(0x9e3779b97f4a7c15);
	return (key ^ row->id) * UINT64_C(0x9e3779b97f4a7c15) ^ key >> 29;
}

static int row_find(struct activity_report *activity, const struct activity_row *wanted,
		    struct activity_row **row)
{
	*row = keyed_row(&activity->row_of, key_of(wanted), &activity->rows,
			 &activity->row_capacity, &activity->row_count, wanted, sizeof(*wanted));
	return *row ? 0 : -ENOMEM;
}

static int row_describe(struct activity_report *activity, const struct trace_event *event,
			struct activity_row *wanted)
{
	uint32_t device = (uint32_t)trace_field_number(event, "device");

	wanted->device = TRACE_NONE;
	switch (wanted->role) {
	case TANDEM_RECORD_fault:
		return device ? devices_of_number(activity->devices, event, device,
						  (uint8_t)wanted->domain, &wanted->device)
			      : 0;
	case TANDEM_RECORD_module:
		wanted->id = trace_field_number(event, "program");
		wanted->hash = trace_field_number(event, "hash");
		wanted->saved = trace_field_number(event, "saved");
		wanted->kind = "";
		return 0;
	case TANDEM_RECORD_external_id:
		wanted->id = trace_field_number(event, "id");
		return 0;
	default:
		return 0;
	}
}

/* Bytes of a module; faults of a group. A fault of the CPU is one, and its value an
 * instruction's address. */
static uint64_t value_of(const struct trace_event *event, const struct activity_row *row)
{
	uint64_t value;

	if (row->role == TANDEM_RECORD_module)
		return trace_field_number(event, "bytes");
	value = trace_field_number(event, "value");
	return row->device == TRACE_NONE || value > UINT32_MAX ? 1 : value;
}

static bool is_activity(enum tandem_record_role role)
{
	return role == TANDEM_RECORD_overhead || role == TANDEM_RECORD_fault ||
	       role == TANDEM_RECORD_module || role == TANDEM_RECORD_external_id;
}

int activity_report_add(struct activity_report *activity, const struct trace_event *event)
{
	const struct tandem_event *descriptor = event->layout->event;
	struct activity_row wanted = {.role = descriptor->traits.record};
	struct activity_row *row;
	uint64_t duration_ns;
	int64_t ns;

	if (!is_activity(wanted.role))
		return 0;
	ns = time_of(event, &duration_ns);
	if (!range_holds(&activity->range, ns))
		return 0;
	wanted.domain = trace_session_domain_of(event->stream->process->session, descriptor->id);
	wanted.process = event->stream->process->index;
	wanted.kind = trace_field_word(event, "kind", "unknown");
	wanted.first_ns = ns;
	if (row_describe(activity, event, &wanted) || row_find(activity, &wanted, &row))
		return -ENOMEM;
	row->count++;
	row->total_ns += duration_ns;
	if (duration_ns > row->max_ns)
		row->max_ns = duration_ns;
	row->value += value_of(event, &wanted);
	return 0;
}

static const struct trace_process *process_of(const struct activity_report *activity,
					      const struct activity_row *row)
{
	return &activity->devices->session->processes[row->process];
}

static void finish_module(const struct activity_report *activity, const struct activity_row *row,
			  struct report *report)
{
	int64_t start_ns = activity->devices->session->start_ns;
	char hash[32];

	snprintf(hash, sizeof(hash), "%016" PRIx64, row->hash);
	report->modules[report->module_count++] = (struct report_module){
		.domain = devices_domain(activity->devices->session, row->domain),
		.process = process_of(activity, row)->pid,
		.program = row->id,
		.count = row->count,
		.bytes = row->value,
		.loaded_ns = row->first_ns > start_ns ? (uint64_t)(row->first_ns - start_ns) : 0,
		.hash = table_string(report, hash),
		.saved = row->saved,
	};
}

static void finish_row(const struct activity_report *activity, const struct activity_row *row,
		       struct report *report)
{
	const char *domain = devices_domain(activity->devices->session, row->domain);
	uint64_t process = process_of(activity, row)->pid;
	const char *device =
		row->device == TRACE_NONE ? "host" : activity->devices->rows[row->device].shown;
	double mean_ns = (double)row->total_ns / (double)row->count;

	switch (row->role) {
	case TANDEM_RECORD_overhead:
		report->overheads[report->overhead_count++] =
			(struct report_overhead){domain,	table_string(report, row->kind),
						 process,	row->count,
						 row->total_ns, mean_ns,
						 row->max_ns};
		break;
	case TANDEM_RECORD_fault:
		report->faults[report->fault_count++] = (struct report_fault){
			domain,	       device,	   table_string(report, row->kind),
			process,       row->count, row->value,
			row->total_ns, mean_ns};
		break;
	case TANDEM_RECORD_module:
		finish_module(activity, row, report);
		break;
	default:
		report->external_ids[report->external_id_count++] = (struct report_external_id){
			domain, table_string(report, row->kind), process, row->id, row->count};
		break;
	}
}

static int overhead_compare(const void *a, const void *b)
{
	const struct report_overhead *left = a, *right = b;

	return COMPARE(right->total_ns, left->total_ns);
}

static int fault_compare(const void *a, const void *b)
{
	const struct report_fault *left = a, *right = b;

	return COMPARE(right->total_ns, left->total_ns) ?: COMPARE(right->count, left->count);
}

static int external_compare(const void *a, const void *b)
{
	const struct report_external_id *left = a, *right = b;

	return COMPARE(right->count, left->count) ?: COMPARE(left->id, right->id);
}

int activity_report_finish(struct activity_report *activity, struct report *report)
{
	size_t count = activity->row_count;

	report->overheads = arena_alloc(&report->arena, count * sizeof(*report->overheads));
	report->faults = arena_alloc(&report->arena, count * sizeof(*report->faults));
	report->modules = arena_alloc(&report->arena, count * sizeof(*report->modules));
	report->external_ids = arena_alloc(&report->arena, count * sizeof(*report->external_ids));
	if (!report->overheads || !report->faults || !report->modules || !report->external_ids)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		finish_row(activity, &activity->rows[i], report);
	table_sort(report->overheads, report->overhead_count, sizeof(*report->overheads),
		   overhead_compare);
	table_sort(report->faults, report->fault_count, sizeof(*report->faults), fault_compare);
	table_sort(report->external_ids, report->external_id_count, sizeof(*report->external_ids),
		   external_compare);
	return 0;
}

void activity_report_free(struct activity_report *activity)
{
	free(activity->rows);
	map_free(&activity->row_of);
	memset(activity, 0, sizeof(*activity));
}
