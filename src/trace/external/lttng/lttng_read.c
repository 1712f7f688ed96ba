/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/lttng_read.h"

#include <babeltrace2/babeltrace.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schema/record.h"
#include "trace/external/lttng/event_plan.h"
#include "trace/external/lttng/number.h"
#include "trace/external/lttng/session_writer.h"
#include "trace/watch.h"
#include "util/map.h"

#define DEPTH 6
#define OPEN_CALLS 64u
#define RECORD_BYTES 65536u
#define METADATA_SEARCHED (64u << 10)
/* libbabeltrace2 takes all of it into memory; that of a thousand programs has some 400 MB. */
#define METADATA_MOST (1 << 30)
/* Of CPU time without an event; a trace of gigabytes is opened in a few seconds. */
#define STUCK_S 60
#define FLUSH_MS 500

/* A call whose end has not been seen. */
struct open_call {
	uint16_t id;
	uint64_t place;
	size_t bytes; /* of its arguments */
};

struct thread {
	struct session_stream *stream;
	uint32_t depth;
	struct open_call open[OPEN_CALLS];
};

struct reading {
	struct session_writer *writer;
	struct event_plans plans;
	struct map thread_of; /* pid << 32 | tid -> place in threads */
	struct thread **threads;
	size_t thread_count;
	uint64_t events;
	bool no_thread_context;
	bool live;
	struct timespec flushed; /* a live session: when it was written last */
	int status;
	uint8_t bytes[RECORD_BYTES];
};

lttng_read_fn tandem_lttng_read;

static const char *environment(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

static int64_t environment_number(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_signed_integer(value) ? bt_value_integer_signed_get(value) : 0;
}

static void describe(struct reading *reading, const bt_stream *stream)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	bt_uuid uuid = clock ? bt_clock_class_get_uuid(clock) : NULL;
	struct session_about about = {.host = environment(trace, "hostname")};
	char boot[37] = "";
	int64_t seconds = 0;
	uint64_t cycles = 0;

	for (int i = 0, at = 0; uuid && i < 16; i++)
		at += snprintf(boot + at, (size_t)(37 - at), "%s%02x",
			       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	about.boot_id = boot;
	if (clock)
		bt_clock_class_get_offset(clock, &seconds, &cycles);
	about.realtime_offset_ns = (uint64_t)seconds * 1000000000u + cycles;
	session_writer_describe(reading->writer, &about);
}

/* LTTng's user-space clock counts CLOCK_MONOTONIC in ns. */
static uint64_t clock_ns(const bt_clock_snapshot *snapshot)
{
	uint64_t hz =
		bt_clock_class_get_frequency(bt_clock_snapshot_borrow_clock_class_const(snapshot));
	uint64_t value = bt_clock_snapshot_get_value(snapshot);

	return hz == 1000000000 || !hz ? value
				       : (uint64_t)((unsigned __int128)value * 1000000000 / hz);
}

static uint32_t context_number(const bt_field *context, const char *name, int64_t otherwise)
{
	const bt_field *field = member_of(context, name);

	return (uint32_t)(field ? (int64_t)number_of(field) : otherwise);
}

static void context_name(const bt_field *context, const bt_trace *trace, char name[16])
{
	const bt_field *field = member_of(context, "procname");
	uint64_t length = 0;

	snprintf(name, 16, "%s", environment(trace, "procname"));
	if (!field)
		return;
	if (bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_STRING) {
		snprintf(name, 16, "%s", bt_field_string_get_value(field));
	} else if (bt_field_class_type_is(bt_field_get_class_type(field),
					  BT_FIELD_CLASS_TYPE_ARRAY)) {
		for (; length < bt_field_array_get_length(field) && length < 15; length++)
			name[length] = (char)number_of(
				bt_field_array_borrow_element_field_by_index_const(field, length));
		name[length] = '\0';
	}
}

static struct thread *thread_of(struct reading *reading, const bt_event *event, uint32_t *pid)
{
	const bt_field *context = bt_event_borrow_common_context_field_const(event);
	const bt_trace *trace = bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event));
	uint32_t tid;
	uint64_t key, place;
	struct thread *thread;
	char name[16];
	void *more;

	*pid = context_number(context, "vpid", environment_number(trace, "vpid"));
	tid = context_number(context, "vtid", 0);
	if (!tid || !*pid) {
		reading->no_thread_context = true;
		return NULL;
	}
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
	context_name(context, trace, name);
	thread->stream = session_writer_stream(reading->writer, *pid, tid, name);
	if (!thread->stream) {
		free(thread);
		reading->status = -ENOMEM;
		return NULL;
	}
	reading->threads[reading->thread_count++] = thread;
	return thread;
}

/* Calls above it in the thread were left by longjmp(), or their ends were discarded. */
static void call_ended(struct reading *reading, struct thread *thread,
		       const struct event_plan *plan, const bt_field *payload, uint64_t ns)
{
	uint32_t depth = thread->depth;
	uint8_t returned[8];
	int32_t result;
	size_t count;

	(void)reading;
	while (depth && thread->open[depth - 1].id != plan->event->id)
		depth--;
	if (!depth)
		return;
	thread->depth = depth - 1;
	count = event_plan_end(plan, payload, &result, returned);
	/* Recorded without arguments: there is no room for it. */
	if (count > thread->open[depth - 1].bytes)
		count = 0;
	session_stream_end(thread->stream, thread->open[depth - 1].place, result, ns, returned,
			   count);
}

static void handle_event(struct reading *reading, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const struct event_plan *plan =
		event_plans_get(&reading->plans, bt_event_borrow_class_const(event));
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	struct thread *thread;
	uint64_t ns, place;
	size_t count = 0;
	uint32_t pid;

	if (!plan || !plan->event) {
		reading->status = plan ? 0 : -ENOMEM;
		return;
	}
	thread = thread_of(reading, event, &pid);
	if (!thread)
		return;
	describe(reading, bt_event_borrow_stream_const(event));
	if (plan->levels)
		session_writer_levels(reading->writer, pid, plan->levels);
	ns = clock_ns(bt_message_event_borrow_default_clock_snapshot_const(message));
	reading->events++;
	if (plan->half == EVENT_EXIT) {
		call_ended(reading, thread, plan, payload, ns);
		return;
	}
	if (payload)
		count = event_plan_fill(plan, payload, reading->bytes, sizeof(reading->bytes));
	place = count == SIZE_MAX
			? SESSION_NOWHERE
			: session_stream_put(thread->stream, plan->event->id,
					     plan->half == EVENT_ENTRY, ns, reading->bytes, count);
	if (place == SESSION_NOWHERE)
		session_writer_lost(reading->writer, 1);
	else if (plan->half == EVENT_ENTRY && thread->depth < OPEN_CALLS)
		thread->open[thread->depth++] = (struct open_call){plan->event->id, place, count};
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
	for (uint64_t i = 0; i < count; i++) {
		if (!reading->status && bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT)
			handle_event(reading, messages[i]);
		else if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_DISCARDED_EVENTS)
			handle_discarded(reading, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return reading->status ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
			       : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* Whether the folder's trace says that it holds events of ours; the kernel's do not. */
static bool is_ours(const char *metadata)
{
	char *text = malloc(METADATA_SEARCHED);
	/* Without waiting, should it be a pipe by now. */
	int fd = text ? open(metadata, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	bool found = false;
	size_t count, kept = 0;

	while (file && !found &&
	       (count = fread(text + kept, 1, METADATA_SEARCHED - kept, file)) > 0) {
		count += kept;
		found = memmem(text, count, "tandem_", strlen("tandem_")) != NULL;
		kept = count < 16 ? count : 16;
		memmove(text, text + count - kept, kept);
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	free(text);
	return found;
}

static void find_traces(const char *path, bt_value *inputs, int depth)
{
	char inside[PATH_MAX];
	struct stat status;
	struct dirent *entry;
	DIR *folder;

	snprintf(inside, sizeof(inside), "%s/metadata", path);
	if (!lstat(inside, &status) && S_ISREG(status.st_mode)) {
		if (status.st_size <= METADATA_MOST && is_ours(inside))
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

/* All ports of the source into one muxer: a thread's events may be in any CPU's stream. */
static bool connect(bt_graph *graph, const bt_component_source *source,
		    const bt_component_filter *muxer, uint64_t *next)
{
	bool good = true;

	for (uint64_t i = 0; good && i < bt_component_source_get_output_port_count(source); i++)
		good = bt_graph_connect_ports(
			       graph,
			       bt_component_source_borrow_output_port_by_index_const(source, i),
			       bt_component_filter_borrow_input_port_by_index_const(muxer,
										    (*next)++),
			       NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
	return good;
}

static const bt_component_source *add_source(bt_graph *graph, const bt_plugin *ctf, bool live,
					     const char *input, unsigned number)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(ctf,
								      live ? "lttng-live" : "fs");
	const bt_component_source *source = NULL;
	bt_value *parameters = bt_value_map_create(), *inputs = NULL;
	char name[32];

	snprintf(name, sizeof(name), "trace %u", number);
	bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs);
	bt_value_array_append_string_element(inputs, input);
	if (live)
		bt_value_map_insert_string_entry(parameters, "session-not-found-action", "end");
	if (class)
		bt_graph_add_source_component(graph, class, name, parameters, BT_LOGGING_LEVEL_NONE,
					      &source);
	bt_value_put_ref(parameters);
	return source;
}

static bool build(bt_graph *graph, const bt_plugin *ctf, const bt_plugin *utils, bool live,
		  const bt_value *inputs, struct reading *reading)
{
	const bt_component_class_filter *class =
		bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer");
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	uint64_t next = 0;
	bool good = class && !bt_graph_add_filter_component(graph, class, "muxer", NULL,
							    BT_LOGGING_LEVEL_NONE, &muxer);

	for (uint64_t i = 0; good && i < bt_value_array_get_length(inputs); i++) {
		const bt_component_source *source =
			add_source(graph, ctf, live,
				   bt_value_string_get(
					   bt_value_array_borrow_element_by_index_const(inputs, i)),
				   (unsigned)i);

		good = source && connect(graph, source, muxer, &next);
	}
	return good &&
	       !bt_graph_add_simple_sink_component(graph, "session", NULL, on_messages, NULL,
						   reading, &sink) &&
	       !bt_graph_connect_ports(
		       graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		       bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL);
}

static bool run(struct reading *reading, bool live, const bt_value *inputs)
{
	const bt_plugin *ctf = NULL, *utils = NULL;
	bt_graph *graph = bt_graph_create(0);
	bt_graph_run_status status = BT_GRAPH_RUN_STATUS_ERROR;

	bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf);
	bt_plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &utils);
	if (ctf && utils && graph && build(graph, ctf, utils, live, inputs, reading)) {
		struct timespec pause = {.tv_nsec = 100000000};

		while ((status = bt_graph_run(graph)) == BT_GRAPH_RUN_STATUS_AGAIN)
			nanosleep(&pause, NULL);
	}
	bt_graph_put_ref(graph);
	bt_plugin_put_ref(ctf);
	bt_plugin_put_ref(utils);
	return status == BT_GRAPH_RUN_STATUS_OK;
}

static void explain(char *why, uint64_t why_bytes)
{
	const bt_error *error = bt_current_thread_take_error();
	const bt_error_cause *cause = error && bt_error_get_cause_count(error)
					      ? bt_error_borrow_cause_by_index(error, 0)
					      : NULL;

	snprintf(why, why_bytes, "%s",
		 cause ? bt_error_cause_get_message(cause) : "libbabeltrace2 can't read it");
	if (error)
		bt_error_release(error);
}

static void reading_free(struct reading *reading)
{
	for (size_t i = 0; i < reading->thread_count; i++)
		free(reading->threads[i]);
	free(reading->threads);
	map_free(&reading->thread_of);
	event_plans_free(&reading->plans);
	free(reading);
}

int tandem_lttng_read(const char *from, const char *to, bool whole, char *why, uint64_t why_bytes)
{
	bool live = strstr(from, "://") != NULL;
	bt_value *inputs = bt_value_array_create();
	struct reading *reading = calloc(1, sizeof(*reading));
	int status = 0, written;

	watch_begin(STUCK_S);
	if (reading)
		reading->writer = session_writer_create(to, whole);
	if (reading)
		reading->live = live && whole;
	if (!inputs || !reading || !reading->writer) {
		free(reading);
		bt_value_put_ref(inputs);
		return -ENOMEM;
	}
	if (live)
		bt_value_array_append_string_element(inputs, from);
	else
		find_traces(from, inputs, DEPTH);
	if (!bt_value_array_get_length(inputs)) {
		snprintf(why, why_bytes, "no trace in this folder has events of tandem");
		status = -ENODATA;
	} else if (!run(reading, live, inputs) && !reading->status) {
		explain(why, why_bytes);
		status = -EBADMSG;
	} else {
		status = reading->status;
	}
	if (!status && !reading->events) {
		snprintf(
			why, why_bytes, "%s",
			reading->no_thread_context
				? "its events do not say their threads (lttng add-context --userspace "
				  "--type vpid --type vtid --type procname)"
			: live ? "no events of tandem came from there: is the session live, and nobody "
				 "else attached (a relay lets one look at a time)?"
			       : "no events of tandem were recorded");
		status = -ENODATA;
	}
	written = session_writer_destroy(reading->writer);
	if (written && !status)
		snprintf(why, why_bytes, "%s: %s", to, strerror(-written));
	reading_free(reading);
	bt_value_put_ref(inputs);
	return status ? status : written;
}
