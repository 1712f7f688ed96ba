/* SPDX-License-Identifier: MIT */
#include "cli/report/report_tables.h"

#define TIMES(row)                                                        \
	{"total_ns", "total", TABLE_NS, offsetof(row, times.total_ns)},   \
	{                                                                 \
		"percent", "share", TABLE_PERCENT, offsetof(row, percent) \
	}

#define SPREAD(row)                                                        \
	{"mean_ns", "mean", TABLE_NS_FLOAT, offsetof(row, times.mean_ns)}, \
		{"min_ns", NULL, TABLE_NS, offsetof(row, times.min_ns)},   \
		{"p50_ns", "p50", TABLE_NS, offsetof(row, times.p50_ns)},  \
		{"p99_ns", "p99", TABLE_NS, offsetof(row, times.p99_ns)},  \
	{                                                                  \
		"max_ns", "max", TABLE_NS, offsetof(row, times.max_ns)     \
	}

/* What of all that was going on in a range lies inside: of the whole run it would be
 * the total once more. */
#define WITHIN(row)                                                             \
	{                                                                       \
		"within_ns", "within range", TABLE_NS, offsetof(row, within_ns) \
	}

static const struct table_column api_columns[] = {
	WITHIN(struct report_api),
	TIMES(struct report_api),
	{"calls", "calls", TABLE_COUNT, offsetof(struct report_api, calls)},
	{"errors", "errors", TABLE_COUNT, offsetof(struct report_api, errors)},
	{"open", "open", TABLE_COUNT, offsetof(struct report_api, open)},
	SPREAD(struct report_api),
	{"on_cpu_ns", "on CPU", TABLE_NS, offsetof(struct report_api, on_cpu_ns)},
	{"wait_cpu_ns", "runnable", TABLE_NS, offsetof(struct report_api, wait_cpu_ns)},
	{"wait_blocked_ns", "blocked", TABLE_NS, offsetof(struct report_api, wait_blocked_ns)},
	{"unknown_ns", NULL, TABLE_NS, offsetof(struct report_api, unknown_ns)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_api, domain)},
	{"name", "function", TABLE_STRING, offsetof(struct report_api, name)},
};

static const struct table_column ranges_columns[] = {
	{"total_ns", "total", TABLE_NS, offsetof(struct report_range, times.total_ns)},
	{"count", "count", TABLE_COUNT, offsetof(struct report_range, count)},
	{"open", "open", TABLE_COUNT, offsetof(struct report_range, open)},
	SPREAD(struct report_range),
	{"projected_ns", "on device", TABLE_NS, offsetof(struct report_range, projected_ns)},
	{"executing_ns", "executing", TABLE_NS, offsetof(struct report_range, executing_ns)},
	{"kernels", "kernels", TABLE_COUNT, offsetof(struct report_range, kernels)},
	{"operations", "operations", TABLE_COUNT, offsetof(struct report_range, operations)},
	{"kind", "kind", TABLE_STRING, offsetof(struct report_range, kind)},
	{"scope", "scope", TABLE_STRING, offsetof(struct report_range, scope)},
	{"name", "name", TABLE_STRING, offsetof(struct report_range, name)},
};

static const struct table_column tasks_columns[] = {
	{"executing_ns", "executing", TABLE_NS, offsetof(struct report_task, executing_ns)},
	{"waiting_ns", "waiting", TABLE_NS, offsetof(struct report_task, waiting_ns)},
	{"submit_ns", "submitting", TABLE_NS, offsetof(struct report_task, submits.total_ns)},
	{"submit_mean_ns", "mean", TABLE_NS_FLOAT, offsetof(struct report_task, submits.mean_ns)},
	{"submit_max_ns", "max", TABLE_NS, offsetof(struct report_task, submits.max_ns)},
	{"count", "tasks", TABLE_COUNT, offsetof(struct report_task, count)},
	{"operations", "operations", TABLE_COUNT, offsetof(struct report_task, operations)},
	{"untimed", NULL, TABLE_COUNT, offsetof(struct report_task, untimed)},
	{"bytes", "bytes", TABLE_BYTES, offsetof(struct report_task, bytes)},
	{"kind", "kind", TABLE_STRING, offsetof(struct report_task, kind)},
	{"name", "name", TABLE_STRING, offsetof(struct report_task, name)},
	{"place", "at", TABLE_STRING, offsetof(struct report_task, place)},
	{"file", NULL, TABLE_STRING, offsetof(struct report_task, file)},
	{"line", NULL, TABLE_NUMBER, offsetof(struct report_task, line)},
	{"function", NULL, TABLE_STRING, offsetof(struct report_task, function)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_task, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_task, device)},
};

static const struct table_column device_columns[] = {
	WITHIN(struct report_device),
	TIMES(struct report_device),
	{"count", "count", TABLE_COUNT, offsetof(struct report_device, count)},
	{"failed", "failed", TABLE_COUNT, offsetof(struct report_device, failed)},
	{"untimed", "untimed", TABLE_COUNT, offsetof(struct report_device, untimed)},
	SPREAD(struct report_device),
	{"bytes", "bytes", TABLE_BYTES, offsetof(struct report_device, bytes)},
	{"gb_per_s", "GB/s", TABLE_RATE, offsetof(struct report_device, gb_per_s)},
	{"kind", "kind", TABLE_STRING, offsetof(struct report_device, kind)},
	{"name", "name", TABLE_STRING, offsetof(struct report_device, name)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_device, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_device, device)},
};

static const struct table_column zones_columns[] = {
	{"host_queue_ns", NULL, TABLE_NS, offsetof(struct report_zone, host_queue_ns)},
	{"device_queue_ns", NULL, TABLE_NS, offsetof(struct report_zone, device_queue_ns)},
	{"executing_ns", NULL, TABLE_NS, offsetof(struct report_zone, executing_ns)},
	{"host_queue_mean_ns", "queued\xe2\x86\x92submit", TABLE_NS_FLOAT,
	 offsetof(struct report_zone, host_queue_mean_ns)},
	{"device_queue_mean_ns", "submit\xe2\x86\x92start", TABLE_NS_FLOAT,
	 offsetof(struct report_zone, device_queue_mean_ns)},
	{"executing_mean_ns", "executing", TABLE_NS_FLOAT,
	 offsetof(struct report_zone, executing_mean_ns)},
	{"count", "count", TABLE_COUNT, offsetof(struct report_zone, count)},
	{"untimed", "untimed", TABLE_COUNT, offsetof(struct report_zone, untimed)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_zone, process)},
	{"queue", "queue", TABLE_NUMBER, offsetof(struct report_zone, queue)},
	{"timing", NULL, TABLE_STRING, offsetof(struct report_zone, timing)},
	{"profiling", "profiling", TABLE_STRING, offsetof(struct report_zone, profiling)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_zone, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_zone, device)},
};

static const struct table_column devices_columns[] = {
	{"busy_ns", "busy", TABLE_NS, offsetof(struct report_busy, busy_ns)},
	{"busy_percent", "share", TABLE_PERCENT, offsetof(struct report_busy, busy_percent)},
	{"gpu_idle_ns", "idle", TABLE_NS, offsetof(struct report_busy, idle_ns)},
	{"host_queue_ns", NULL, TABLE_NS, offsetof(struct report_busy, host_queue_ns)},
	{"device_queue_ns", NULL, TABLE_NS, offsetof(struct report_busy, device_queue_ns)},
	{"executing_ns", NULL, TABLE_NS, offsetof(struct report_busy, executing_ns)},
	{"host_queue_depth", "avg host queue", TABLE_RATE,
	 offsetof(struct report_busy, host_queue_depth)},
	{"device_queue_depth", "avg device queue", TABLE_RATE,
	 offsetof(struct report_busy, device_queue_depth)},
	{"operations", "operations", TABLE_COUNT, offsetof(struct report_busy, operations)},
	{"type", "type", TABLE_STRING, offsetof(struct report_busy, type)},
	{"domain", "domain", TABLE_STRING, offsetof(struct report_busy, domain)},
	{"name", "device", TABLE_STRING, offsetof(struct report_busy, name)},
	{"platform", "platform", TABLE_STRING, offsetof(struct report_busy, platform)},
};

static const struct table_column sharing_columns[] = {
	{"waited_ns", "waited", TABLE_NS, offsetof(struct report_sharing, waited_ns)},
	{"beside_ns", "overlapping", TABLE_NS, offsetof(struct report_sharing, beside_ns)},
	{"pid", "process", TABLE_NUMBER, offsetof(struct report_sharing, process)},
	{"name", "name", TABLE_STRING, offsetof(struct report_sharing, name)},
	{"by_kind", "used by", TABLE_STRING, offsetof(struct report_sharing, by_kind)},
	{"by_pid", "pid", TABLE_NUMBER, offsetof(struct report_sharing, by_process)},
	{"by", "name", TABLE_STRING, offsetof(struct report_sharing, by)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_sharing, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_sharing, device)},
};

static const struct table_column memory_columns[] = {
	{"peak_bytes", "peak", TABLE_BYTES, offsetof(struct report_memory, peak_bytes)},
	{"allocated_bytes", "allocated", TABLE_BYTES,
	 offsetof(struct report_memory, allocated_bytes)},
	{"freed_bytes", "freed", TABLE_BYTES, offsetof(struct report_memory, freed_bytes)},
	{"allocations", "allocations", TABLE_COUNT, offsetof(struct report_memory, allocations)},
	{"frees", "frees", TABLE_COUNT, offsetof(struct report_memory, frees)},
	{"domain", "domain", TABLE_STRING, offsetof(struct report_memory, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_memory, device)},
};

static const struct table_column faults_columns[] = {
	{"total_ns", "total", TABLE_NS, offsetof(struct report_fault, total_ns)},
	{"count", "count", TABLE_COUNT, offsetof(struct report_fault, count)},
	{"mean_ns", "mean", TABLE_NS_FLOAT, offsetof(struct report_fault, mean_ns)},
	{"value", "faults", TABLE_COUNT, offsetof(struct report_fault, value)},
	{"kind", "kind", TABLE_STRING, offsetof(struct report_fault, kind)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_fault, process)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_fault, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_fault, device)},
};

static const struct table_column modules_columns[] = {
	{"bytes", "bytes", TABLE_BYTES, offsetof(struct report_module, bytes)},
	{"count", "count", TABLE_COUNT, offsetof(struct report_module, count)},
	{"loaded_ns", "loaded at", TABLE_NS, offsetof(struct report_module, loaded_ns)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_module, process)},
	{"program", "program", TABLE_NUMBER, offsetof(struct report_module, program)},
	{"saved", "saved", TABLE_BOOL, offsetof(struct report_module, saved)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_module, domain)},
	{"hash", "hash", TABLE_STRING, offsetof(struct report_module, hash)},
};

static const struct table_column external_ids_columns[] = {
	{"count", "commands", TABLE_COUNT, offsetof(struct report_external_id, count)},
	{"id", "id", TABLE_NUMBER, offsetof(struct report_external_id, id)},
	{"kind", "kind", TABLE_STRING, offsetof(struct report_external_id, kind)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_external_id, process)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_external_id, domain)},
};

static const struct table_column overheads_columns[] = {
	{"total_ns", "total", TABLE_NS, offsetof(struct report_overhead, total_ns)},
	{"count", "count", TABLE_COUNT, offsetof(struct report_overhead, count)},
	{"mean_ns", "mean", TABLE_NS_FLOAT, offsetof(struct report_overhead, mean_ns)},
	{"max_ns", "max", TABLE_NS, offsetof(struct report_overhead, max_ns)},
	{"kind", "kind", TABLE_STRING, offsetof(struct report_overhead, kind)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_overhead, process)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_overhead, domain)},
};

static const struct table_column builds_columns[] = {
	{"duration_ns", "time", TABLE_NS, offsetof(struct report_build, duration_ns)},
	{"status", NULL, TABLE_SIGNED, offsetof(struct report_build, status)},
	{"status_name", "status", TABLE_STRING, offsetof(struct report_build, status_name)},
	{"step", "step", TABLE_STRING, offsetof(struct report_build, step)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_build, process)},
	{"program", "program", TABLE_NUMBER, offsetof(struct report_build, program)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_build, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_build, device)},
	{"options", "options", TABLE_STRING, offsetof(struct report_build, options)},
	{"log", NULL, TABLE_STRING, offsetof(struct report_build, log)},
};

static const struct table_column errors_columns[] = {
	{"count", "count", TABLE_COUNT, offsetof(struct report_error, count)},
	{"code", "code", TABLE_SIGNED, offsetof(struct report_error, code)},
	{"code_name", "error", TABLE_STRING, offsetof(struct report_error, code_name)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_error, domain)},
	{"name", "function", TABLE_STRING, offsetof(struct report_error, name)},
};

static const struct table_column open_calls_columns[] = {
	{"begin_ns", "since", TABLE_NS, offsetof(struct report_open_call, begin_ns)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_open_call, process)},
	{"thread", "thread", TABLE_NUMBER, offsetof(struct report_open_call, thread)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_open_call, domain)},
	{"name", "function", TABLE_STRING, offsetof(struct report_open_call, name)},
};

static const struct table_column untimed_queues_columns[] = {
	{"commands", "commands", TABLE_COUNT, offsetof(struct report_queue, commands)},
	{"process", "process", TABLE_NUMBER, offsetof(struct report_queue, process)},
	{"queue", "queue", TABLE_NUMBER, offsetof(struct report_queue, queue)},
	{"timing", "profiling", TABLE_STRING, offsetof(struct report_queue, timing)},
	{"domain", "domain", TABLE_STRING, offsetof(struct report_queue, domain)},
	{"device", "device", TABLE_STRING, offsetof(struct report_queue, device)},
};

static const struct table_column process_columns[] = {
	{"api_ns", "in API calls", TABLE_NS, offsetof(struct report_process, api_ns)},
	{"calls", "calls", TABLE_COUNT, offsetof(struct report_process, calls)},
	{"operations", "operations", TABLE_COUNT, offsetof(struct report_process, operations)},
	{"host_queue_ns", NULL, TABLE_NS, offsetof(struct report_process, host_queue_ns)},
	{"device_queue_ns", NULL, TABLE_NS, offsetof(struct report_process, device_queue_ns)},
	{"executing_ns", "executing", TABLE_NS, offsetof(struct report_process, executing_ns)},
	{"running_ns", "running", TABLE_NS, offsetof(struct report_process, running_ns)},
	{"system_ns", "in system", TABLE_NS, offsetof(struct report_process, system_ns)},
	{"wait_cpu_ns", "runnable", TABLE_NS, offsetof(struct report_process, wait_cpu_ns)},
	{"wait_blocked_ns", "blocked", TABLE_NS, offsetof(struct report_process, wait_blocked_ns)},
	{"unknown_ns", NULL, TABLE_NS, offsetof(struct report_process, unknown_ns)},
	{"switches", NULL, TABLE_COUNT, offsetof(struct report_process, switches)},
	{"migrations", NULL, TABLE_COUNT, offsetof(struct report_process, migrations)},
	{"threads", "threads", TABLE_COUNT, offsetof(struct report_process, threads)},
	{"pid", "process", TABLE_NUMBER, offsetof(struct report_process, process)},
	{"name", "name", TABLE_STRING, offsetof(struct report_process, name)},
};

static const struct table_column thread_columns[] = {
	{"api_ns", "in API calls", TABLE_NS, offsetof(struct report_thread, api_ns)},
	{"calls", "calls", TABLE_COUNT, offsetof(struct report_thread, calls)},
	{"errors", "errors", TABLE_COUNT, offsetof(struct report_thread, errors)},
	{"events", "events", TABLE_COUNT, offsetof(struct report_thread, events)},
	{"running_ns", "running", TABLE_NS, offsetof(struct report_thread, running_ns)},
	{"system_ns", "in system", TABLE_NS, offsetof(struct report_thread, system_ns)},
	{"wait_cpu_ns", "runnable", TABLE_NS, offsetof(struct report_thread, wait_cpu_ns)},
	{"wait_blocked_ns", "blocked", TABLE_NS, offsetof(struct report_thread, wait_blocked_ns)},
	{"unknown_ns", "unknown", TABLE_NS, offsetof(struct report_thread, unknown_ns)},
	{"switches", "switches", TABLE_COUNT, offsetof(struct report_thread, switches)},
	{"migrations", "migrations", TABLE_COUNT, offsetof(struct report_thread, migrations)},
	{"pid", "process", TABLE_NUMBER, offsetof(struct report_thread, process)},
	{"tid", "thread", TABLE_NUMBER, offsetof(struct report_thread, thread)},
	{"process_name", NULL, TABLE_STRING, offsetof(struct report_thread, process_name)},
	{"name", "name", TABLE_STRING, offsetof(struct report_thread, name)},
};

static const struct table_column waits_columns[] = {
	{"total_ns", "waited", TABLE_NS, offsetof(struct report_wait, total_ns)},
	{"count", "times", TABLE_COUNT, offsetof(struct report_wait, count)},
	{"state", NULL, TABLE_STRING, offsetof(struct report_wait, state)},
	{"wait", "state", TABLE_STRING, offsetof(struct report_wait, wait)},
	{"by_kind", NULL, TABLE_STRING, offsetof(struct report_wait, by_kind)},
	{"by_pid", "pid", TABLE_NUMBER, offsetof(struct report_wait, by_process)},
	{"by", "waiting on", TABLE_STRING, offsetof(struct report_wait, by)},
	{"domain", NULL, TABLE_STRING, offsetof(struct report_wait, domain)},
	{"function", "API call", TABLE_STRING, offsetof(struct report_wait, function)},
	{"pid", "process", TABLE_NUMBER, offsetof(struct report_wait, process)},
	{"tid", "thread", TABLE_NUMBER, offsetof(struct report_wait, thread)},
	{"name", "name", TABLE_STRING, offsetof(struct report_wait, name)},
};

static const struct table_column functions_columns[] = {
	{"self_ns", "self", TABLE_NS, offsetof(struct report_function, self_ns)},
	{"self_percent", "share", TABLE_PERCENT, offsetof(struct report_function, self_percent)},
	{"self_samples", "samples", TABLE_COUNT, offsetof(struct report_function, self_samples)},
	{"total_ns", "total", TABLE_NS, offsetof(struct report_function, total_ns)},
	{"total_percent", "share", TABLE_PERCENT, offsetof(struct report_function, total_percent)},
	{"total_samples", NULL, TABLE_COUNT, offsetof(struct report_function, total_samples)},
	{"name", "function", TABLE_STRING, offsetof(struct report_function, name)},
	{"file", "file", TABLE_STRING, offsetof(struct report_function, file)},
};

static const struct table_column engines_columns[] = {
	{"busy_ns", "busy", TABLE_NS, offsetof(struct report_engine, busy_ns)},
	{"busy_percent", "share", TABLE_PERCENT, offsetof(struct report_engine, busy_percent)},
	{"jobs", "jobs", TABLE_COUNT, offsetof(struct report_engine, jobs)},
	{"host_mean", "avg host queue", TABLE_REAL, offsetof(struct report_engine, host_mean)},
	{"host_most", "max", TABLE_COUNT, offsetof(struct report_engine, host_most)},
	{"device_mean", "avg device queue", TABLE_REAL,
	 offsetof(struct report_engine, device_mean)},
	{"device_most", "max", TABLE_COUNT, offsetof(struct report_engine, device_most)},
	{"unfinished", "unfinished", TABLE_COUNT, offsetof(struct report_engine, unfinished)},
	{"unknown_ns", "unknown", TABLE_NS, offsetof(struct report_engine, unknown_ns)},
	{"dropped", "untracked jobs", TABLE_COUNT, offsetof(struct report_engine, dropped)},
	{"driver", "driver", TABLE_STRING, offsetof(struct report_engine, driver)},
	{"name", "engine", TABLE_STRING, offsetof(struct report_engine, name)},
};

static const struct table_column engine_users_columns[] = {
	{"host_queue_ns", NULL, TABLE_NS, offsetof(struct report_engine_user, host_queue_ns)},
	{"device_queue_ns", NULL, TABLE_NS, offsetof(struct report_engine_user, device_queue_ns)},
	{"executing_ns", "executing", TABLE_NS, offsetof(struct report_engine_user, executing_ns)},
	{"host_queue_mean_ns", "queued\xe2\x86\x92submit", TABLE_NS_FLOAT,
	 offsetof(struct report_engine_user, host_queue_mean_ns)},
	{"device_queue_mean_ns", "submit\xe2\x86\x92start", TABLE_NS_FLOAT,
	 offsetof(struct report_engine_user, device_queue_mean_ns)},
	{"unsplit_ns", "total latency", TABLE_NS, offsetof(struct report_engine_user, unsplit_ns)},
	{"jobs", "jobs", TABLE_COUNT, offsetof(struct report_engine_user, jobs)},
	{"pid", "process", TABLE_NUMBER, offsetof(struct report_engine_user, process)},
	{"name", "name", TABLE_STRING, offsetof(struct report_engine_user, name)},
	{"driver", NULL, TABLE_STRING, offsetof(struct report_engine_user, driver)},
	{"engine", "engine", TABLE_STRING, offsetof(struct report_engine_user, engine)},
};

static const struct table_column clocks_columns[] = {
	{"offset_ns", "offset (ns)", TABLE_SIGNED, offsetof(struct report_clock, offset_ns)},
	{"drift_ppm", "drift", TABLE_PPM, offsetof(struct report_clock, drift_ppm)},
	{"bound_ns", "bound", TABLE_BOUND, offsetof(struct report_clock, bound_ns)},
	{"best_ns", "best case", TABLE_BOUND, offsetof(struct report_clock, best_ns)},
	{"segments", "segments", TABLE_COUNT, offsetof(struct report_clock, segments)},
	{"constraints", "constraints", TABLE_COUNT, offsetof(struct report_clock, constraints)},
	{"outliers", "outliers", TABLE_COUNT, offsetof(struct report_clock, outliers)},
	{"domain", "domain", TABLE_STRING, offsetof(struct report_clock, domain)},
	{"source", "clock of", TABLE_STRING, offsetof(struct report_clock, source)},
};

static const struct table_column hosts_columns[] = {
	{"bound_ns", "wrong by at most", TABLE_BOUND, offsetof(struct report_host, bound_ns)},
	{"clock", "joined by", TABLE_STRING, offsetof(struct report_host, clock)},
	{"messages", "messages", TABLE_COUNT, offsetof(struct report_host, messages)},
	{"moved_ns", NULL, TABLE_SIGNED, offsetof(struct report_host, moved_ns)},
	{"drift_ppm", "drift", TABLE_PPM, offsetof(struct report_host, drift_ppm)},
	{"processes", "processes", TABLE_COUNT, offsetof(struct report_host, processes)},
	{"first_id", "numbers from", TABLE_NUMBER, offsetof(struct report_host, first_id)},
	{"first_cpu", NULL, TABLE_NUMBER, offsetof(struct report_host, first_cpu)},
	{"name", "host", TABLE_STRING, offsetof(struct report_host, name)},
};

#define TABLE_BUT_FIRST(table_name, table_columns, row_type)                          \
	{                                                                             \
		.name = table_name, .columns = (table_columns) + 1,                   \
		.column_count = sizeof(table_columns) / sizeof(*(table_columns)) - 1, \
		.row_bytes = sizeof(row_type)                                         \
	}

static const struct table tables[] = {
	[REPORT_TABLE_api] = TABLE("api", api_columns, struct report_api),
	[REPORT_TABLE_ranges] = TABLE("ranges", ranges_columns, struct report_range),
	[REPORT_TABLE_tasks] = TABLE("tasks", tasks_columns, struct report_task),
	[REPORT_TABLE_device] = TABLE("device", device_columns, struct report_device),
	[REPORT_TABLE_zones] = TABLE("zones", zones_columns, struct report_zone),
	[REPORT_TABLE_devices] = TABLE("devices", devices_columns, struct report_busy),
	[REPORT_TABLE_sharing] = TABLE("sharing", sharing_columns, struct report_sharing),
	[REPORT_TABLE_memory] = TABLE("memory", memory_columns, struct report_memory),
	[REPORT_TABLE_faults] = TABLE("faults", faults_columns, struct report_fault),
	[REPORT_TABLE_modules] = TABLE("modules", modules_columns, struct report_module),
	[REPORT_TABLE_external_ids] =
		TABLE("external_ids", external_ids_columns, struct report_external_id),
	[REPORT_TABLE_overheads] = TABLE("overheads", overheads_columns, struct report_overhead),
	[REPORT_TABLE_builds] = TABLE("builds", builds_columns, struct report_build),
	[REPORT_TABLE_errors] = TABLE("errors", errors_columns, struct report_error),
	[REPORT_TABLE_open_calls] =
		TABLE("open_calls", open_calls_columns, struct report_open_call),
	[REPORT_TABLE_untimed_queues] =
		TABLE("untimed_queues", untimed_queues_columns, struct report_queue),
	[REPORT_TABLE_waits] = TABLE("waits", waits_columns, struct report_wait),
	[REPORT_TABLE_functions] = TABLE("functions", functions_columns, struct report_function),
	[REPORT_TABLE_engines] = TABLE("engines", engines_columns, struct report_engine),
	[REPORT_TABLE_engine_users] =
		TABLE("engine_users", engine_users_columns, struct report_engine_user),
	[REPORT_TABLE_hosts] = TABLE("hosts", hosts_columns, struct report_host),
	[REPORT_TABLE_clocks] = TABLE("clocks", clocks_columns, struct report_clock),
	[REPORT_TABLE_process] = TABLE("processes", process_columns, struct report_process),
	[REPORT_TABLE_thread] = TABLE("threads", thread_columns, struct report_thread),
};

/* Tables of which the first column is for ranges only. */
static const struct table whole_tables[] = {
	[REPORT_TABLE_api] = TABLE_BUT_FIRST("api", api_columns, struct report_api),
	[REPORT_TABLE_device] = TABLE_BUT_FIRST("device", device_columns, struct report_device),
};

struct report_part report_part(const struct report *report, enum report_table which)
{
	struct report_part part = {.table = &tables[which]};

	if (!report->ranged && (which == REPORT_TABLE_api || which == REPORT_TABLE_device))
		part.table = &whole_tables[which];

	switch (which) {
#define X(field, number, text)               \
	case REPORT_TABLE_##field:           \
		part.words = text;           \
		part.rows = report->field;   \
		part.count = report->number; \
		break;
		REPORT_TABLES(X)
#undef X
	case REPORT_TABLE_COUNT:
		break;
	}
	return part;
}
