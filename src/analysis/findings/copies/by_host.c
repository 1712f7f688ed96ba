/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/by_host.h"

#include <errno.h>
#include <stdlib.h>

#include "util/units.h"

/* Reads that nothing followed are forgotten when there are more. */
#define READS_MOST 4096u

int by_host_begin(struct by_host *by_host, const struct trace_session *session)
{
	by_host->sums = calloc(session->process_count + 1, sizeof(*by_host->sums));
	return by_host->sums ? 0 : -ENOMEM;
}

static void count(struct by_host *by_host, struct by_host_sum *sum, struct copy_latest *last,
		  const struct copy_time *write, uint64_t pair)
{
	uint64_t read_ns = map_remove(&by_host->read_ns, pair);
	/* What goes to several buffers was read once. */
	uint64_t ns = write->ns + (read_ns == MAP_NONE ? 0 : read_ns);

	if (last) {
		last->by_host = true;
		last->by_host_ns = ns;
	}
	copy_time_add(&sum->time, write->api, write->bytes, ns);
}

static int note_read(struct by_host *by_host, uint64_t call, uint64_t ns)
{
	if (by_host->read_ns.count > READS_MOST)
		map_clear(&by_host->read_ns);
	return map_set(&by_host->read_ns, call, ns);
}

int by_host_transfer(struct by_host *by_host, const struct operation *operation,
		     const struct copy_call *call, struct copy_latest *last, uint64_t ns)
{
	struct by_host_sum *sum = &by_host->sums[operation->process];
	const struct copy_time write = {
		.api = operation->api, .bytes = operation->record->bytes, .ns = ns};

	if (operation->kind == TANDEM_OPERATION_KIND_copy_d2h)
		return note_read(by_host, operation->call, ns);
	if (!call->pair || (!call->same && map_get(&by_host->read_ns, call->pair) == MAP_NONE))
		return 0;
	if (!sum->time.count) {
		sum->stream = operation->stream;
		sum->begin_ns = operation->times.start_ns;
		sum->end_ns = operation->times.end_ns;
	}
	count(by_host, sum, last, &write, call->pair);
	sum->same += call->same;
	return 0;
}

static void take_back(struct by_host_sum *sum, struct copy_latest *last)
{
	if (!last->by_host)
		return;
	last->by_host = false;
	sum->time.count--;
	sum->time.bytes -= last->bytes;
	sum->time.ns -= last->by_host_ns;
}

/* As unchanged_remove(). On a CPU a copy from buffer to buffer takes as long as one of the two. */
static int remove_write(struct by_host_sum *sum, const struct by_host_ends *ends,
			const struct event_item *item)
{
	if (!ends->last->blocks)
		return 0;
	sum->removed++;
	return ends->graph->cpu_devices ? graph_remove_wait(ends->graph, item->call, GRAPH_BY_HOST)
					: graph_remove(ends->graph, item->call, GRAPH_BY_HOST);
}

int by_host_read(struct by_host *by_host, struct graph *graph, const struct event_item *item,
		 struct copy_buffer *buffer, const struct copy_latest *last)
{
	if (last->maps && note_read(by_host, item->call, last->ns))
		return -ENOMEM;
	if (!buffer->goes_on || !last->blocks)
		return 0;
	buffer->goes_on = false;
	by_host->sums[item->event->stream->process->index].reads_removed++;
	return graph_remove(graph, item->call, GRAPH_BY_HOST);
}

int by_host_content(struct by_host *by_host, const struct event_item *item,
		    const struct by_host_ends *ends)
{
	const struct tandem_rec_content *content = (const void *)item->event->record;
	struct by_host_sum *sum = &by_host->sums[item->event->stream->process->index];
	const struct read_content *read = ends->read;
	struct copy_buffer *buffer = ends->buffer;
	struct copy_latest *last = ends->last;
	struct copy_buffer *from;

	buffer->same += read != NULL;
	buffer->replaced += !read && ends->paired;
	/* Where the host mostly changes some of it, samples do not show that it did not. */
	if (read && (read->buffer == last->buffer ||
		     (buffer->replaced > buffer->same && content->hashed < content->bytes)))
		read = NULL;
	if (!read && !ends->paired)
		return 0; /* all that is known is the memory */
	if (ends->call) {
		ends->call->pair = read ? read->call : 0;
		ends->call->same = read != NULL;
	}
	if (!read) {
		take_back(sum, last);
		return 0;
	}
	if (copy_buffers_find(ends->buffers, read->buffer, item->event->stream->process->index,
			      &from) ||
	    remove_write(sum, ends, item))
		return -ENOMEM;
	from->goes_on = true;
	sum->sampled |= content->hashed < content->bytes;
	sum->by_words |= read->words != 0;
	if (!last->done)
		return 0;
	sum->same++;
	if (last->by_host)
		return 0;
	if (!sum->time.count) {
		sum->stream = item->event->stream->index;
		sum->begin_ns = sum->end_ns = item->event->ns;
	}
	count(by_host, sum, last,
	      &(struct copy_time){.api = last->api, .bytes = content->bytes, .ns = last->ns},
	      read->call);
	return 0;
}

int by_host_add(const struct by_host *by_host, uint32_t process, bool addresses,
		struct findings *findings)
{
	const struct by_host_sum *sum = &by_host->sums[process];
	const struct copy_time *time = &sum->time;
	char number[UNITS_BYTES], bytes[UNITS_BYTES];
	struct finding *finding;

	if (time->count < COPY_HABIT_COUNT)
		return 0;
	finding = findings_add(findings, "copies", "by-host");
	if (!finding)
		return -ENOMEM;
	finding->count = time->count;
	finding->object = copy_time_api(time, findings);
	/* As remove_write(). */
	finding->cost_ns = devices_have_cpu(&findings->iterator->devices) ? time->ns / 2 : time->ns;
	/* A write that does not wait is what the copy will be. */
	if (2 * sum->removed > time->count || 2 * sum->reads_removed > time->count) {
		finding->removes = GRAPH_BY_HOST;
		finding->at_least = true;
	}
	finding->what = findings_text(
		findings,
		"what was read from one buffer was written to another, %s times%s, %s in all",
		units_count(number, time->count), copy_time_words(time, findings),
		units_bytes(bytes, (double)time->bytes));
	finding->confidence = addresses ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	finding->why = addresses
			       ? "from the same host memory, and as many bytes; the host may have "
				 "changed them in between"
			       : "as many bytes, one call behind the other; --args full records "
				 "whether it is the same host memory";
	if (sum->same >= time->count) {
		finding->confidence =
			sum->sampled || sum->by_words ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
		finding->why =
			sum->by_words
				? "by eight words of each transfer, at the same places both times"
			: sum->sampled
				? "by a hash of samples, 64 KiB of each transfer, at the same "
				  "places both times"
				: "by a hash of all bytes";
	}
	finding->suggestion = "copy from buffer to buffer on the device";
	finding_place(findings, finding, sum->stream);
	finding_time(findings, finding, sum->begin_ns, sum->end_ns);
	return 0;
}

void by_host_free(struct by_host *by_host)
{
	map_free(&by_host->read_ns);
	free(by_host->sums);
}
