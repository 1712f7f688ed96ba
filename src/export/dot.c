/* SPDX-License-Identifier: MIT */
/* Task graphs for Graphviz: a cluster for each process, a node for each that was made, with
 * its place and how long the device had it, and the edges. Written as it comes by: what is
 * said of a node later is added to it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "export/export.h"
#include "trace/field.h"
#include "util/units.h"

struct dot {
	struct text line;
	uint64_t nodes;
};

static void add_quoted(struct text *line, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			text_add_char(line, '\\');
		text_add_char(line, (unsigned char)*text < ' ' ? ' ' : *text);
	}
}

static void add_name(struct export *export, struct text *line, uint32_t process, uint32_t node)
{
	text_format(line, "p%" PRIu64 "n%" PRIu32, export_process(export, process), node);
}

static int dot_begin(struct export *export)
{
	struct dot *state = export->state;

	text_add_string(&state->line, "digraph tasks {\n\tnode [shape=box, style=filled, "
				      "fontname=\"sans-serif\"];\n");
	output_text(&export->output, &state->line);
	return 0;
}

static void add_node(struct export *export, const struct trace_event *event)
{
	static const char *const colours[] = {
		[TASK_OTHER] = "white",	      [TASK_KERNEL] = "lightblue",
		[TASK_HOST] = "khaki",	      [TASK_TRANSFER] = "lightgreen",
		[TASK_ALLOCATION] = "grey90", [TASK_RELEASE] = "grey90",
	};
	const struct tandem_field *field = trace_field_find(event->layout, "node");
	uint32_t process = event->stream->process->index;
	uint32_t node = field ? (uint32_t)trace_field_unsigned(event, field) : 0;
	const struct task_construct *construct =
		tasks_construct(&export->iterator->tasks, process, node);
	struct dot *state = export->state;

	/* Those stand for events, and edges mostly come from whose these are. */
	if (construct && construct->kind == TASK_EXTERNAL)
		return;
	text_add_char(&state->line, '\t');
	add_name(export, &state->line, process, node);
	text_format(&state->line, " [label=\"%" PRIu32, node);
	if (construct) {
		text_add_char(&state->line, ' ');
		add_quoted(&state->line, construct->name);
		text_add_string(&state->line, "\\n");
		add_quoted(&state->line, construct->place);
	}
	text_format(&state->line, "\", fillcolor=\"%s\"];\n",
		    colours[construct ? construct->kind : TASK_OTHER]);
	state->nodes++;
}

static void add_edge(struct export *export, const struct task_edge *edge)
{
	struct dot *state = export->state;

	text_add_char(&state->line, '\t');
	add_name(export, &state->line, edge->process, edge->from);
	text_add_string(&state->line, " -> ");
	add_name(export, &state->line, edge->process, edge->to);
	text_format(&state->line, " [label=\"%s", task_access_name(edge->access));
	if (edge->buffer)
		text_format(&state->line, " %" PRIu32, edge->buffer);
	text_add_string(&state->line, "\"];\n");
}

/* A graph without its edges is none: a session without nodes has no graph. */
static int dot_any(struct export *export, const struct event_item *item)
{
	struct dot *state = export->state;
	struct task_edge edge;

	if (!item->event || item->system || !export_holds(export, item->event->ns))
		return 0;
	if (item->event->layout->event->traits.record == TANDEM_RECORD_task_node)
		add_node(export, item->event);
	else if (event_iterator_edge(export->iterator, item->event, &edge) && edge.from && edge.to)
		add_edge(export, &edge);
	else
		return 0;
	output_text(&export->output, &state->line);
	return 0;
}

static int dot_operation(struct export *export, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct dot *state = export->state;
	char buffer[UNITS_BYTES];

	if (!operation->node || !operation->timed)
		return 0;
	text_add_char(&state->line, '\t');
	add_name(export, &state->line, operation->process, operation->node);
	text_format(&state->line, " [xlabel=\"%s\"];\n",
		    units_ns(buffer, (double)(operation->record->end - operation->record->start)));
	output_text(&export->output, &state->line);
	return 0;
}

static int dot_session_end(struct export *export)
{
	struct dot *state = export->state;

	if (!state->nodes)
		return error_add(export->error, -ENODATA, "%s: has no task graph",
				 export->iterator->session->path);
	return 0;
}

static int dot_end(struct export *export)
{
	struct dot *state = export->state;

	text_add_string(&state->line, "}\n");
	output_text(&export->output, &state->line);
	return 0;
}

static void dot_release(struct export *export)
{
	struct dot *state = export->state;

	text_free(&state->line);
}

const struct export_ops export_dot = {
	.name = "dot",
	.words = "task graphs for Graphviz",
	.suffix = ".dot",
	.state_bytes = sizeof(struct dot),
	.begin = dot_begin,
	.operation = dot_operation,
	.any = dot_any,
	.session_end = dot_session_end,
	.end = dot_end,
	.release = dot_release,
};
