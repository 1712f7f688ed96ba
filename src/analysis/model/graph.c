/* SPDX-License-Identifier: MIT */
#include "analysis/model/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/keyed_row.h"

const char *graph_part_kind_name(enum graph_part_kind kind)
{
	static const char *const names[] = {"before", "host",	   "call",   "launch",
					    "behind", "execution", "return", "after"};

	return names[kind];
}

const char *graph_part_kind_words(enum graph_part_kind kind)
{
	static const char *const words[] = {
#define X(name, text) text,
		GRAPH_KINDS(X)
#undef X
	};

	return words[kind];
}

int graph_open(struct graph *graph, struct event_iterator *iterator, const struct waits *waits)
{
	const struct trace_session *session = iterator->session;

	memset(graph, 0, sizeof(*graph));
	graph->iterator = iterator;
	graph->waits = waits;
	graph->device_count = iterator->devices.count;
	graph->threads = calloc(session->stream_count + 1, sizeof(*graph->threads));
	graph->devices = calloc(graph->device_count + 1, sizeof(*graph->devices));
	graph->processes = calloc(session->process_count + 1, sizeof(*graph->processes));
	graph->faults = calloc(session->process_count + 1, sizeof(*graph->faults));
	graph->callbacks = calloc(session->process_count + 1, sizeof(*graph->callbacks));
	graph->latest = calloc(session->process_count + 1, sizeof(*graph->latest));
	if (!graph->threads || !graph->devices || !graph->processes || !graph->callbacks ||
	    !graph->faults || !graph->latest) {
		graph_close(graph);
		return -ENOMEM;
	}
	for (size_t i = 0; i < graph->device_count; i++) {
		double part = devices_taken_part(&iterator->devices.rows[i]);

		graph->devices[i].launch_ns = INT64_MAX;
		graph->devices[i].taken_part = part;
		graph->devices[i].cores = iterator->devices.rows[i].compute_units;
		graph->cpu_devices |= part > 0;
	}
	return 0;
}

static int remove_bits(struct graph *graph, uint64_t call, uint32_t bits)
{
	uint64_t known = map_get(&graph->removed, call);

	return map_set(&graph->removed, call, (known == MAP_NONE ? 0 : known) | bits);
}

int graph_item(struct graph *graph, const struct event_item *item)
{
	const struct operation *operation = &item->operation;

	if (item->event && item->event->stream &&
	    graph_recording_item(&graph->threads[item->event->stream->index].recorded, item))
		return -ENOMEM;
	if (item->kind == ITEM_OTHER && item->event)
		return launch_configs_learn(&graph->rooms.configs, item->event);
	if (item->kind != ITEM_OPERATION || !operation->placed ||
	    operation->device >= graph->device_count ||
	    graph->devices[operation->device].taken_part > 0)
		return 0;
	return rooms_keep(&graph->rooms, operation,
			  room_taken(&graph->rooms.configs, &graph->iterator->devices, operation));
}

int graph_remove(struct graph *graph, uint64_t call, enum graph_cause cause)
{
	return remove_bits(graph, call, 1u << cause);
}

int graph_remove_since(struct graph *graph, uint64_t call, enum graph_cause cause)
{
	return remove_bits(graph, call, GRAPH_SINCE | 1u << cause);
}

int graph_remove_wait(struct graph *graph, uint64_t call, enum graph_cause cause)
{
	_Static_assert(GRAPH_CAUSE_COUNT <= GRAPH_KEEPS && 2 * GRAPH_KEEPS - 1 <= 31, "bits");
	return remove_bits(graph, call, 1u << cause | 1u << (GRAPH_KEEPS + cause));
}

int graph_faults(struct graph *graph, uint32_t process, uint32_t stream, int64_t from_ns,
		 int64_t to_ns, bool own)
{
	if (own && stream != TRACE_NONE &&
	    recent_add(&graph->threads[stream].own_faults, from_ns, to_ns))
		return -ENOMEM;
	return recent_add(stream == TRACE_NONE ? &graph->faults[process]
					       : &graph->threads[stream].faults,
			  from_ns, to_ns);
}

static int part_find(struct graph *graph, enum graph_part_kind kind, const char *name,
		     uint32_t *part)
{
	uint64_t key = ((uint64_t)(uintptr_t)name << 4) | kind;
	struct graph_latest_part *latest =
		&graph->latest_parts[((uintptr_t)name >> 4 ^ kind) % GRAPH_LATEST_PARTS];
	const struct graph_part fresh = {.kind = kind, .name = name};
	const struct graph_part *row;

	if (latest->key != key) {
		row = keyed_row(&graph->part_of, key, &graph->parts, &graph->part_capacity,
				&graph->part_count, &fresh, sizeof(fresh));
		if (!row)
			return -ENOMEM;
		*latest = (struct graph_latest_part){key, (uint32_t)(row - graph->parts)};
	}
	*part = latest->part;
	return 0;
}

void graph_follow(struct graph *graph, trail_emit *emit, void *user)
{
	graph->keeps = GRAPH_PATH_PIECES;
	trail_open(&graph->trail, trace_session_duration_ns(graph->iterator->session), emit, user);
}

void graph_replay_only(struct graph *graph)
{
	graph->keeps = GRAPH_PATH_NONE;
}

static int follow(struct graph *graph, struct graph_point *point, int64_t ns,
		  enum graph_part_kind kind, const char *name)
{
	const struct trail_piece piece = {
		.begin_ns = point->ns,
		.end_ns = ns,
		.name = name,
		.stream = graph->stream,
		.kind = (uint8_t)kind,
	};

	return trail_extend(&graph->trail, &point->path, &piece);
}

static void path_let_go(struct graph *graph, uint32_t path)
{
	if (graph->keeps == GRAPH_PATH_PIECES)
		trail_drop(&graph->trail, path);
	else if (graph->keeps == GRAPH_PATH_SUMS)
		path_drop(&graph->paths, path);
}

int graph_point_extend(struct graph *graph, struct graph_point *point, int64_t ns,
		       enum graph_part_kind kind, const char *name)
{
	uint32_t part;
	int status = 0;

	if (ns <= point->ns)
		return 0;
	if (graph->keeps == GRAPH_PATH_PIECES) {
		status = follow(graph, point, ns, kind, name);
	} else if (graph->keeps == GRAPH_PATH_SUMS) {
		status = part_find(graph, kind, name, &part);
		if (!status)
			status = path_extend(&graph->paths, &point->path, part,
					     (uint64_t)(ns - point->ns));
	}
	point->ns = ns;
	return status;
}

void graph_point_set(struct graph *graph, struct graph_point *to, const struct graph_point *from)
{
	uint32_t path = from->path;

	if (graph->keeps == GRAPH_PATH_PIECES)
		trail_hold(&graph->trail, path);
	else if (graph->keeps == GRAPH_PATH_SUMS)
		path_hold(&graph->paths, path);
	path_let_go(graph, to->path);
	*to = *from;
	to->path = path;
}

void graph_point_drop(struct graph *graph, struct graph_point *point)
{
	path_let_go(graph, point->path);
	point->path = 0;
	point->known = false;
}

int64_t graph_switching_ns(const struct graph *graph, int64_t from_ns, int64_t to_ns)
{
	return graph->waits ? graph_switches_within(&graph->switches,
						    states_record_ns(&graph->waits->states),
						    from_ns, to_ns)
			    : 0;
}

void graph_point_earlier(struct graph_point *point, int64_t ns)
{
	for (unsigned i = 0; ns && i < GRAPH_CAUSE_COUNT; i++)
		point->saved[i] += i == GRAPH_NONE ? 0 : ns;
}

/* The same name can have come from several places. */
static void parts_merge(struct graph *graph, const struct path_sum *sums)
{
	size_t kept = 0;

	for (size_t i = 0; i < graph->part_count; i++) {
		struct graph_part part = graph->parts[i];
		size_t at = 0;

		part.ns = sums[i].ns;
		part.count = sums[i].count;
		graph->length_ns += part.ns;
		while (at < kept && (graph->parts[at].kind != part.kind ||
				     strcmp(graph->parts[at].name, part.name) != 0))
			at++;
		if (!part.ns)
			continue;
		if (at == kept) {
			graph->parts[kept++] = part;
			continue;
		}
		graph->parts[at].ns += part.ns;
		graph->parts[at].count += part.count;
	}
	graph->part_count = kept;
}

static int by_ns(const void *a, const void *b)
{
	const struct graph_part *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? 1 : -1;
	return strcmp(left->name, right->name);
}

/* Its command, if that has not started. */
static void returned_command_remove(struct graph *graph, const struct graph_frame *frame,
				    uint32_t removed)
{
	uint64_t known = frame->command ? map_get(&graph->command_of, frame->command) : MAP_NONE;

	if (known != MAP_NONE && !graph->commands[known].started.known)
		graph->commands[known].removed |= removed & ~(removed >> GRAPH_KEEPS);
}

void graph_returned_remove(struct graph *graph, struct graph_thread *thread)
{
	const struct graph_frame *frame = thread->returned;
	uint64_t removed =
		graph->removed.count && frame ? map_remove(&graph->removed, frame->call) : MAP_NONE;

	if (removed != MAP_NONE)
		returned_command_remove(graph, frame, (uint32_t)removed);

	for (unsigned i = 0; removed != MAP_NONE && i < GRAPH_CAUSE_COUNT; i++) {
		if (removed & UINT64_C(1) << i)
			thread->at.saved[i] = thread->at.ns - (frame->begin.ns - frame->gap_ns -
							       frame->begin.saved[i]);
	}
	thread->returned = NULL;
}

/* Whatever a device or a thread still has to do: when the last of it is over, as recorded
 * (GRAPH_CAUSE_COUNT) or without a cause. */
static int64_t end_without(const struct graph *graph, unsigned cause)
{
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < graph->device_count; i++) {
		const struct graph_point *point = &graph->devices[i].end;

		if (point->known)
			end = graph_later(
				end,
				point->ns - (cause < GRAPH_CAUSE_COUNT ? point->saved[cause] : 0));
	}
	for (size_t i = 0; i < graph->iterator->session->stream_count; i++) {
		const struct graph_point *point = &graph->threads[i].at;

		if (point->known)
			end = graph_later(
				end,
				point->ns - (cause < GRAPH_CAUSE_COUNT ? point->saved[cause] : 0));
	}
	return end;
}

/* Against the replay of the unchanged run, of the others without recording: what that one misses
 * is in both. */
static void saved_finish(struct graph *graph)
{
	int64_t recorded = end_without(graph, GRAPH_CAUSE_COUNT);
	int64_t unchanged = end_without(graph, GRAPH_NONE);
	int64_t without = end_without(graph, GRAPH_RECORDING);

	graph->error_ns =
		(uint64_t)(recorded > unchanged ? recorded - unchanged : unchanged - recorded);
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t end = end_without(graph, i);
		int64_t from = i == GRAPH_RECORDING ? unchanged : without;

		graph->saved_ns[i] = i && from > end ? (uint64_t)(from - end) : 0;
	}
}

int graph_finish(struct graph *graph)
{
	const struct trace_session *session = graph->iterator->session;
	struct graph_point *last = NULL;
	struct path_sum *sums;
	int status = 0;

	graph->duration_ns = trace_session_duration_ns(graph->iterator->session);
	for (size_t i = 0; i < session->stream_count; i++) {
		struct graph_point *at = &graph->threads[i].at;

		if (at->known && (!last || at->ns > last->ns))
			last = at;
	}
	if (!last)
		return 0;
	for (size_t i = 0; i < session->stream_count; i++) {
		if (graph->threads[i].at.known)
			graph_returned_remove(graph, &graph->threads[i]);
	}
	saved_finish(graph);
	if (graph->keeps == GRAPH_PATH_NONE)
		return 0;
	status = graph_point_extend(graph, last, session->start_ns + (int64_t)graph->duration_ns,
				    GRAPH_PART_AFTER, "");
	if (graph->keeps == GRAPH_PATH_PIECES)
		return status ? status : trail_finish(&graph->trail, last->path);
	sums = status ? NULL : calloc(graph->part_count + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	path_sums(&graph->paths, last->path, sums, graph->part_count);
	parts_merge(graph, sums);
	qsort(graph->parts, graph->part_count, sizeof(*graph->parts), by_ns);
	free(sums);
	return 0;
}

void graph_close(struct graph *graph)
{
	paths_free(&graph->paths);
	trail_close(&graph->trail);
	free(graph->parts);
	map_free(&graph->part_of);
	for (size_t i = 0; graph->threads && i < graph->iterator->session->stream_count; i++) {
		recent_free(&graph->threads[i].slept);
		recent_free(&graph->threads[i].faults);
		recent_free(&graph->threads[i].own_faults);
		graph_recorded_free(&graph->threads[i].recorded);
	}
	for (size_t i = 0; graph->faults && i < graph->iterator->session->process_count; i++)
		recent_free(&graph->faults[i]);
	free(graph->faults);
	free(graph->threads);
	free(graph->commands);
	map_free(&graph->command_of);
	free(graph->queues);
	map_free(&graph->queue_of);
	free(graph->devices);
	free(graph->processes);
	free(graph->callbacks);
	free(graph->latest);
	map_free(&graph->removed);
	map_free(&graph->used);
	rooms_free(&graph->rooms);
	graph_switches_free(&graph->switches);
	free(graph->wakes);
	memset(graph, 0, sizeof(*graph));
}
