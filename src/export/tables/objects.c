/* SPDX-License-Identifier: MIT */
/* Rows of what exists: sessions, processes, threads, devices, objects of the
 * runtimes; of builds, losses and clocks. */
#include <errno.h>

#include "export/tables/row.h"
#include "trace/session/fingerprint.h"

static const char *args_level(enum tandem_args_level level)
{
	static const char *const words[] = {
		[TANDEM_ARGS_NONE] = "none",
		[TANDEM_ARGS_BASIC] = "basic",
		[TANDEM_ARGS_FULL] = "full",
	};

	return (unsigned)level < sizeof(words) / sizeof(*words) ? words[level] : "unknown";
}

int tables_session(struct export *export)
{
	struct trace_session *session = export->iterator->session;
	const struct trace_run *run = &session->run;
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};
	char fingerprint[TRACE_FINGERPRINT_BYTES];

	map_clear(&tables->described);
	row_integer(&row[SESSIONS_id], (int64_t) export->session + 1);
	row_word(&row[SESSIONS_path], session->path);
	row_word(&row[SESSIONS_program], run->program);
	row_word(&row[SESSIONS_command], run->command);
	row_word(&row[SESSIONS_host], run->host);
	row_word(&row[SESSIONS_start], run->start);
	row_time(&row[SESSIONS_begin_ns], export, session->start_ns);
	row_integer(&row[SESSIONS_duration_ns], (int64_t)trace_session_duration_ns(session));
	row_integer(&row[SESSIONS_start_monotonic_ns], (int64_t)run->start_monotonic_ns);
	row_integer(&row[SESSIONS_start_realtime_ns], (int64_t)run->start_realtime_ns);
	if (run->has_exit && run->exit_signal)
		row_integer(&row[SESSIONS_exit_signal], run->exit_signal);
	else if (run->has_exit)
		row_integer(&row[SESSIONS_exit_code], run->exit_code);
	row_word(&row[SESSIONS_args_level], args_level(session->args_level));
	row_word(&row[SESSIONS_tandem], run->tandem);
	trace_fingerprint(session, fingerprint);
	row_word(&row[SESSIONS_fingerprint], fingerprint);
	if (export->range.from_ns > INT64_MIN)
		row_time(&row[SESSIONS_from_ns], export, export->range.from_ns);
	if (export->range.to_ns < INT64_MAX)
		row_time(&row[SESSIONS_to_ns], export, export->range.to_ns);
	if (export->range_name)
		row_word(&row[SESSIONS_range], export->range_name);
	if (tables_states_begin(export))
		return -ENOMEM;
	return tables->row(export, TABLE_sessions, row);
}

int tables_process(struct export *export, const struct trace_process *process)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	/* CPUs are no threads of a process. */
	if (process->kernel)
		return 0;
	if (tables_states_process(export, process))
		return -ENOMEM;
	row_id(&row[PROCESSES_id], export_process(export, process->index));
	row_id(&row[PROCESSES_session], export->session + 1);
	row_integer(&row[PROCESSES_pid], (int64_t)process->pid);
	row_id(&row[PROCESSES_ppid], process->ppid);
	row_integer(&row[PROCESSES_instance], (int64_t)process->instance);
	row_word(&row[PROCESSES_name], process->name);
	row_word(&row[PROCESSES_command], process->command);
	return tables->row(export, TABLE_processes, row);
}

int tables_thread(struct export *export, const struct trace_stream *stream)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	if (stream->process->kernel)
		return 0;
	if (tables_states_thread(export, stream))
		return -ENOMEM;
	row_id(&row[THREADS_id], export_thread(export, stream->index));
	row_id(&row[THREADS_process], export_process(export, stream->process->index));
	row_integer(&row[THREADS_tid], stream->tid);
	row_integer(&row[THREADS_stream], (int64_t)stream->number);
	row_word(&row[THREADS_name], stream->thread_name);
	return tables->row(export, TABLE_threads, row);
}

/* Row of a device that a record names by its number in the process. */
static int device_id(struct export *export, const struct trace_event *event, uint32_t number,
		     uint8_t domain, uint64_t *id)
{
	uint32_t device;
	int status;

	*id = 0;
	if (!number)
		return 0;
	status = devices_of_number(&export->iterator->devices, event, number, domain, &device);
	*id = export_device(export, device);
	return status;
}

static int device_row(struct export *export, const struct trace_event *event, uint32_t device)
{
	const struct tandem_rec_device *record = (const void *)event->record;
	const struct device_row *known = &export->iterator->devices.rows[device];
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[DEVICES_id], export_device(export, device));
	row_id(&row[DEVICES_session], export->session + 1);
	row_word(&row[DEVICES_domain], devices_domain(export->iterator->session, record->domain));
	row_word(&row[DEVICES_name], event_iterator_device_name(export->iterator, device));
	row_word(&row[DEVICES_type], devices_type(record->type));
	row_field(&row[DEVICES_platform], event, "platform_name", &tables->words);
	row_integer(&row[DEVICES_ordinal], record->ordinal);
	if (known->parent != TRACE_NONE)
		row_id(&row[DEVICES_parent], export_device(export, known->parent));
	row_integer(&row[DEVICES_compute_units], record->compute_units);
	row_integer(&row[DEVICES_clock_mhz], record->clock_mhz);
	row_integer(&row[DEVICES_memory_bytes], (int64_t)record->memory_bytes);
	row_integer(&row[DEVICES_max_work_group], (int64_t)record->max_work_group);
	row_integer(&row[DEVICES_timer_ns], (int64_t)record->timer_ns);
	row_field(&row[DEVICES_vendor], event, "vendor", &tables->words);
	row_field(&row[DEVICES_version], event, "version", &tables->words);
	row_field(&row[DEVICES_driver], event, "driver", &tables->words);
	return tables->row(export, TABLE_devices, row);
}

static int context_row(struct export *export, const struct trace_event *event)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[CONTEXTS_process], export_process(export, event->stream->process->index));
	row_field(&row[CONTEXTS_number], event, "context", &tables->words);
	row_field(&row[CONTEXTS_domain], event, "domain", &tables->words);
	row_field(&row[CONTEXTS_handle], event, "handle", &tables->words);
	row_integer(
		&row[CONTEXTS_devices],
		((const struct tandem_rec_context *)(const void *)event->record)->devices_count);
	return tables->row(export, TABLE_contexts, row);
}

static int queue_row(struct export *export, const struct trace_event *event)
{
	const struct tandem_rec_queue *record = (const void *)event->record;
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};
	uint64_t device;
	int status = device_id(export, event, record->device, record->domain, &device);

	row_id(&row[QUEUES_process], export_process(export, event->stream->process->index));
	row_integer(&row[QUEUES_number], record->queue);
	row_field(&row[QUEUES_domain], event, "domain", &tables->words);
	row_id(&row[QUEUES_device], device);
	row_id(&row[QUEUES_context], record->context);
	row_field(&row[QUEUES_timing], event, "timing", &tables->words);
	row_integer(&row[QUEUES_in_order], record->in_order);
	row_field(&row[QUEUES_handle], event, "handle", &tables->words);
	return status ? status : tables->row(export, TABLE_queues, row);
}

static int program_row(struct export *export, const struct trace_event *event)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[PROGRAMS_process], export_process(export, event->stream->process->index));
	row_field(&row[PROGRAMS_number], event, "program", &tables->words);
	row_field(&row[PROGRAMS_domain], event, "domain", &tables->words);
	row_field(&row[PROGRAMS_context], event, "context", &tables->words);
	row_field(&row[PROGRAMS_source], event, "source", &tables->words);
	row_field(&row[PROGRAMS_bytes], event, "bytes", &tables->words);
	return tables->row(export, TABLE_programs, row);
}

static int kernel_row(struct export *export, const struct trace_event *event)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[KERNELS_process], export_process(export, event->stream->process->index));
	row_field(&row[KERNELS_number], event, "kernel", &tables->words);
	row_field(&row[KERNELS_domain], event, "domain", &tables->words);
	row_field(&row[KERNELS_name], event, "name", &tables->words);
	row_field(&row[KERNELS_program], event, "program", &tables->words);
	row_field(&row[KERNELS_max_work_group], event, "max_work_group", &tables->words);
	row_field(&row[KERNELS_preferred_multiple], event, "preferred_multiple", &tables->words);
	row_field(&row[KERNELS_local_bytes], event, "local_bytes", &tables->words);
	row_field(&row[KERNELS_private_bytes], event, "private_bytes", &tables->words);
	return tables->row(export, TABLE_kernels, row);
}

/* The number that a description gives the object: always its first field. */
static uint32_t object_number(const struct trace_event *event)
{
	return (uint32_t)trace_field_unsigned(event, &event->layout->layout->fields[0]);
}

int tables_object(struct export *export, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint32_t process = event->stream->process->index;
	struct tables *tables = export->state;
	uint32_t device = 0;
	uint64_t key;

	/* One device is one row, whatever number of processes describe it. */
	if (event->record->id == TANDEM_EVENT_device) {
		const struct tandem_rec_device *record = (const void *)event->record;

		if (devices_of_number(&export->iterator->devices, event, record->device,
				      record->domain, &device))
			return -ENOMEM;
		key = device;
	} else {
		key = (uint64_t)(process + 1) << 32 | object_number(event);
	}
	/* Ids of the core's events are small; processes are far from 2^26. */
	key |= (uint64_t)TANDEM_ID_EVENT(event->record->id) << 58;
	if (map_get(&tables->described, key) != MAP_NONE)
		return 0;
	if (map_set(&tables->described, key, 1))
		return -ENOMEM;
	switch (event->record->id) {
	case TANDEM_EVENT_device:
		return device_row(export, event, device);
	case TANDEM_EVENT_context:
		return context_row(export, event);
	case TANDEM_EVENT_queue:
		return queue_row(export, event);
	case TANDEM_EVENT_program:
		return program_row(export, event);
	default:
		return kernel_row(export, event);
	}
}

int tables_build(struct export *export, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_rec_build *record = (const void *)event->record;
	struct trace_clock *clock = &export->iterator->session->clock;
	int64_t begin_ns = trace_clock_ns(clock, record->begin);
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};
	uint64_t device;
	int status = device_id(export, event, record->device, record->domain, &device);

	row_id(&row[BUILDS_process], export_process(export, event->stream->process->index));
	row_integer(&row[BUILDS_program], record->program);
	row_field(&row[BUILDS_step], event, "step", &tables->words);
	row_id(&row[BUILDS_device], device);
	row_time(&row[BUILDS_begin_ns], export, begin_ns);
	row_integer(&row[BUILDS_duration_ns], trace_clock_ns(clock, record->end) - begin_ns);
	row_integer(&row[BUILDS_status], record->status);
	row_field(&row[BUILDS_options], event, "options", &tables->words);
	row_field(&row[BUILDS_log], event, "log", &tables->words);
	return status ? status : tables->row(export, TABLE_builds, row);
}

static int loss_rows(struct export *export)
{
	static const struct {
		const char *reason, *words;
	} losses[] = {
#define X(name, loss_words) {#name, loss_words},
		TANDEM_LOSSES(X)
#undef X
	};
	struct tables *tables = export->state;
	int status = 0;

	for (unsigned i = 0; !status && i < TANDEM_LOSS_COUNT; i++) {
		struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

		if (!export->iterator->session->lost[i])
			continue;
		row_id(&row[LOSSES_session], export->session + 1);
		row_word(&row[LOSSES_reason], losses[i].reason);
		row_word(&row[LOSSES_words], losses[i].words);
		row_integer(&row[LOSSES_count], (int64_t) export->iterator->session->lost[i]);
		status = tables->row(export, TABLE_losses, row);
	}
	return status;
}

static int segment_row(struct export *export, uint32_t device, size_t number,
		       const struct clockfit_line *segment)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[CLOCKS_device], export_device(export, device));
	row_integer(&row[CLOCKS_segment], (int64_t)number + 1);
	row_time(&row[CLOCKS_begin_ns], export, segment->begin_ns);
	row_time(&row[CLOCKS_end_ns], export, segment->end_ns);
	row_integer(&row[CLOCKS_offset_ns], segment->host_ns - segment->device_ns);
	row_real(&row[CLOCKS_drift_ppm], segment->drift_ppm);
	if (segment->bound_ns != CLOCKFIT_UNBOUNDED)
		row_integer(&row[CLOCKS_bound_ns], (int64_t)segment->bound_ns);
	if (segment->best_ns != CLOCKFIT_UNBOUNDED)
		row_integer(&row[CLOCKS_best_ns], (int64_t)segment->best_ns);
	row_integer(&row[CLOCKS_constraints], (int64_t)segment->constraints);
	return tables->row(export, TABLE_clocks, row);
}

static int clock_rows(struct export *export)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < export->iterator->devices.count; i++) {
		const struct clockfit *fit = clock_sync_clock(&export->iterator->clock_sync, i);
		const struct clockfit_line *segments;
		size_t count = 0;

		if (!fit)
			continue;
		segments = clockfit_lines(fit, &count);
		for (size_t j = 0; !status && j < count; j++)
			status = segment_row(export, i, j, &segments[j]);
	}
	return status;
}

/* Devices that commands used and nobody described. */
static int unknown_rows(struct export *export)
{
	struct devices *devices = &export->iterator->devices;
	struct tables *tables = export->state;
	int status = 0;

	for (uint32_t i = 0; !status && i < devices->count; i++) {
		struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

		if (devices->rows[i].described)
			continue;
		row_id(&row[DEVICES_id], export_device(export, i));
		row_id(&row[DEVICES_session], export->session + 1);
		row_word(&row[DEVICES_domain],
			 devices_domain(devices->session, devices->rows[i].domain));
		row_word(&row[DEVICES_name], event_iterator_device_name(export->iterator, i));
		row_word(&row[DEVICES_type], devices_type(devices->rows[i].type));
		status = tables->row(export, TABLE_devices, row);
	}
	return status;
}

int tables_session_end(struct export *export)
{
	int status = unknown_rows(export);

	if (!status)
		status = loss_rows(export);
	if (!status)
		status = clock_rows(export);
	if (!status)
		status = tables_states_end(export);
	return status ? status : tables_findings(export);
}

void tables_release(struct tables *tables)
{
	text_free(&tables->json);
	text_free(&tables->words);
	map_free(&tables->described);
	tables_states_free(tables);
}
