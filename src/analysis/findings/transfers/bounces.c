/* SPDX-License-Identifier: MIT */
#include "analysis/findings/transfers/bounces.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/content_words.h"
#include "analysis/operations/transfer_ends.h"
#include "util/array.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 16u

/* A core changes no more bytes in a ns than this, and needs so long to begin. */
#define HOST_BYTES_A_NS 50u
#define HOST_BEGIN_NS 1000u

/* A flag or a few sums, of which no hash is recorded, are changed in no time. */
#define SMALL_BYTES 1024u

/* In such a part of that time no more than such a part of the bytes was changed, which is worth a
 * transfer of its own where it is of so many. */
#define FEW_PART 4u
#define FEW_OF_BYTES (UINT64_C(1) << 20)

/* One that computes what it changes of so many bytes changes no more of them than this. */
#define HOST_WORK_BYTES_A_NS 12u

/* Less than so many bytes are not worth a part. */
#define PART_OF_BYTES 16384u

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
	size_t at = bounces->free_open - 1;
	struct transfer_ends ends;

	if (thread->returned_ns && event->ns > thread->returned_ns)
		thread->host_ns += (uint64_t)(event->ns - thread->returned_ns);
	if (item->end_ns > thread->returned_ns)
		thread->returned_ns = item->end_ns;
	if (!trace_event_op(event) || trace_event_failed(event) ||
	    !transfer_ends_find(event, &ends))
		return 0;
	if (bounces->free_open) {
		bounces->free_open = (size_t)bounces->open[at].bytes;
	} else {
		at = bounces->open_count++;
		if (array_reserve(&bounces->open, &bounces->open_capacity, bounces->open_count,
				  sizeof(*bounces->open)))
			return -ENOMEM;
	}
	bounces->open[at] = (struct bounce_transfer){
		.call = item->call,
		.key = ends.buffer,
		.address = ends.host,
		.stream = event->stream->index,
		.host_ns = thread->host_ns,
	};
	return map_set(&bounces->calls, item->call, at);
}

static bool is_within(const struct bounce_transfer *from, const struct bounce_transfer *back,
		      uint64_t bytes_a_ns)
{
	return back->host_ns - from->host_ns <= HOST_BEGIN_NS + back->bytes / bytes_a_ns;
}

/* What is known of `back` by the transfer of the same buffer before it. */
static void note_before(struct bounce_transfer *back, const struct bounce_transfer *from)
{
	bool fetched = from->kind == TANDEM_OPERATION_KIND_copy_d2h;

	back->may_be = (fetched || from->fetched) && back->kind == TANDEM_OPERATION_KIND_copy_h2d &&
		       from->bytes == back->bytes && from->address == back->address &&
		       from->stream == back->stream;
	back->fetched = back->may_be;
	back->again = !fetched;
	back->same = from->same;
	back->replaced = from->replaced;
	back->at_once = is_within(from, back, HOST_BYTES_A_NS);
	back->soon = is_within(from, back, HOST_WORK_BYTES_A_NS);
	back->few_changed =
		back->bytes >= FEW_OF_BYTES &&
		FEW_PART * HOST_BYTES_A_NS * (back->host_ns - from->host_ns) <= back->bytes;
	back->from = from->content;
	back->both_ns = (fetched ? from->ns : 0) + back->ns;
}

static void count_bounce(struct bounce *bounce, const struct bounce_transfer *back)
{
	if (!bounce->count++) {
		bounce->stream = back->stream;
		bounce->api = back->api;
		bounce->begin_ns = back->begin_ns;
		bounce->end_ns = back->end_ns;
	}
	bounce->ns += back->both_ns;
	bounce->at_once += back->is_same || back->is_part || back->at_once;
	bounce->same += back->is_same;
	bounce->parts += back->is_part;
}

static void take_back(struct bounce *bounce, struct bounce_transfer *back)
{
	bounce->count--;
	bounce->ns -= back->both_ns;
	bounce->at_once -= back->is_same || back->is_part || back->at_once;
	bounce->same -= back->is_same;
	bounce->parts -= back->is_part;
	back->counted = false;
}

/* Words that are 0 in both tell something only where the host had hardly the time to change all. */
static bool is_part(const struct bounce_transfer *back)
{
	return back->bytes >= PART_OF_BYTES && back->content.offset == back->from.offset &&
	       (content_words_mostly(back->content.words, back->from.words) ||
		(back->soon && back->content.words == back->from.words));
}

/* Again where its content comes after its command's end. */
static void judge(struct bounce *bounce, struct bounce_transfer *back)
{
	bool is_one = true;

	/* By its content, what goes there again is unchanged (copies/unchanged.h). */
	if (!back->may_be || (back->again && (back->content.hashed || !back->at_once)))
		return;
	if (back->counted)
		take_back(bounce, back);
	if (back->content.hashed && !back->from.hashed && back->from.words) {
		back->is_part = is_part(back);
		is_one = back->is_part || back->few_changed;
	} else if (back->content.hashed && back->from.hashed) {
		back->is_same = back->content.hash == back->from.hash &&
				back->content.offset == back->from.offset;
		/* A part that changed can go back alone, or be changed there. */
		*(back->is_same ? &back->same : &back->replaced) += 1;
		/* Where the host mostly changes some of it, samples do not show that it did not. */
		if (back->replaced > back->same && back->content.hashed < back->bytes)
			back->is_same = false;
		back->is_part = !back->is_same && is_part(back);
		is_one = back->is_same || back->is_part || back->few_changed;
		bounce->sampled |= back->is_same && back->content.hashed < back->bytes;
	} else if (back->bytes < SMALL_BYTES) {
		is_one = false;
	}
	if (!is_one)
		return;
	back->counted = true;
	count_bounce(bounce, back);
}

int bounces_command(struct bounces *bounces, const struct operation *operation, uint64_t ns)
{
	uint64_t at = map_remove(&bounces->calls, operation->call), known;
	struct bounce_transfer now;

	if (at == MAP_NONE)
		return 0;
	now = bounces->open[at];
	bounces->open[at].bytes = bounces->free_open;
	bounces->free_open = (size_t)at + 1;
	if (!operation->record || !operation->placed || !operation->record->bytes)
		return 0;
	now.kind = operation->kind;
	now.api = operation->api;
	now.begin_ns = operation->times.start_ns;
	now.end_ns = operation->times.end_ns;
	now.bytes = operation->record->bytes;
	now.ns = ns;
	known = map_get(&bounces->buffers, now.key);
	if (known == MAP_NONE) {
		known = bounces->last_count;
		if (array_reserve(&bounces->last, &bounces->last_capacity, known + 1,
				  sizeof(*bounces->last)) ||
		    map_set(&bounces->buffers, now.key, known))
			return -ENOMEM;
		bounces->last_count++;
	} else {
		note_before(&now, &bounces->last[known]);
		judge(&bounces->processes[operation->process], &now);
	}
	bounces->last[known] = now;
	bounces->threads[now.stream].last = known + 1;
	return 0;
}

void bounces_content(struct bounces *bounces, const struct event_item *item,
		     const struct bounce_content *content)
{
	size_t last = bounces->threads[item->event->stream->index].last;
	uint64_t at = map_get(&bounces->calls, item->call);

	if (at != MAP_NONE) {
		bounces->open[at].content = *content;
	} else if (last && bounces->last[last - 1].call == item->call) {
		bounces->last[last - 1].content = *content;
		judge(&bounces->processes[item->event->stream->process->index],
		      &bounces->last[last - 1]);
	}
}

void bounces_arrived(struct bounces *bounces, const struct async_read *read,
		     const struct bounce_content *content)
{
	uint64_t at = map_get(&bounces->calls, read->call);
	uint64_t last = map_get(&bounces->buffers, read->buffer);

	if (at != MAP_NONE)
		bounces->open[at].content = *content;
	else if (last != MAP_NONE && bounces->last[last].call == read->call)
		bounces->last[last].content = *content;
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
	finding->what = findings_text(
		findings,
		"the same bytes of a buffer went to the host and back "
		"to the device (%s) %s times%s",
		finding->object, units_count(count, bounce->count),
		2 * bounce->parts >= bounce->count ? ", where a part of them was changed" : "");
	if (bounce->same == bounce->count) {
		finding->confidence = bounce->sampled ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
		finding->why = bounce->sampled
				       ? "by a hash of samples, 64 KiB of each transfer, at the "
					 "same places both times"
				       : "by a hash of all bytes";
	} else if (2 * bounce->parts >= bounce->count) {
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings,
			"the host changed some of it, and no more than a part: of eight words at the "
			"same places six or more came back as they went, %s times",
			units_count(count, bounce->parts));
	} else {
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why =
			findings_text(findings,
				      "in %s of them the thread had no time in between to change "
				      "all of the bytes; it may have changed some",
				      units_count(count, bounce->at_once));
	}
	finding->suggestion =
		2 * bounce->parts >= bounce->count
			? "keep the data on the device and change it there, with a kernel; or move "
			  "only the part that changes"
			: "keep the data on the device and change it there, with a kernel";
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
