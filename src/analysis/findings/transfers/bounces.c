/* SPDX-License-Identifier: MIT */
#include "analysis/findings/transfers/bounces.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/transfer_ends.h"
#include "util/array.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 16u

/* A core changes no more bytes in a ns than this, and needs so long to begin. */
#define HOST_BYTES_A_NS 50u
#define HOST_BEGIN_NS 1000u

int bounces_begin(struct bounces *bounces, const struct trace_session *session)
{
	bounces->threads = calloc(session->stream_count + 1, sizeof(*bounces->threads));
	bounces->processes = calloc(session->process_count + 1, sizeof(*bounces->processes));
	return bounces->threads && bounces->processes ? 0 : -ENOMEM;
}

/* Which buffer a call moves is in its arguments; how, in its command's end. */
int bounces_call(struct bounces *bounces, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct bounce_thread *thread = &bounces->threads[event->stream->index];
	struct transfer_ends ends;

	if (thread->returned_ns && event->ns > thread->returned_ns)
		thread->host_ns += (uint64_t)(event->ns - thread->returned_ns);
	if (item->end_ns > thread->returned_ns)
		thread->returned_ns = item->end_ns;
	if (!trace_event_op(event) || trace_event_failed(event) ||
	    !transfer_ends_find(event, &ends))
		return 0;
	if (!bounces->calls.count)
		bounces->open_count = 0;
	if (array_reserve(&bounces->open, &bounces->open_capacity, bounces->open_count + 1,
			  sizeof(*bounces->open)))
		return -ENOMEM;
	bounces->open[bounces->open_count] = (struct bounce_transfer){
		.key = ends.buffer,
		.address = ends.host,
		.stream = event->stream->index,
		.host_ns = thread->host_ns,
	};
	return map_set(&bounces->calls, item->call, bounces->open_count++);
}

static bool is_bounce(const struct bounce_transfer *from, const struct bounce_transfer *back)
{
	return from->kind == TANDEM_OPERATION_KIND_copy_d2h &&
	       back->kind == TANDEM_OPERATION_KIND_copy_h2d && from->bytes == back->bytes &&
	       from->address == back->address && from->stream == back->stream;
}

static bool is_at_once(const struct bounce_transfer *from, const struct bounce_transfer *back)
{
	return back->host_ns - from->host_ns <= HOST_BEGIN_NS + back->bytes / HOST_BYTES_A_NS;
}

static void count_bounce(struct bounce *bounce, const struct operation *operation, uint64_t ns)
{
	if (!bounce->count++) {
		bounce->stream = operation->stream;
		bounce->api = operation->api;
		bounce->begin_ns = operation->times.start_ns;
		bounce->end_ns = operation->times.end_ns;
	}
	bounce->ns += ns;
}

int bounces_command(struct bounces *bounces, const struct operation *operation, uint64_t ns)
{
	uint64_t at = map_remove(&bounces->calls, operation->call), known;
	struct bounce_transfer now, *last;

	if (at == MAP_NONE || !operation->record || !operation->placed || !operation->record->bytes)
		return 0;
	now = bounces->open[at];
	now.kind = operation->kind;
	now.bytes = operation->record->bytes;
	now.ns = ns;
	known = map_get(&bounces->buffers, now.key);
	if (known == MAP_NONE) {
		if (array_reserve(&bounces->last, &bounces->last_capacity, bounces->last_count + 1,
				  sizeof(*bounces->last)))
			return -ENOMEM;
		bounces->last[bounces->last_count] = now;
		return map_set(&bounces->buffers, now.key, bounces->last_count++);
	}
	last = &bounces->last[known];
	if (is_bounce(last, &now)) {
		struct bounce *bounce = &bounces->processes[operation->process];

		count_bounce(bounce, operation, last->ns + now.ns);
		bounce->at_once += is_at_once(last, &now);
	}
	*last = now;
	return 0;
}

static int add_process(struct findings *findings, const struct bounce *bounce)
{
	struct finding *finding = findings_add(findings, "transfers", "back-and-forth");
	const struct tandem_event *api = trace_session_event(findings->session, bounce->api);
	char count[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = bounce->count;
	finding->cost_ns = bounce->ns;
	finding->object = api ? api->name : "";
	finding->what = findings_text(findings,
				      "the same bytes of a buffer went to the host and back "
				      "to the device (%s) %s times",
				      finding->object, units_count(count, bounce->count));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		findings_text(findings,
			      "in %s of them the thread had no time in between to change all "
			      "of the bytes; it may have changed some",
			      units_count(count, bounce->at_once));
	finding->suggestion = "keep the data on the device and change it there, with a kernel";
	finding_place(findings, finding, bounce->stream);
	finding_time(findings, finding, bounce->begin_ns, bounce->end_ns);
	return 0;
}

int bounces_add(const struct bounces *bounces, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < findings->session->process_count; i++) {
		const struct bounce *bounce = &bounces->processes[i];

		/* The rest lost its CPU in between, or the like. */
		if (bounce->count >= HABIT_COUNT && 2 * bounce->at_once >= bounce->count)
			status = add_process(findings, bounce);
	}
	return status;
}

void bounces_release(struct bounces *bounces)
{
	map_free(&bounces->calls);
	free(bounces->open);
	map_free(&bounces->buffers);
	free(bounces->last);
	free(bounces->threads);
	free(bounces->processes);
}
