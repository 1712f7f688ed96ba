/* SPDX-License-Identifier: MIT */
/* session.json by jansson. Without it: run_plain.c. */
#include "trace/session/run.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

static const char *run_string(struct trace_run *run, const json_t *root, const char *key)
{
	const json_t *value = json_object_get(root, key);
	const char *copy;

	if (!json_is_string(value))
		return "";
	copy = arena_copy(&run->arena, json_string_value(value), json_string_length(value));
	return copy ? copy : "";
}

static uint64_t object_number(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	return value > 0 ? (uint64_t)value : 0;
}

static const char *run_command(struct trace_run *run, const json_t *root)
{
	const json_t *words = json_object_get(root, "command");
	struct text text = TEXT_INIT;
	const char *copy = NULL;

	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));

		if (i)
			text_add_char(&text, ' ');
		trace_run_add_word(&text, word ? word : "");
	}
	if (!text.failed && text.length)
		copy = arena_copy(&run->arena, text.data, text.length);
	text_free(&text);
	return copy ? copy : "";
}

static void run_processes(struct trace_run *run, const json_t *root)
{
	const json_t *processes = json_object_get(root, "processes");
	size_t count = json_array_size(processes);

	run->processes = arena_alloc(&run->arena, (count + 1) * sizeof(*run->processes));
	for (size_t i = 0; run->processes && i < count; i++) {
		const json_t *process = json_array_get(processes, i);

		run->processes[run->process_count++] = (struct trace_run_process){
			.pid = object_number(process, "pid"),
			.ppid = object_number(process, "ppid"),
			.lived_ns = object_number(process, "lived_ns"),
			.exec = json_is_true(json_object_get(process, "exec")),
			.name = run_string(run, process, "name"),
		};
	}
}

static enum trace_host_clock host_clock(const json_t *host)
{
	const char *words = json_string_value(json_object_get(host, "clock"));

	for (unsigned i = 0; words && i < TRACE_HOST_CLOCK_COUNT; i++)
		if (!strcmp(words, trace_host_clock_words[i]))
			return (enum trace_host_clock)i;
	return TRACE_HOST_TIME_OF_DAY;
}

static void run_hosts(struct trace_run *run, const json_t *root)
{
	const json_t *hosts = json_object_get(root, "hosts");
	size_t count = json_array_size(hosts);

	if (count < 2 || count > TRACE_HOSTS_MOST)
		return;
	run->hosts = arena_alloc(&run->arena, count * sizeof(*run->hosts));
	for (size_t i = 0; run->hosts && i < count; i++) {
		const json_t *host = json_array_get(hosts, i);

		run->hosts[run->host_count++] = (struct trace_run_host){
			.name = run_string(run, host, "name"),
			.boot_id = run_string(run, host, "boot_id"),
			.clock = host_clock(host),
			.moved_ns = json_integer_value(json_object_get(host, "moved_ns")),
			.drift_ppm = json_number_value(json_object_get(host, "drift_ppm")),
			.bound_ns = object_number(host, "bound_ns"),
			.messages = object_number(host, "messages"),
			.first_cpu = (uint32_t)object_number(host, "first_cpu"),
			.cpus = (uint32_t)object_number(host, "cpus"),
		};
	}
}

int trace_run_parse(struct trace_run *run, const char *text, size_t bytes, uint64_t *offset,
		    char *why, size_t why_bytes)
{
	json_error_t problem;
	json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &problem);
	const json_t *end, *status, *snapshot, *lttng;

	*offset = 0;
	if (!root || !json_is_object(root)) {
		*offset = root || problem.position < 0 ? 0 : (uint64_t)problem.position;
		snprintf(why, why_bytes, "%s", root ? "not a JSON object" : problem.text);
		json_decref(root);
		return -EINVAL;
	}
	run->tandem = run_string(run, root, "tandem");
	run->schema = run_string(run, root, "schema");
	run->program = run_string(run, root, "program");
	run->command = run_command(run, root);
	run->host = run_string(run, root, "host");
	run->boot_id = run_string(run, root, "boot_id");
	run->release = run_string(run, root, "kernel_release");
	run->machine = run_string(run, root, "machine");
	run->cwd = run_string(run, root, "cwd");
	run->start = run_string(run, root, "start");
	run->ticks_hz = object_number(root, "ticks_hz");
	run->start_ticks = object_number(root, "start_ticks");
	run->start_monotonic_ns = object_number(root, "start_monotonic_ns");
	run->start_realtime_ns = object_number(root, "start_realtime_ns");
	snapshot = json_object_get(root, "snapshot");
	run->snapshot_of = run_string(run, snapshot, "of");
	run->snapshot_reason = run_string(run, snapshot, "reason");
	run->snapshot_at_ns = object_number(snapshot, "at_monotonic_ns");
	lttng = json_object_get(root, "lttng");
	run->lttng_relay = run_string(run, lttng, "relay");
	run->lttng_incomplete = run_string(run, lttng, "incomplete");
	end = json_object_get(root, "end");
	run->has_end = json_is_object(end);
	run->end_ticks = object_number(end, "ticks");
	run->end_monotonic_ns = object_number(end, "monotonic_ns");
	status = json_object_get(root, "exit");
	run->has_exit = json_is_object(status);
	run->exit_code = json_integer_value(json_object_get(status, "code"));
	run->exit_signal = json_integer_value(json_object_get(status, "signal"));
	run->record_floor_ns = json_number_value(json_object_get(root, "record_floor_ns"));
	run->page_fault_ns = json_number_value(json_object_get(root, "page_fault_ns"));
	run->recorded_ns = object_number(root, "recorded_ns");
	run->stopped_monotonic_ns = object_number(root, "stopped_monotonic_ns");
	run->streams = object_number(root, "streams");
	run->recorder_cpu_ns = object_number(root, "recorder_cpu_ns");
	run_processes(run, root);
	run_hosts(run, root);
	json_decref(root);
	return 0;
}
