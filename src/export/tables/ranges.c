/* SPDX-License-Identifier: MIT */
/* Rows of what programs and runtimes say besides calls and commands: ranges, and records
 * of activity. */
#include <errno.h>

#include "analysis/ranges/ranges.h"
#include "export/tables/row.h"

static int range_row(struct export *export, const struct range_instance *range)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	text_clear(&tables->words);
	if (range->category && !*range->category_name)
		text_format(&tables->words, "%u", range->category);
	text_clear(&tables->json);
	text_format(&tables->json, "#%08x", range->color);
	if (tables->words.failed || tables->json.failed)
		return -ENOMEM;
	row_id(&row[RANGES_id], export_range(export, range->number));
	row_id(&row[RANGES_process], export_process(export, range->process));
	row_id(&row[RANGES_thread], export_thread(export, range->stream));
	if (range->parent)
		row_id(&row[RANGES_parent], export_range(export, range->parent));
	if (range->kind == TANDEM_ANNOTATION_KIND_nested)
		row_integer(&row[RANGES_depth], range->depth);
	row_word(&row[RANGES_kind], range_kind_name(range->kind));
	row_word_or_none(&row[RANGES_scope], range->scope_name);
	row_text(&row[RANGES_name], range->name, range->name_length);
	if (range->category)
		row_word(&row[RANGES_category],
			 *range->category_name ? range->category_name : tables->words.data);
	if (range->color)
		row_word(&row[RANGES_color], tables->json.data);
	row_time(&row[RANGES_begin_ns], export, range->begin_ns);
	if (range->end_ns != INT64_MIN) {
		row_time(&row[RANGES_end_ns], export, range->end_ns);
		row_integer(&row[RANGES_duration_ns], range->end_ns - range->begin_ns);
	}
	row_integer(&row[RANGES_operations], (int64_t)range->operations);
	row_integer(&row[RANGES_kernels], (int64_t)range->kernels);
	row_integer(&row[RANGES_unfinished], (int64_t)range->unfinished);
	return tables->row(export, TABLE_ranges, row);
}

static int projection_row(struct export *export, const struct range_instance *range,
			  const struct range_projection *projection)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[RANGE_DEVICES_range], export_range(export, range->number));
	row_id(&row[RANGE_DEVICES_device], export_device(export, projection->device));
	if (projection->end_ns >= projection->begin_ns) {
		row_time(&row[RANGE_DEVICES_begin_ns], export, projection->begin_ns);
		row_time(&row[RANGE_DEVICES_end_ns], export, projection->end_ns);
		row_integer(&row[RANGE_DEVICES_duration_ns],
			    projection->end_ns - projection->begin_ns);
		row_integer(&row[RANGE_DEVICES_executing_ns], (int64_t)projection->executing_ns);
	}
	row_integer(&row[RANGE_DEVICES_operations], (int64_t)projection->operations);
	row_integer(&row[RANGE_DEVICES_kernels], (int64_t)projection->kernels);
	return tables->row(export, TABLE_range_devices, row);
}

int tables_range(struct export *export, const struct range_instance *range)
{
	int status = range_row(export, range);

	for (size_t i = 0; !status && i < range->projection_count; i++)
		status = projection_row(export, range, &range->projections[i]);
	return status;
}

static void row_ticks(struct table_value *value, struct export *export, uint64_t ticks)
{
	if (ticks)
		row_time(value, export, trace_clock_ns(&export->iterator->session->clock, ticks));
}

static const char *domain_of(const struct export *export, const struct trace_event *event)
{
	return trace_session_event_domain(export->iterator->session, event->layout->event)->name;
}

static int overhead_row(struct export *export, const struct trace_event *event)
{
	struct tables *tables = export->state;
	uint64_t begin = trace_field_number(event, "begin"), end = trace_field_number(event, "end");
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[OVERHEADS_process], export_process(export, event->stream->process->index));
	row_id(&row[OVERHEADS_tid], trace_field_number(event, "tid"));
	row_word(&row[OVERHEADS_domain], domain_of(export, event));
	row_field(&row[OVERHEADS_kind], event, "kind", &tables->words);
	row_ticks(&row[OVERHEADS_begin_ns], export, begin);
	row_ticks(&row[OVERHEADS_end_ns], export, end);
	if (begin && end >= begin)
		row_integer(&row[OVERHEADS_duration_ns],
			    row[OVERHEADS_end_ns].integer - row[OVERHEADS_begin_ns].integer);
	return tables->row(export, TABLE_overheads, row);
}

static int fault_row(struct export *export, const struct trace_event *event)
{
	struct tables *tables = export->state;
	uint32_t number = (uint32_t)trace_field_number(event, "device"), device;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};
	unsigned domain =
		trace_session_domain_of(export->iterator->session, event->layout->event->id);

	row_id(&row[FAULTS_process], export_process(export, event->stream->process->index));
	row_word(&row[FAULTS_domain], domain_of(export, event));
	row_field(&row[FAULTS_kind], event, "kind", &tables->words);
	row_ticks(&row[FAULTS_begin_ns], export, trace_field_number(event, "begin"));
	row_ticks(&row[FAULTS_end_ns], export, trace_field_number(event, "end"));
	row_field(&row[FAULTS_address], event, "address", &tables->words);
	row_integer(&row[FAULTS_value], (int64_t)trace_field_number(event, "value"));
	if (number) {
		if (devices_of_number(&export->iterator->devices, event, number, (uint8_t)domain,
				      &device))
			return -ENOMEM;
		row_id(&row[FAULTS_device], export_device(export, device));
	}
	return tables->row(export, TABLE_faults, row);
}

static int module_row(struct export *export, const struct trace_event *event)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[MODULES_process], export_process(export, event->stream->process->index));
	row_id(&row[MODULES_program], trace_field_number(event, "program"));
	row_word(&row[MODULES_domain], domain_of(export, event));
	row_time(&row[MODULES_at_ns], export, event->ns);
	row_field(&row[MODULES_hash], event, "hash", &tables->words);
	row_field(&row[MODULES_bytes], event, "bytes", &tables->words);
	row_field(&row[MODULES_saved], event, "saved", &tables->words);
	return tables->row(export, TABLE_modules, row);
}

static int external_row(struct export *export, const struct trace_event *event)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[EXTERNAL_IDS_process], export_process(export, event->stream->process->index));
	row_id(&row[EXTERNAL_IDS_op], trace_field_number(event, "op"));
	row_field(&row[EXTERNAL_IDS_kind], event, "kind", &tables->words);
	row_integer(&row[EXTERNAL_IDS_number], (int64_t)trace_field_number(event, "id"));
	return tables->row(export, TABLE_external_ids, row);
}

int tables_activity(struct export *export, const struct event_item *item)
{
	switch (item->event->layout->event->traits.record) {
	case TANDEM_RECORD_overhead:
		return overhead_row(export, item->event);
	case TANDEM_RECORD_fault:
		return fault_row(export, item->event);
	case TANDEM_RECORD_module:
		return module_row(export, item->event);
	case TANDEM_RECORD_external_id:
		return external_row(export, item->event);
	default:
		return 0;
	}
}
