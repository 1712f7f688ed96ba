/* SPDX-License-Identifier: MIT */
/* LTTng's kernel traces through libbabeltrace2. A module of its own, loaded when
 * such a trace is given: the library brings more with it than the whole command. It
 * also ends the process where its own checks fail, so this runs in a child (external_trace.c).
 * Looks for traces in a folder at any depth; those of user space are passed over. */
#include <babeltrace2/babeltrace.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/external/external_trace.h"

#define DEPTH 6
#define TRACES 64
#define STREAMS 4096

struct reading {
	const struct external_sink *sink;
	int status;			 /* of the sink */
	const bt_trace *checked[TRACES]; /* whose description the sink has seen */
	bool wanted[TRACES];
	size_t checked_count;
	const bt_stream *streams[STREAMS];
	uint32_t stream_cpus[STREAMS]; /* UINT32_MAX: not known yet */
	size_t stream_count;
	unsigned sinks;
	bool begun;
	char *why;
	uint64_t why_bytes;
};

/* external_ctf_read() is the one symbol of this module. */
external_ctf_fn tandem_external_ctf_read;

static const bt_field *member(const bt_field *structure, const char *name)
{
	const bt_field *field = NULL;

	if (structure && bt_field_get_class_type(structure) == BT_FIELD_CLASS_TYPE_STRUCTURE)
		field = bt_field_structure_borrow_member_field_by_name_const(structure, name);
	return field;
}

static bool number_in(const bt_field *structure, const char *name, int64_t *value)
{
	const bt_field *field = member(structure, name);
	bt_field_class_type type;

	if (!field)
		return false;
	type = bt_field_get_class_type(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*value = (int64_t)bt_field_integer_unsigned_get_value(field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*value = bt_field_integer_signed_get_value(field);
	else
		return false;
	return true;
}

static uint32_t number(const bt_event *event, const char *name)
{
	int64_t value = 0;

	number_in(bt_event_borrow_payload_field_const(event), name, &value);
	return (uint32_t)value;
}

/* A string, or the array of characters that LTTng makes of a thread's name. */
static const char *string(const bt_event *event, const char *name, char out[17])
{
	const bt_field *field = member(bt_event_borrow_payload_field_const(event), name);
	bt_field_class_type type;
	uint64_t length = 0;

	if (!field)
		return NULL;
	type = bt_field_get_class_type(field);
	if (type == BT_FIELD_CLASS_TYPE_STRING)
		return bt_field_string_get_value(field);
	if (!bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		return NULL;
	for (; length < bt_field_array_get_length(field) && length < 16; length++) {
		const bt_field *letter =
			bt_field_array_borrow_element_field_by_index_const(field, length);
		bt_field_class_type of = bt_field_get_class_type(letter);

		if (bt_field_class_type_is(of, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
			out[length] = (char)bt_field_integer_unsigned_get_value(letter);
		else if (bt_field_class_type_is(of, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
			out[length] = (char)bt_field_integer_signed_get_value(letter);
	}
	out[length] = '\0';
	return out;
}

static const char *environment(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

static void boot_of(const bt_clock_class *clock, char out[37])
{
	bt_uuid uuid = clock ? bt_clock_class_get_uuid(clock) : NULL;

	out[0] = '\0';
	for (int i = 0, at = 0; uuid && i < 16; i++)
		at += snprintf(out + at, (size_t)(37 - at), "%s%02x",
			       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* Shows each trace to the sink once. Returns whether its events are wanted. */
static bool trace_wanted(struct reading *reading, const bt_stream *stream)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	struct external_description description = {.tool = "LTTng"};
	bool kernel = !strcmp(environment(trace, "domain"), "kernel");
	char boot[37];

	for (size_t i = 0; i < reading->checked_count; i++) {
		if (reading->checked[i] == trace)
			return reading->wanted[i];
	}
	description.host = environment(trace, "hostname");
	description.release = environment(trace, "kernel_release");
	boot_of(clock, boot);
	description.boot_id = boot;
	description.clock =
		clock && bt_clock_class_get_name(clock) ? bt_clock_class_get_name(clock) : "";
	if (kernel && !reading->status) {
		reading->status = reading->sink->begin(reading->sink->user, &description);
		reading->begun = true;
	}
	if (reading->checked_count < TRACES) {
		reading->wanted[reading->checked_count] = kernel && !reading->status;
		reading->checked[reading->checked_count++] = trace;
	}
	return kernel && !reading->status;
}

/* CLOCK_MONOTONIC is what LTTng's clock counts; its offset to the time of day
 * is not wanted. */
static uint64_t clock_ns(const bt_clock_snapshot *snapshot)
{
	uint64_t hz =
		bt_clock_class_get_frequency(bt_clock_snapshot_borrow_clock_class_const(snapshot));
	uint64_t value = bt_clock_snapshot_get_value(snapshot);

	return hz == 1000000000 || !hz ? value
				       : (uint64_t)((unsigned __int128)value * 1000000000 / hz);
}

static uint32_t cpu_of(const bt_event *event)
{
	const bt_packet *packet = bt_event_borrow_packet_const(event);
	int64_t cpu = 0;

	if (packet)
		number_in(bt_packet_borrow_context_field_const(packet), "cpu_id", &cpu);
	return (uint32_t)cpu;
}

/* The context of an event has the thread where the user has asked for it. */
static uint32_t context_tid(const bt_event *event)
{
	int64_t tid = 0;

	if (!number_in(bt_event_borrow_common_context_field_const(event), "tid", &tid))
		number_in(bt_event_borrow_specific_context_field_const(event), "tid", &tid);
	return (uint32_t)tid;
}

static bool starts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Fills the event by its name; false: it means nothing to us. */
static bool decode(struct external_event *to, const bt_event *event, const char *name,
		   char first[17], char second[17])
{
	if (!strcmp(name, "sched_switch")) {
		to->kind = EXTERNAL_SWITCH;
		to->tid = number(event, "prev_tid");
		to->other_tid = number(event, "next_tid");
		to->state = external_task_state((int32_t)number(event, "prev_state"));
		to->prio = (uint8_t)number(event, "prev_prio");
		to->other_prio = (uint8_t)number(event, "next_prio");
		to->name = string(event, "prev_comm", first);
		to->other_name = string(event, "next_comm", second);
	} else if (!strcmp(name, "sched_waking") || !strcmp(name, "sched_wakeup") ||
		   !strcmp(name, "sched_wakeup_new")) {
		to->kind = !strcmp(name, "sched_waking")   ? EXTERNAL_WAKING
			   : !strcmp(name, "sched_wakeup") ? EXTERNAL_WAKEUP
							   : EXTERNAL_WAKEUP_NEW;
		to->tid = number(event, "tid");
		to->cpu_to = number(event, "target_cpu");
	} else if (!strcmp(name, "sched_migrate_task")) {
		to->kind = EXTERNAL_MIGRATE;
		to->tid = number(event, "tid");
		to->cpu_from = number(event, "orig_cpu");
		to->cpu_to = number(event, "dest_cpu");
	} else if (!strcmp(name, "sched_process_fork")) {
		to->kind = EXTERNAL_FORK;
		to->tid = number(event, "child_tid");
		to->pid = number(event, "child_pid");
		to->other_tid = number(event, "parent_tid");
		to->name = string(event, "child_comm", first);
	} else if (!strcmp(name, "sched_process_exit")) {
		to->kind = EXTERNAL_EXIT;
		to->tid = number(event, "tid");
	} else if (!strcmp(name, "lttng_statedump_process_state")) {
		to->kind = EXTERNAL_TASK;
		to->tid = number(event, "tid");
		to->pid = number(event, "pid");
		to->name = string(event, "name", first);
	} else if (starts(name, "syscall_entry_") || starts(name, "sys_")) {
		/* sys_: until LTTng 2.5. */
		to->kind = EXTERNAL_ENTRY;
		to->tid = context_tid(event);
		to->name = name + strlen(starts(name, "sys_") ? "sys_" : "syscall_entry_");
	} else if (starts(name, "syscall_exit_") || !strcmp(name, "exit_syscall")) {
		int64_t value = 0;

		to->kind = EXTERNAL_LEAVE;
		to->tid = context_tid(event);
		to->name = starts(name, "syscall_exit_") ? name + strlen("syscall_exit_") : "any";
		number_in(bt_event_borrow_payload_field_const(event), "ret", &value);
		to->value = value;
	} else {
		return false;
	}
	return true;
}

/* A stream of LTTng's is one CPU's. Which one, its packets say, and what tells of
 * a loss is in none. */
static uint32_t *cpu_of_stream(struct reading *reading, const bt_stream *stream)
{
	static uint32_t not_known;
	size_t i = 0;

	while (i < reading->stream_count && reading->streams[i] != stream)
		i++;
	if (i == STREAMS) {
		not_known = UINT32_MAX;
		return &not_known;
	}
	if (i == reading->stream_count) {
		reading->streams[i] = stream;
		reading->stream_cpus[i] = UINT32_MAX;
		reading->stream_count++;
	}
	return &reading->stream_cpus[i];
}

static void handle_event(struct reading *reading, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	struct external_event to = {.kind = EXTERNAL_LOST};
	char first[17], second[17];

	if (!trace_wanted(reading, bt_event_borrow_stream_const(event)) || !name ||
	    !decode(&to, event, name, first, second))
		return;
	to.cpu = cpu_of(event);
	*cpu_of_stream(reading, bt_event_borrow_stream_const(event)) = to.cpu;
	to.ns = clock_ns(bt_message_event_borrow_default_clock_snapshot_const(message));
	reading->status = reading->sink->event(reading->sink->user, &to);
}

static void handle_discarded(struct reading *reading, const bt_message *message)
{
	const bt_stream *stream = bt_message_discarded_events_borrow_stream_const(message);
	struct external_event to = {.kind = EXTERNAL_LOST, .value = 1};
	uint64_t count;

	if (!trace_wanted(reading, stream))
		return;
	to.cpu = *cpu_of_stream(reading, stream);
	if (bt_message_discarded_events_get_count(message, &count) ==
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		to.value = (int64_t)count;
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream)))
		to.ns = clock_ns(
			bt_message_discarded_events_borrow_end_default_clock_snapshot_const(
				message));
	reading->status = reading->sink->event(reading->sink->user, &to);
}

static bt_graph_simple_sink_component_consume_func_status on_messages(bt_message_iterator *iterator,
								      void *user)
{
	struct reading *reading = user;
	bt_message_array_const messages;
	uint64_t count = 0;
	bt_message_iterator_next_status status =
		bt_message_iterator_next(iterator, &messages, &count);

	if (reading->sink->alive)
		reading->sink->alive();
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	for (uint64_t i = 0; i < count; i++) {
		if (!reading->status && bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT)
			handle_event(reading, messages[i]);
		else if (!reading->status &&
			 bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_DISCARDED_EVENTS)
			handle_discarded(reading, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return reading->status ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
			       : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* Folders that hold a file `metadata` are traces. */
static void find_traces(const char *path, bt_value *inputs, int depth)
{
	char inside[PATH_MAX];
	struct stat status;
	struct dirent *entry;
	DIR *folder;

	snprintf(inside, sizeof(inside), "%s/metadata", path);
	if (!lstat(inside, &status) && S_ISREG(status.st_mode)) {
		bt_value_array_append_string_element(inputs, path);
		return;
	}
	folder = depth ? opendir(path) : NULL;
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || snprintf(inside, sizeof(inside), "%s/%s", path,
							entry->d_name) >= (int)sizeof(inside))
			continue;
		/* Links are not followed: a hundred to their own folder are no end of folders. */
		if (!lstat(inside, &status) && S_ISDIR(status.st_mode))
			find_traces(inside, inputs, depth - 1);
	}
	if (folder)
		closedir(folder);
}

/* A sink for each stream, and no muxer: each CPU's order is all that is wanted,
 * and muxers refuse traces in which a CPU's clock once ran backwards. */
static bool add_sinks(bt_graph *graph, const bt_component_source *source, struct reading *reading)
{
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(source); i++) {
		const bt_component_sink *sink = NULL;
		char name[32];

		snprintf(name, sizeof(name), "sink %u", reading->sinks++);
		if (bt_graph_add_simple_sink_component(graph, name, NULL, on_messages, NULL,
						       reading,
						       &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
		    bt_graph_connect_ports(
			    graph, bt_component_source_borrow_output_port_by_index_const(source, i),
			    bt_component_sink_borrow_input_port_by_index_const(sink, 0),
			    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return false;
	}
	return true;
}

/* A source for each folder: traces of several hosts have nothing in common. */
static bool add_sources(bt_graph *graph, const bt_plugin *ctf, const bt_value *inputs,
			struct reading *reading)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs");
	bool good = class != NULL;

	for (uint64_t i = 0; good && i < bt_value_array_get_length(inputs); i++) {
		const bt_component_source *source = NULL;
		bt_value *parameters = bt_value_map_create(), *paths = NULL;
		char name[32];

		snprintf(name, sizeof(name), "trace %u", (unsigned)i);
		bt_value_map_insert_empty_array_entry(parameters, "inputs", &paths);
		bt_value_array_append_string_element(
			paths, bt_value_string_get(
				       bt_value_array_borrow_element_by_index_const(inputs, i)));
		good = bt_graph_add_source_component(graph, class, name, parameters,
						     BT_LOGGING_LEVEL_NONE,
						     &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
		bt_value_put_ref(parameters);
		if (good)
			good = add_sinks(graph, source, reading);
	}
	return good;
}

static bool run(struct reading *reading, const bt_value *inputs)
{
	const bt_plugin *ctf = NULL;
	bt_graph *graph = bt_graph_create(0);
	bool good = false;

	bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf);
	if (ctf && graph)
		good = add_sources(graph, ctf, inputs, reading) &&
		       bt_graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
	bt_graph_put_ref(graph);
	bt_plugin_put_ref(ctf);
	return good;
}

/* What libbabeltrace2 says of its own last error. */
static void handle_error(struct reading *reading)
{
	const bt_error *error = bt_current_thread_take_error();
	const bt_error_cause *cause = error && bt_error_get_cause_count(error)
					      ? bt_error_borrow_cause_by_index(error, 0)
					      : NULL;

	snprintf(reading->why, reading->why_bytes, "%s",
		 cause ? bt_error_cause_get_message(cause) : "libbabeltrace2 can't read it");
	if (error)
		bt_error_release(error);
}

int tandem_external_ctf_read(const char *path, const struct external_sink *sink, char *why,
			     uint64_t why_bytes)
{
	static struct reading reading; /* too large for a stack */
	bt_value *inputs = bt_value_array_create();
	int status = 0;

	reading = (struct reading){.sink = sink, .why = why, .why_bytes = why_bytes};
	if (!inputs)
		return -ENOMEM;
	find_traces(path, inputs, DEPTH);
	if (!bt_value_array_get_length(inputs)) {
		snprintf(why, why_bytes, "there is no trace in this folder (no file `metadata`)");
		status = -EINVAL;
	} else if (!run(&reading, inputs) && !reading.status) {
		handle_error(&reading);
		status = -EBADMSG;
	} else if (reading.status) {
		status = reading.status;
	} else if (!reading.begun) {
		snprintf(why, why_bytes, "no trace in this folder is the kernel's");
		status = -EINVAL;
	}
	bt_value_put_ref(inputs);
	return status;
}
