/* SPDX-License-Identifier: MIT */
#include "view/rows/tasks/task_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analysis/events/event_args.h"
#include "trace/field.h"

struct visit { /* of a record's fields */
	struct text *out;
	struct text list; /* of an argument: its fields in one line */
	bool in_list, array;
	unsigned axes; /* of a size that is being put together */
};

static void add_value(struct text *out, const struct event_arg *arg)
{
	switch (arg->kind) {
	case EVENT_ARG_NONE:
		text_add_string(out, "unknown");
		break;
	case EVENT_ARG_UNSIGNED:
		text_format(out, "%" PRIu64, arg->number);
		break;
	case EVENT_ARG_SIGNED:
		text_format(out, "%" PRId64, arg->signed_number);
		break;
	case EVENT_ARG_FLOAT:
		text_format(out, "%g", arg->real);
		break;
	case EVENT_ARG_HEX:
		text_format(out, "0x%" PRIx64, arg->number);
		break;
	case EVENT_ARG_WORD:
	case EVENT_ARG_TEXT:
		/* A line of the facts is one value. */
		for (size_t i = 0; i < arg->length; i++)
			text_add_char(out, arg->text[i] == '\n' ? ' ' : arg->text[i]);
		break;
	}
}

/* "global_y" is the axis 2 of a size that has more than one number; 0: it is none. */
static unsigned axis_of(const char *name)
{
	size_t length = strlen(name);

	if (length < 3 || name[length - 2] != '_' || name[length - 1] < 'x' ||
	    name[length - 1] > 'z')
		return 0;
	return (unsigned)(name[length - 1] - 'x') + 1;
}

static void add_fact(void *visit_of, const char *name, const struct event_arg *arg)
{
	struct visit *visit = visit_of;
	unsigned axis = name ? axis_of(name) : 0;
	bool nothing =
		(arg->kind == EVENT_ARG_UNSIGNED || arg->kind == EVENT_ARG_HEX) && !arg->number;

	if (visit->array) {
		text_add_string(&visit->list, " ");
		add_value(&visit->list, arg);
		return;
	}
	/* What says which node it is about, and numbers that only tell such records apart. */
	if (!name || !strcmp(name, "node") || !strcmp(name, "construct") || !strcmp(name, "uid"))
		return;
	if (visit->in_list && !strcmp(name, "index"))
		return;
	if (visit->in_list) {
		text_format(&visit->list, "%s%s ", visit->list.length ? ", " : "", name);
		add_value(&visit->list, arg);
		return;
	}
	if (axis > 1) {
		if (visit->axes != axis - 1)
			return;
		/* Behind the number before. */
		visit->out->length--;
		text_add_string(visit->out, " x ");
	} else if (nothing) {
		visit->axes = 0;
		return;
	} else {
		text_format(visit->out, "%.*s\t", (int)(strlen(name) - (axis ? 2 : 0)), name);
	}
	visit->axes = axis;
	add_value(visit->out, arg);
	text_add_char(visit->out, '\n');
}

static void begin_array(void *visit_of, const char *name)
{
	struct visit *visit = visit_of;

	text_format(&visit->list, "%s%s", visit->list.length ? ", " : "", name);
	visit->array = true;
}

static void end_array(void *visit_of)
{
	struct visit *visit = visit_of;

	visit->array = false;
}

/* What was collected of a node becomes its string; of one that had some already, both. */
int task_facts_flush(struct task_facts *facts)
{
	struct index_writer *writer = facts->writer;
	struct view_task_node *node;
	struct text all = TEXT_INIT;
	int status = 0;

	if (facts->node == VIEW_NONE || !facts->text.length)
		return 0;
	node = &writer->task_nodes[facts->node];
	if (node->facts)
		text_add_string(&all, intern_text(&writer->names, node->facts));
	text_add(&all, facts->text.data, facts->text.length);
	if (all.failed || facts->text.failed)
		status = -ENOMEM;
	else
		status = intern_add(&writer->names, all.data, all.length, &node->facts);
	text_free(&all);
	text_clear(&facts->text);
	return status;
}

int task_facts_add(struct task_facts *facts, struct event_iterator *iterator, uint32_t node,
		   const struct trace_event *event)
{
	static const struct event_args_sink sink = {add_fact, begin_array, end_array};
	const struct tandem_field *index = trace_field_find(event->layout, "index");
	struct visit visit = {.out = &facts->text, .in_list = index != NULL};
	int status = node == facts->node ? 0 : task_facts_flush(facts);

	if (status)
		return status;
	facts->node = node;
	event_args_visit(&sink, &visit, &iterator->devices.objects, iterator->session, event);
	if (index && visit.list.data)
		text_format(&facts->text, "%s %" PRIu64 "\t%s\n", event->layout->event->name,
			    trace_field_unsigned(event, index), visit.list.data);
	text_free(&visit.list);
	return facts->text.failed ? -ENOMEM : 0;
}
