/* SPDX-License-Identifier: MIT */
#include "analysis/tasks/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/field.h"
#include "util/array.h"
#include "util/demangle.h"

int tasks_init(struct tasks *tasks, const struct trace_session *session)
{
	memset(tasks, 0, sizeof(*tasks));
	tasks->session = session;
	tasks->processes = calloc(session->process_count + 1, sizeof(*tasks->processes));
	tasks->open = calloc(session->stream_count + 1, sizeof(*tasks->open));
	return tasks->processes && tasks->open ? 0 : -ENOMEM;
}

static uint64_t number_of(const struct trace_event *event, const char *field)
{
	const struct tandem_field *found = trace_field_find(event->layout, field);

	return found && !found->variable ? trace_field_unsigned(event, found) : 0;
}

static const char *text_of(struct tasks *tasks, const struct trace_event *event, const char *field)
{
	const struct tandem_field *found = trace_field_find(event->layout, field);
	const uint8_t *text;
	size_t count = 0;

	if (!found || !found->variable)
		return "";
	text = trace_field_elements(event, found, &count);
	return arena_copy(&tasks->arena, (const char *)text, count);
}

/* Kernels are named by a type, as the linker knows it or as the runtime has demangled it. */
static const char *kernel_name(struct tasks *tasks, const char *name)
{
	char *words = name ? demangle(name) : NULL;

	if (!words)
		return name ? demangled_type(name) : NULL;
	name = arena_copy(&tasks->arena, words, strlen(words));
	free(words);
	return name;
}

static const char *place_of(struct tasks *tasks, const struct task_construct *construct)
{
	const char *base = strrchr(construct->file, '/');
	char *place;
	size_t bytes;

	base = base ? base + 1 : construct->file;
	if (!*base || !construct->line)
		return construct->function;
	bytes = strlen(base) + 16;
	place = arena_alloc(&tasks->arena, bytes);
	if (place)
		snprintf(place, bytes, "%s:%u", base, construct->line);
	return place;
}

static int add_construct(struct tasks *tasks, const struct trace_event *event)
{
	uint32_t process = event->stream->process->index;
	uint32_t number = (uint32_t)number_of(event, "construct");
	uint64_t key = (uint64_t)process << 32 | number;
	struct task_construct *made;
	uint64_t kind = number_of(event, "kind");

	if (map_get(&tasks->construct_of, key) != MAP_NONE)
		return 0;
	made = arena_alloc(&tasks->arena, sizeof(*made));
	if (!made || array_reserve(&tasks->constructs, &tasks->capacity, tasks->count + 1,
				   sizeof(*tasks->constructs)))
		return -ENOMEM;
	*made = (struct task_construct){
		.process = process,
		.number = number,
		.domain = trace_session_event_domain(tasks->session, event->layout->event)->number,
		.kind = kind < TASK_KINDS ? (enum task_kind)kind : TASK_OTHER,
		.line = (uint32_t)number_of(event, "line"),
		.column = (uint32_t)number_of(event, "column"),
		.name = kernel_name(tasks, text_of(tasks, event, "name")),
		.function = text_of(tasks, event, "function"),
		.file = text_of(tasks, event, "file"),
		.device = text_of(tasks, event, "device"),
	};
	if (!made->name || !made->function || !made->file || !made->device)
		return -ENOMEM;
	made->place = place_of(tasks, made);
	if (!made->place || map_set(&tasks->construct_of, key, tasks->count))
		return -ENOMEM;
	tasks->constructs[tasks->count++] = made;
	return 0;
}

/* A trace that is damaged can name any node: what is far beyond the others is left out. */
#define NODE_STEP_MOST (1u << 24)

static int add_node(struct tasks *tasks, const struct trace_event *event)
{
	struct task_process *process = &tasks->processes[event->stream->process->index];
	size_t node = (size_t)number_of(event, "node"), count = process->count;

	if (node >= count) {
		uint32_t *grown;

		if (node - count > NODE_STEP_MOST)
			return 0;
		count = node + node / 2 + 64;
		grown = realloc(process->constructs, count * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + process->count, 0, (count - process->count) * sizeof(*grown));
		process->constructs = grown;
		process->count = count;
	}
	process->constructs[node] = (uint32_t)number_of(event, "construct");
	return 0;
}

uint32_t tasks_submitted_node(const struct trace_event *event)
{
	const struct tandem_field *node = trace_field_role(event->layout, TANDEM_ROLE_task);

	return node && !node->variable ? (uint32_t)trace_field_unsigned(event, node) : 0;
}

int tasks_add(struct tasks *tasks, const struct trace_event *event)
{
	struct task_open *open = &tasks->open[event->stream->index];
	uint32_t node;

	switch (event->layout->event->traits.record) {
	case TANDEM_RECORD_task_construct:
		return add_construct(tasks, event);
	case TANDEM_RECORD_task_node:
		return add_node(tasks, event);
	default:
		break;
	}
	node = event->layout->class == TANDEM_CLASS_TASK ? tasks_submitted_node(event) : 0;
	if (!node)
		return 0;
	/* One that never ended lasts until the thread's next. */
	*open = (struct task_open){node, event->end_ticks ? event->end_ns : INT64_MAX};
	tasks->submitted++;
	return 0;
}

const struct task_construct *tasks_construct(const struct tasks *tasks, uint32_t process,
					     uint32_t node)
{
	const struct task_process *known = &tasks->processes[process];
	uint64_t index;

	if (!node || node >= known->count)
		return NULL;
	index = map_get(&tasks->construct_of, (uint64_t)process << 32 | known->constructs[node]);
	return index == MAP_NONE ? NULL : tasks->constructs[index];
}

bool tasks_edge(const struct trace_event *event, struct task_edge *edge)
{
	uint64_t access;

	if (event->layout->event->traits.record != TANDEM_RECORD_task_edge)
		return false;
	access = number_of(event, "access");
	*edge = (struct task_edge){
		.process = event->stream->process->index,
		.from = (uint32_t)number_of(event, "from"),
		.to = (uint32_t)number_of(event, "to"),
		.access = access < TASK_ACCESSES ? (enum task_access)access : TASK_EVENT,
		.buffer = (uint32_t)number_of(event, "buffer"),
		.through = (uint32_t)number_of(event, "through"),
		.op = number_of(event, "op"),
	};
	if (edge->op == UINT64_MAX)
		edge->op = 0;
	return true;
}

const char *task_access_name(enum task_access access)
{
	static const char *const words[] = {
		[TASK_EVENT] = "event",		  [TASK_READ] = "read",
		[TASK_WRITE] = "write",		  [TASK_READ_WRITE] = "read_write",
		[TASK_DISCARD] = "discard_write",
	};

	return words[access];
}

const char *task_kind_name(enum task_kind kind)
{
	static const char *const words[] = {
		[TASK_OTHER] = "other",		  [TASK_KERNEL] = "kernel",
		[TASK_HOST] = "host_task",	  [TASK_TRANSFER] = "transfer",
		[TASK_ALLOCATION] = "allocation", [TASK_RELEASE] = "release",
		[TASK_EXTERNAL] = "external",
	};

	return words[kind];
}

void tasks_free(struct tasks *tasks)
{
	for (size_t i = 0; tasks->processes && i < tasks->session->process_count; i++)
		free(tasks->processes[i].constructs);
	free(tasks->processes);
	free(tasks->open);
	free(tasks->constructs);
	map_free(&tasks->construct_of);
	arena_free(&tasks->arena);
	memset(tasks, 0, sizeof(*tasks));
}
