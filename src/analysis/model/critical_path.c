/* SPDX-License-Identifier: MIT */
#include "analysis/model/critical_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/pass.h"
#include "analysis/model/graph_event.h"

struct maker {
	struct critical_path *path;
	struct graph graph;
	struct event_sequence sequence;
	bool opened, sequenced;
	int failed;
};

static int take_event(void *context, const struct sequence_event *event)
{
	return graph_event(&((struct maker *)context)->graph, event);
}

static void take_interval(void *user, const struct wait_thread *thread,
			  const struct states_interval *interval)
{
	struct maker *maker = user;

	if (!maker->failed)
		maker->failed = graph_interval(&maker->graph, thread, interval);
}

static int begin(void *user, struct pass *pass)
{
	struct maker *maker = user;
	int status = graph_open(&maker->graph, &pass->iterator, &pass->waits);

	maker->opened = !status;
	pass->waits.emit = take_interval;
	pass->waits.user = maker;
	if (!status)
		status = event_sequence_open(&maker->sequence, &pass->iterator, take_event, maker);
	maker->sequence.unwanted = 1u << SEQUENCE_QUEUED;
	maker->sequenced = !status;
	return status;
}

static int take_item(void *user, const struct event_item *item)
{
	struct maker *maker = user;

	return item->system ? maker->failed : event_sequence_item(&maker->sequence, item);
}

static int keep_rows(struct critical_path *path, const struct graph *graph)
{
	path->rows = calloc(graph->part_count + 1, sizeof(*path->rows));
	if (!path->rows)
		return -ENOMEM;
	for (size_t i = 0; i < graph->part_count; i++) {
		const struct graph_part *part = &graph->parts[i];
		const char *name = arena_copy(&path->arena, part->name, strlen(part->name));

		if (!name)
			return -ENOMEM;
		path->rows[path->count++] = (struct critical_row){
			.kind = graph_part_kind_name(part->kind),
			.words = graph_part_kind_words(part->kind),
			.name = name,
			.ns = part->ns,
			.count = part->count,
			.percent = graph->duration_ns
					   ? 100.0 * (double)part->ns / (double)graph->duration_ns
					   : 0,
		};
	}
	path->duration_ns = graph->duration_ns;
	path->length_ns = graph->length_ns;
	path->any_command = graph->any_command;
	return 0;
}

static int end(void *user, struct pass *pass)
{
	struct maker *maker = user;
	int status = event_sequence_finish(&maker->sequence);

	(void)pass;
	if (!status)
		status = graph_finish(&maker->graph);
	return status ? status : keep_rows(maker->path, &maker->graph);
}

static void maker_free(void *user)
{
	struct maker *maker = user;

	if (maker->sequenced)
		event_sequence_close(&maker->sequence);
	if (maker->opened)
		graph_close(&maker->graph);
	free(maker);
}

int critical_path_make(struct critical_path *path, struct trace_session *session,
		       const struct progress *progress, struct error *error)
{
	static const struct pass_consumer consumer = {
		.begin = begin,
		.item = take_item,
		.end = end,
		.free = maker_free,
	};
	struct maker *maker = calloc(1, sizeof(*maker));
	struct pass pass;
	int status;

	memset(path, 0, sizeof(*path));
	if (!maker)
		return error_add(error, -ENOMEM, "%s", strerror(ENOMEM));
	maker->path = path;
	pass_init(&pass, session, progress);
	pass.flags |= EVENT_PLACED;
	pass.with_waits = true;
	pass_join(&pass, &consumer, maker);
	status = pass_run_alone(&pass, 0, error);
	if (status)
		critical_path_free(path);
	return status;
}

void critical_path_free(struct critical_path *path)
{
	free(path->rows);
	arena_free(&path->arena);
	memset(path, 0, sizeof(*path));
}
