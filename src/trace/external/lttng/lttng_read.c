/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/lttng_read.h"

#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schema/gen/core_records.h"
#include "schema/record.h"
#include "trace/external/ctf_value.h"
#include "trace/external/hosts/trace_folders.h"
#include "trace/external/hosts/trace_packets.h"
#include "trace/external/lttng/event_moments.h"
#include "trace/external/lttng/event_plan.h"
#include "trace/external/lttng/lttng_thread.h"
#include "trace/external/lttng/read_graph.h"
#include "trace/external/lttng/session_files.h"
#include "trace/external/lttng/session_writer.h"
#include "trace/watch.h"
#include "util/map.h"

#define RECORD_BYTES 65536u
/* Of CPU time without an event; a trace of gigabytes is opened in a few seconds. */
#define STUCK_S 60
#define FLUSH_MS 500

struct reading {
	struct trace_folders folders;
	struct session_writer *writer;
	struct hosts *hosts;
	struct map host_of;	 /* address of a bt_trace -> place in hosts */
	const bt_trace **traces; /* references, so that no other one gets its address */
	size_t trace_count;
	struct event_plans plans;
	struct map thread_of; /* pid << 32 | tid -> place in threads */
	struct lttng_thread **threads;
	size_t thread_count;
	uint64_t events;
	uint64_t from_ns; /* where the session begins; 0: with its first event */
	bool no_thread_context;
	bool live;
	bool kernel_alone;	 /* no event of ours: when it was is all that is read here */
	struct timespec flushed; /* a live session: when it was written last */
	uint64_t messages;
	int status;
	uint8_t bytes[RECORD_BYTES];
};

lttng_read_fn tandem_lttng_read;

static int64_t environment_number(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_signed_integer(value) ? bt_value_integer_signed_get(value) : 0;
}

static uint64_t offset_ns(const bt_clock_class *clock)
{
	uint64_t hz = clock ? bt_clock_class_get_frequency(clock) : 0, cycles = 0;
	int64_t seconds = 0;

	if (!hz)
		return 0;
	bt_clock_class_get_offset(clock, &seconds, &cycles);
	return (uint64_t)seconds * 1000000000u +
	       (uint64_t)((unsigned __int128)cycles * 1000000000 / hz);
}

/* SIZE_MAX: out of memory. */
static size_t host_of(struct reading *reading, const bt_stream *stream)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	uint64_t key = (uint64_t)(uintptr_t)trace, known = map_get(&reading->host_of, key);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	char boot[CTF_BOOT_BYTES];
	size_t host;
	void *more;

	if (known != MAP_NONE)
		return known;
	ctf_boot(clock, boot);
	host = hosts_get(reading->hosts, ctf_environment(trace, "hostname"), boot,
			 offset_ns(clock));
	more = realloc(reading->traces, (reading->trace_count + 1) * sizeof(trace));
	if (more)
		reading->traces = more;
	if (host == SIZE_MAX || !more || map_set(&reading->host_of, key, host))
		return SIZE_MAX;
	bt_trace_get_ref(trace);
	reading->traces[reading->trace_count++] = trace;
	return host;
}

static uint32_t context_number(const bt_field *context, const char *name, int64_t otherwise)
{
	const bt_field *field = ctf_member(context, name);

	return (uint32_t)(field ? (int64_t)ctf_number(field) : otherwise);
}

static void context_name(const bt_field *context, const bt_trace *trace, char name[16])
{
	const bt_field *field = ctf_member(context, "procname");
	const char *text = field ? ctf_string(field, name, 16) : NULL;

	if (text != name)
		snprintf(name, 16, "%s", text ? text : ctf_environment(trace, "procname"));
}

static struct lttng_thread *thread_of(struct reading *reading, const bt_event *event, size_t host,
				      uint32_t *pid)
{
	const bt_field *context = bt_event_borrow_common_context_field_const(event);
	const bt_trace *trace = bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event));
	uint32_t tid;
	uint64_t key, place;
	struct lttng_thread *thread;
	void *more;

	*pid = context_number(context, "vpid", environment_number(trace, "vpid"));
	tid = context_number(context, "vtid", 0);
	if (!tid || !*pid) {
		reading->no_thread_context = true;
		return NULL;
	}
	*pid = hosts_id(host, *pid);
	tid = hosts_id(host, tid);
	key = (uint64_t)*pid << 32 | tid;
	place = map_get(&reading->thread_of, key);
	if (place != MAP_NONE)
		return reading->threads[place];
	thread = calloc(1, sizeof(*thread));
	more = thread ? realloc(reading->threads, (reading->thread_count + 1) * sizeof(thread))
		      : NULL;
	if (!more || map_set(&reading->thread_of, key, reading->thread_count)) {
		free(thread);
		reading->status = -ENOMEM;
		return NULL;
	}
	reading->threads = more;
	context_name(context, trace, thread->name);
	thread->pid = *pid;
	thread->tid = tid;
	reading->threads[reading->thread_count++] = thread;
	return thread;
}

/* Threads of which no call said it. */
static void end_early(struct reading *reading)
{
	for (size_t i = 0; i < reading->thread_count; i++)
		if (!reading->threads[i]->begun)
			reading->events += lttng_thread_begin(reading->threads[i], reading->writer);
}

static void handle_moment(struct reading *reading, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	size_t host = host_of(reading, bt_event_borrow_stream_const(event));

	if (host == SIZE_MAX) {
		reading->status = -ENOMEM;
		return;
	}
	session_writer_moment(
		reading->writer,
		hosts_use(reading->hosts, host,
			  ctf_ns(bt_message_event_borrow_default_clock_snapshot_const(message))));
	reading->events++;
}

/* How right the host's time of day is: said of the host, and no event of the session. */
static void handle_host_clock(struct reading *reading, const struct event_plan *plan,
			      const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	size_t host = host_of(reading, bt_event_borrow_stream_const(event));
	struct tandem_rec_host_clock record = {.begin = 0};
	const size_t fixed = sizeof(record) - sizeof(record.head);
	size_t count =
		payload ? event_plan_fill(plan, payload, reading->bytes, sizeof(reading->bytes))
			: 0;

	if (host == SIZE_MAX) {
		reading->status = -ENOMEM;
		return;
	}
	if (count == SIZE_MAX || count < fixed)
		return;
	memcpy((uint8_t *)&record + sizeof(record.head), reading->bytes, fixed);
	host_time_add(&reading->hosts->list[host].time, &record,
		      reading->hosts->list[host].offset_ns);
}

static void handle_event(struct reading *reading, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const struct event_plan *plan =
		event_plans_get(&reading->plans, bt_event_borrow_class_const(event));
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	struct early_record record = {.bytes = reading->bytes};
	struct lttng_thread *thread;
	uint64_t ns;
	size_t host;
	uint32_t pid;

	if (!plan || !plan->event) {
		reading->status = plan ? 0 : -ENOMEM;
		return;
	}
	if (plan->event->id == TANDEM_EVENT_host_clock) {
		handle_host_clock(reading, plan, event);
		return;
	}
	host = host_of(reading, bt_event_borrow_stream_const(event));
	if (host == SIZE_MAX) {
		reading->status = -ENOMEM;
		return;
	}
	thread = thread_of(reading, event, host, &pid);
	if (!thread)
		return;
	if (plan->levels)
		session_writer_levels(reading->writer, pid, plan->levels);
	ns = hosts_use(reading->hosts, host,
		       ctf_ns(bt_message_event_borrow_default_clock_snapshot_const(message)));
	record.id = plan->event->id;
	record.call = plan->half == EVENT_ENTRY;
	record.ns = ns;
	if (!thread->begun && ns >= reading->from_ns && lttng_thread_decides(thread, plan))
		reading->events += lttng_thread_decide(thread, reading->writer, plan);
	if (plan->half == EVENT_EXIT) {
		reading->events += thread->begun;
		lttng_thread_return(thread, plan, payload, ns);
		return;
	}
	if (payload)
		record.count =
			event_plan_fill(plan, payload, reading->bytes, sizeof(reading->bytes));
	if (payload && record.count != SIZE_MAX)
		event_moments_move(plan, reading->bytes, reading->hosts, host);
	if (record.count == SIZE_MAX)
		session_writer_lost(reading->writer, 1);
	else
		reading->events +=
			lttng_thread_put(thread, reading->writer, &record, ns < reading->from_ns);
}

static void handle_discarded(struct reading *reading, const bt_message *message)
{
	uint64_t count = 1;

	if (bt_message_discarded_events_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 1;
	session_writer_lost(reading->writer, count);
}

static void flush_live(struct reading *reading)
{
	struct timespec now;
	int error;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!reading->live || (now.tv_sec - reading->flushed.tv_sec) * 1000 +
					      (now.tv_nsec - reading->flushed.tv_nsec) / 1000000 <
				      FLUSH_MS)
		return;
	reading->flushed = now;
	error = session_writer_flush(reading->writer);
	if (error && !reading->status)
		reading->status = error;
}

static bt_graph_simple_sink_component_consume_func_status on_messages(bt_message_iterator *iterator,
								      void *user)
{
	struct reading *reading = user;
	bt_message_array_const messages;
	uint64_t count = 0;

	watch_alive();
	flush_live(reading);
	switch (bt_message_iterator_next(iterator, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
	default:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	}
	reading->messages += count;
	for (uint64_t i = 0; i < count; i++) {
		bt_message_type type = bt_message_get_type(messages[i]);

		if (!reading->status && type == BT_MESSAGE_TYPE_EVENT)
			reading->kernel_alone ? handle_moment(reading, messages[i])
					      : handle_event(reading, messages[i]);
		else if (type == BT_MESSAGE_TYPE_DISCARDED_EVENTS && !reading->kernel_alone)
			handle_discarded(reading, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return reading->status ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
			       : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static void reading_free(struct reading *reading)
{
	for (size_t i = 0; i < reading->thread_count; i++) {
		early_records_free(&reading->threads[i]->early);
		free(reading->threads[i]);
	}
	free(reading->threads);
	map_free(&reading->thread_of);
	for (size_t i = 0; i < reading->trace_count; i++)
		bt_trace_put_ref(reading->traces[i]);
	free(reading->traces);
	map_free(&reading->host_of);
	event_plans_free(&reading->plans);
	free(reading);
}

static const char *no_events(const struct reading *reading, bool live)
{
	if (reading->no_thread_context)
		return "its events do not say their threads (lttng add-context --userspace "
		       "--type vpid --type vtid --type procname)";
	if (reading->kernel_alone)
		return "the kernel's trace has no events";
	return live ? "no events of tandem came from there: is the session live, and nobody "
		      "else attached (a relay lets one look at a time)?"
		    : "no events of tandem were recorded";
}

static bool have(const struct trace_folders *folders, bool kernel)
{
	for (size_t i = 0; i < folders->count; i++)
		if (kernel ? folders->list[i].kernel : folders->list[i].ours)
			return true;
	return false;
}

/* `folders`: of a live session NULL. */
static bool run(struct reading *reading, const char *from, const struct trace_folders *folders)
{
	const struct read_graph request = {.from = from,
					   .folders = folders,
					   .hosts = reading->hosts,
					   .kernel_alone = reading->kernel_alone,
					   .live = reading->live,
					   .consume = on_messages,
					   .user = reading,
					   .messages = &reading->messages};

	return read_graph_run(&request);
}

static int read_from(struct reading *reading, const char *from, bool live, bool whole, char *why,
		     uint64_t why_bytes)
{
	struct trace_folders *folders = &reading->folders;
	int status = live ? 0 : trace_folders_find(folders, from);

	reading->kernel_alone = whole && !live && !have(folders, false);
	if (!status && !live && !have(folders, false) && !(whole && have(folders, true))) {
		snprintf(
			why, why_bytes,
			"no trace of LTTng's in this folder has events of tandem, or is the kernel's; "
			"a session is named by its own directory");
		status = -ENODATA;
	} else if (!status && !live && (status = trace_packets_check(folders, why, why_bytes))) {
		/* told */
	} else if (!status && !run(reading, from, live ? NULL : folders) && !reading->status) {
		ctf_explain(why, why_bytes);
		status = -EBADMSG;
	} else if (!status) {
		status = reading->status;
	}
	if (!status)
		end_early(reading);
	if (!status && !reading->events) {
		snprintf(why, why_bytes, "%s", no_events(reading, live));
		status = -ENODATA;
	}
	trace_folders_free(folders);
	return status;
}

int tandem_lttng_read(const char *from, const char *to, bool whole, struct hosts *hosts, char *why,
		      uint64_t why_bytes)
{
	bool live = strstr(from, "://") != NULL;
	struct reading *reading = calloc(1, sizeof(*reading));
	int status, written;

	watch_begin(STUCK_S);
	if (reading)
		reading->writer = session_writer_create(to, whole, hosts);
	if (!reading || !reading->writer) {
		free(reading);
		return -ENOMEM;
	}
	reading->hosts = hosts;
	reading->live = live && whole;
	reading->from_ns = whole ? 0 : session_files_begin(to);
	status = read_from(reading, from, live, whole, why, why_bytes);
	written = session_writer_destroy(reading->writer);
	if (written && !status)
		snprintf(why, why_bytes, "%s: %s", to, strerror(-written));
	reading_free(reading);
	return status ? status : written;
}
