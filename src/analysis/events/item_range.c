/* SPDX-License-Identifier: MIT */
#include "analysis/events/item_range.h"

#include "analysis/operations/operation.h"
#include "schema/gen/annotation_records.h"
#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"
#include "trace/field.h"
#include "trace/session/session.h"

static bool system_describes(const struct trace_event *event)
{
	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_sched_switch:
	case TANDEM_KERNEL_EVENT_sched_in:
	case TANDEM_KERNEL_EVENT_sched_out:
	case TANDEM_KERNEL_EVENT_sched_waking:
	case TANDEM_KERNEL_EVENT_sched_wakeup:
	case TANDEM_KERNEL_EVENT_sched_wakeup_new:
	case TANDEM_KERNEL_EVENT_sched_migrate_task:
	case TANDEM_KERNEL_EVENT_syscall_entry:
	case TANDEM_KERNEL_EVENT_syscall_exit:
	case TANDEM_KERNEL_EVENT_tracepoint:
	case TANDEM_KERNEL_EVENT_sample:
	case TANDEM_KERNEL_EVENT_page_faults:
		return false;
	default:
		return true;
	}
}

static bool record_describes(const struct trace_event *event)
{
	switch (event->record->id) {
	case TANDEM_EVENT_range:
	case TANDEM_EVENT_range_end:
	case TANDEM_ANNOTATION_EVENT_range:
	case TANDEM_ANNOTATION_EVENT_range_end:
		return false;
	default:
		break;
	}
	switch (event->layout->event->traits.record) {
	case TANDEM_RECORD_none:
	case TANDEM_RECORD_device_limits:
	case TANDEM_RECORD_device_link:
	case TANDEM_RECORD_task_construct:
		return true;
	default:
		return false;
	}
}

bool item_is_description(const struct event_item *item)
{
	switch (item->kind) {
	case ITEM_OBJECT:
	case ITEM_LOST:
		return true;
	case ITEM_OTHER:
	case ITEM_ENGINES:
		return item->system ? system_describes(item->event) : record_describes(item->event);
	default:
		return false;
	}
}

static int64_t build_begin_ns(const struct trace_event *event)
{
	const struct tandem_rec_build *record = (const void *)event->record;

	/* Where it ended is where this record stands, at the latest. */
	if (record->begin && record->end > record->begin && record->end <= event->ticks)
		return trace_clock_ns(&event->stream->process->session->clock, record->begin);
	return event->ns;
}

static int64_t activity_begin_ns(const struct trace_event *event)
{
	unsigned role = event->layout->event->traits.record;
	const struct tandem_field *field;
	uint64_t begin;

	if (role != TANDEM_RECORD_overhead && role != TANDEM_RECORD_fault)
		return event->ns;
	field = trace_field_find(event->layout, "begin");
	begin = field ? trace_field_unsigned(event, field) : 0;
	return begin ? trace_clock_ns(&event->stream->process->session->clock, begin) : event->ns;
}

int64_t item_begin_ns(const struct event_item *item)
{
	int64_t from_ns, to_ns;

	switch (item->kind) {
	case ITEM_OPERATION:
		operation_span(&item->operation, INT64_MAX, &from_ns, &to_ns);
		return from_ns;
	case ITEM_UNFINISHED:
		return item->operation.call_begin_ns;
	case ITEM_BUILD:
		return build_begin_ns(item->event);
	case ITEM_OTHER:
		return item->system ? item->event->ns : activity_begin_ns(item->event);
	default:
		return item->event->ns;
	}
}
