/* SPDX-License-Identifier: MIT */
/* LTTng's kernel traces through libbabeltrace2. A module of its own, loaded when
 * such a trace is given: the library brings more with it than the whole command. It
 * also ends the process where its own checks fail, so this runs in a child (external_trace.c).
 * Looks for traces in a folder at any depth; those of user space are passed over. */
#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "trace/external/ctf_value.h"
#include "trace/external/external_ctf_event.h"
#include "trace/external/external_trace.h"
#include "trace/external/hosts/trace_folders.h"
#include "trace/external/hosts/trace_packets.h"

#define TRACES 64
#define STREAMS 4096
#define NOT_WANTED UINT32_MAX

struct reading {
	const struct external_sink *sink;
	int status;			 /* of the sink */
	const bt_trace *checked[TRACES]; /* whose description the sink has seen */
	uint32_t numbers[TRACES];	 /* of them, as events have it; NOT_WANTED */
	size_t checked_count;
	const bt_stream *streams[STREAMS];
	uint32_t stream_cpus[STREAMS]; /* UINT32_MAX: not known yet */
	size_t stream_count;
	unsigned sinks;
	bool begun;
	uint32_t begins; /* calls of the sink's begin() */
};

/* external_ctf_read() is the one symbol of this module. */
external_ctf_fn tandem_external_ctf_read;

/* Shows each trace to the sink once. Its number, or NOT_WANTED. */
static uint32_t trace_number(struct reading *reading, const bt_stream *stream)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	struct external_description description = {.tool = "LTTng"};
	uint32_t number = NOT_WANTED;
	char boot[CTF_BOOT_BYTES];

	for (size_t i = 0; i < reading->checked_count; i++) {
		if (reading->checked[i] == trace)
			return reading->numbers[i];
	}
	description.host = ctf_environment(trace, "hostname");
	description.release = ctf_environment(trace, "kernel_release");
	ctf_boot(clock, boot);
	description.boot_id = boot;
	description.clock =
		clock && bt_clock_class_get_name(clock) ? bt_clock_class_get_name(clock) : "";
	if (reading->checked_count < TRACES &&
	    !strcmp(ctf_environment(trace, "domain"), "kernel") && !reading->status) {
		reading->status = reading->sink->begin(reading->sink->user, &description);
		reading->begun = true;
		if (!reading->status)
			number = reading->begins;
		reading->begins++;
	}
	if (reading->checked_count < TRACES) {
		reading->numbers[reading->checked_count] = number;
		reading->checked[reading->checked_count++] = trace;
	}
	return number;
}

static uint32_t cpu_of(const bt_event *event)
{
	const bt_packet *packet = bt_event_borrow_packet_const(event);
	int64_t cpu = 0;

	if (packet)
		ctf_member_number(bt_packet_borrow_context_field_const(packet), "cpu_id", &cpu);
	return (uint32_t)cpu;
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
	const bt_stream *stream = bt_event_borrow_stream_const(event);
	struct external_event to = {.kind = EXTERNAL_LOST, .trace = trace_number(reading, stream)};
	struct external_ctf_names names;

	if (to.trace == NOT_WANTED ||
	    !external_ctf_event(&to, event, &names, reading->sink->messages))
		return;
	to.cpu = cpu_of(event);
	*cpu_of_stream(reading, stream) = to.cpu;
	to.ns = ctf_ns(bt_message_event_borrow_default_clock_snapshot_const(message));
	reading->status = reading->sink->event(reading->sink->user, &to);
}

static void handle_discarded(struct reading *reading, const bt_message *message)
{
	const bt_stream *stream = bt_message_discarded_events_borrow_stream_const(message);
	struct external_event to = {.kind = EXTERNAL_LOST, .value = 1};
	uint64_t count;

	to.trace = trace_number(reading, stream);
	if (to.trace == NOT_WANTED)
		return;
	to.cpu = *cpu_of_stream(reading, stream);
	if (bt_message_discarded_events_get_count(message, &count) ==
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		to.value = (int64_t)count;
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream)))
		to.ns = ctf_ns(bt_message_discarded_events_borrow_end_default_clock_snapshot_const(
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

/* The folders [from, to) hold one trace: a rotation's chunks, or all of it. */
static bool add_source(bt_graph *graph, const bt_component_class_source *class,
		       const struct trace_folders *folders, size_t from, size_t to,
		       struct reading *reading)
{
	const bt_component_source *source = NULL;
	bt_value *parameters = bt_value_map_create(), *paths = NULL;
	char name[32];
	bool good;

	snprintf(name, sizeof(name), "trace %zu", from);
	bt_value_map_insert_empty_array_entry(parameters, "inputs", &paths);
	for (size_t i = from; i < to; i++)
		bt_value_array_append_string_element(paths, folders->list[i].path);
	good = bt_graph_add_source_component(graph, class, name, parameters, BT_LOGGING_LEVEL_NONE,
					     &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
	bt_value_put_ref(parameters);
	return good && add_sinks(graph, source, reading);
}

/* A source for each trace: those of several hosts have nothing in common. */
static bool add_sources(bt_graph *graph, const bt_plugin *ctf, const struct trace_folders *folders,
			struct reading *reading)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs");
	bool good = class != NULL;

	for (size_t i = 0, next; good && i < folders->count; i = next) {
		const struct trace_folder *folder = &folders->list[i];

		for (next = i + 1; next < folders->count && *folder->uuid &&
				   !strcmp(folder->uuid, folders->list[next].uuid);)
			next++;
		if (folder->kernel)
			good = add_source(graph, class, folders, i, next, reading);
	}
	return good;
}

static bool run(struct reading *reading, const struct trace_folders *folders)
{
	const bt_plugin *ctf = NULL;
	bt_graph *graph = bt_graph_create(0);
	bool good = false;

	bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf);
	if (ctf && graph)
		good = add_sources(graph, ctf, folders, reading) &&
		       bt_graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
	bt_graph_put_ref(graph);
	bt_plugin_put_ref(ctf);
	return good;
}

static bool have_kernel(const struct trace_folders *folders)
{
	for (size_t i = 0; i < folders->count; i++)
		if (folders->list[i].kernel)
			return true;
	return false;
}

int tandem_external_ctf_read(const char *path, const struct external_sink *sink, char *why,
			     uint64_t why_bytes)
{
	static struct reading reading; /* too large for a stack */
	/* libbabeltrace2 aborts where it meets its own mistakes: where that is caught, the next
	 * call frees what is here. */
	static struct trace_folders folders;
	int status;

	trace_folders_free(&folders);
	status = trace_folders_find(&folders, path);
	reading = (struct reading){.sink = sink};
	if (status)
		return status;
	if (!folders.count) {
		snprintf(why, why_bytes, "there is no trace in this folder (no file `metadata`)");
		status = -EINVAL;
	} else if (!have_kernel(&folders)) {
		snprintf(why, why_bytes, "no trace in this folder is the kernel's");
		status = -EINVAL;
	} else if ((status = trace_packets_check(&folders, why, why_bytes))) {
		/* told */
	} else if (!run(&reading, &folders) && !reading.status) {
		ctf_explain(why, why_bytes);
		status = -EBADMSG;
	} else if (reading.status) {
		status = reading.status;
	} else if (!reading.begun) {
		snprintf(why, why_bytes, "the kernel's traces in this folder have no events");
		status = -ENODATA;
	}
	trace_folders_free(&folders);
	return status;
}
