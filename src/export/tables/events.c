/* SPDX-License-Identifier: MIT */
/* Rows of what happened: calls, commands, allocations. */
#include <errno.h>

#include "analysis/events/event_args.h"
#include "analysis/operations/operation.h"
#include "export/tables/row.h"

static const char *class_name(uint8_t class)
{
	static const char *const words[] = {
		[TANDEM_CLASS_RECORD] = "record",     [TANDEM_CLASS_CALL] = "call",
		[TANDEM_CLASS_ENQUEUE] = "enqueue",   [TANDEM_CLASS_WAIT] = "wait",
		[TANDEM_CLASS_CREATE] = "create",     [TANDEM_CLASS_RELEASE] = "release",
		[TANDEM_CLASS_BUILD] = "build",	      [TANDEM_CLASS_TASK] = "task",
		[TANDEM_CLASS_CALLBACK] = "callback",
	};

	if (class >= sizeof(words) / sizeof(*words) || !words[class])
		return words[TANDEM_CLASS_CALL];
	return words[class];
}

static void add_args(struct table_value *value, struct export *export,
		     const struct trace_event *event)
{
	struct tables *tables = export->state;
	struct json json;

	text_clear(&tables->json);
	json_init(&json, &tables->json, false);
	json_begin_object(&json, NULL);
	event_args_json(&json, &export->iterator->devices.objects, export->iterator->session,
			event);
	json_end_object(&json);
	if (!tables->json.failed)
		row_text(value, tables->json.data, tables->json.length);
}

static void add_result(struct table_value *row, const struct trace_event *event)
{
	const struct tandem_event *descriptor = event->layout->event;
	const char *name = trace_name_find(descriptor->results, trace_event_result(event));

	row_integer(&row[API_CALLS_failed], trace_event_failed(event));
	if (!trace_event_has_result(event))
		return;
	row_integer(&row[API_CALLS_result], trace_event_result(event));
	if (name)
		row_word(&row[API_CALLS_result_name], name);
}

int tables_call(struct export *export, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_event *descriptor = event->layout->event;
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[API_CALLS_id], export_call(export, item->call));
	row_id(&row[API_CALLS_thread], export_thread(export, event->stream->index));
	row_word(&row[API_CALLS_domain],
		 trace_session_event_domain(export->iterator->session, descriptor)->name);
	row_word(&row[API_CALLS_name], descriptor->name);
	row_word(&row[API_CALLS_class], class_name(descriptor->class));
	row_time(&row[API_CALLS_begin_ns], export, event->ns);
	if (item->end_ns != INT64_MIN) {
		row_time(&row[API_CALLS_end_ns], export, item->end_ns);
		row_integer(&row[API_CALLS_duration_ns], item->end_ns - event->ns);
	}
	add_result(row, event);
	row_id(&row[API_CALLS_op], trace_event_op(event));
	add_args(&row[API_CALLS_args], export, event);
	return tables->row(export, TABLE_api_calls, row);
}

static void add_times(struct table_value *row, const struct export *export,
		      const struct operation *operation)
{
	const struct operation_times *times = &operation->times;

	if (operation->timed)
		row_integer(&row[DEVICE_OPS_duration_ns],
			    (int64_t)(operation->record->end - operation->record->start));
	if (!operation->placed)
		return;
	row_time(&row[DEVICE_OPS_queued_ns], export, times->queued_ns);
	row_time(&row[DEVICE_OPS_submitted_ns], export, times->submitted_ns);
	row_time(&row[DEVICE_OPS_start_ns], export, times->start_ns);
	row_time(&row[DEVICE_OPS_end_ns], export, times->end_ns);
	if (times->bound_ns != CLOCKFIT_UNBOUNDED)
		row_integer(&row[DEVICE_OPS_bound_ns], (int64_t)times->bound_ns);
	row_integer(&row[DEVICE_OPS_causal], times->causal);
}

static void add_end(struct table_value *row, const struct export *export,
		    const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct tables *tables = export->state;

	row_word(&row[DEVICE_OPS_kind], operation_kind_name(operation->kind));
	row_integer(&row[DEVICE_OPS_bytes], (int64_t)operation->record->bytes);
	row_integer(&row[DEVICE_OPS_status], operation->record->status);
	row_field(&row[DEVICE_OPS_completion_source], item->event, "completion_source",
		  &tables->words);
	row_time(&row[DEVICE_OPS_seen_ns], export, operation->seen_ns);
	if (item->call)
		row_id(&row[DEVICE_OPS_seen_call], export_call(export, item->call));
	row_id(&row[DEVICE_OPS_kernel], operation->record->kernel);
	add_times(row, export, operation);
}

int tables_operation(struct export *export, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[DEVICE_OPS_id], export->operation_count);
	row_id(&row[DEVICE_OPS_process], export_process(export, operation->process));
	row_word(&row[DEVICE_OPS_domain],
		 devices_domain(export->iterator->session, operation->domain));
	row_word(&row[DEVICE_OPS_name], operation->name);
	row_id(&row[DEVICE_OPS_device], export_device(export, operation->device));
	row_id(&row[DEVICE_OPS_queue], operation->queue_number);
	row_id(&row[DEVICE_OPS_op], operation->op);
	if (operation->call)
		row_id(&row[DEVICE_OPS_call], export_call(export, operation->call));
	if (operation->record)
		add_end(row, export, item);
	for (unsigned i = 0; i < operation->size.dimensions; i++)
		row_integer(&row[DEVICE_OPS_global_x + i], (int64_t)operation->size.global[i]);
	for (unsigned i = 0; i < operation->size.local_dimensions; i++)
		row_integer(&row[DEVICE_OPS_local_x + i], (int64_t)operation->size.local[i]);
	row_id(&row[DEVICE_OPS_node], operation->node);
	return tables->row(export, TABLE_device_ops, row);
}

int tables_memory(struct export *export, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	bool allocated = event->record->id == TANDEM_EVENT_memory;
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[MEMORY_thread], export_thread(export, event->stream->index));
	row_time(&row[MEMORY_at_ns], export, event->ns);
	row_field(&row[MEMORY_number], event, "memory", &tables->words);
	row_word(&row[MEMORY_event], allocated ? "allocate" : "free");
	row_field(&row[MEMORY_bytes], event, "bytes", &tables->words);
	row_field(&row[MEMORY_kind], event, "kind", &tables->words);
	row_field(&row[MEMORY_context], event, "context", &tables->words);
	if (item->memory_row != TRACE_NONE) {
		uint32_t device = export->iterator->memory.rows[item->memory_row].device;

		row_integer(&row[MEMORY_in_use_bytes], (int64_t)item->memory_live_bytes);
		if (device != TRACE_NONE)
			row_id(&row[MEMORY_device], export_device(export, device));
	}
	return tables->row(export, TABLE_memory, row);
}
