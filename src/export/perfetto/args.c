/* SPDX-License-Identifier: MIT */
#include "export/perfetto/args.h"

#include <string.h>

#include "analysis/events/event_args.h"

struct args {
	struct perfetto_writer *writer;
	size_t array; /* where the annotation that holds the elements began */
};

static void add_value(void *user, const char *name, const struct event_arg *arg)
{
	struct args *args = user;
	struct perfetto_writer *writer = args->writer;
	struct text *packet = &writer->packet;
	size_t begun;

	if (arg->kind == EVENT_ARG_NONE)
		return;
	begun = name ? perfetto_annotation(writer, name)
		     : proto_begin(packet, PERFETTO_ANNOTATION_ARRAY);
	switch (arg->kind) {
	case EVENT_ARG_NONE:
		break;
	case EVENT_ARG_UNSIGNED:
		proto_number(packet, PERFETTO_ANNOTATION_UINT, arg->number);
		break;
	case EVENT_ARG_SIGNED:
		proto_number(packet, PERFETTO_ANNOTATION_INT, (uint64_t)arg->signed_number);
		break;
	case EVENT_ARG_FLOAT:
		proto_double(packet, PERFETTO_ANNOTATION_DOUBLE, arg->real);
		break;
	case EVENT_ARG_HEX:
		proto_number(packet, PERFETTO_ANNOTATION_POINTER, arg->number);
		break;
	case EVENT_ARG_WORD:
		proto_number(
			packet, PERFETTO_ANNOTATION_WORD,
			perfetto_intern(writer, PERFETTO_ANNOTATION_WORDS, arg->text, arg->length));
		break;
	case EVENT_ARG_TEXT:
		proto_string(packet, PERFETTO_ANNOTATION_STRING, arg->text, arg->length);
		break;
	}
	proto_end(packet, begun);
}

static void begin_array(void *user, const char *name)
{
	struct args *args = user;

	args->array = perfetto_annotation(args->writer, name);
}

static void end_array(void *user)
{
	struct args *args = user;

	proto_end(&args->writer->packet, args->array);
}

void perfetto_args(struct perfetto_writer *writer, struct event_iterator *iterator,
		   const struct trace_event *event)
{
	static const struct event_args_sink sink = {
		.value = add_value,
		.begin_array = begin_array,
		.end_array = end_array,
	};
	struct args args = {.writer = writer};

	event_args_visit(&sink, &args, &iterator->devices.objects, iterator->session, event);
}
