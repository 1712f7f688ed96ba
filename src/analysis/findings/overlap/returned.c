/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/returned.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/events/event_iterator.h"
#include "analysis/operations/async_reads.h"
#include "analysis/operations/content_words.h"
#include "analysis/operations/transfer_ends.h"
#include "schema/gen/core_records.h"

/* Of the latest reads of a thread. */
#define READS 8u

struct returned_read {
	uint64_t host, bytes; /* 0: none */
	uint64_t hash;	      /* 0: not known */
	uint64_t words;
};

struct returned_thread {
	uint64_t call, host; /* its latest transfer; 0: none */
	struct returned_read reads[READS];
	unsigned next;
};

int returned_begin(struct returned *returned, const struct trace_session *session)
{
	returned->threads = calloc(session->stream_count + 1, sizeof(*returned->threads));
	return returned->threads ? 0 : -ENOMEM;
}

static void note_call(struct returned_thread *thread, const struct event_item *item)
{
	struct transfer_ends ends;

	if (trace_event_op(item->event) && transfer_ends_find(item->event, &ends)) {
		thread->call = item->call;
		thread->host = ends.host;
	}
}

static void note_read(struct returned_thread *thread, struct returned_read read)
{
	if (read.host)
		thread->reads[thread->next++ % READS] = read;
}

static bool is_returned(const struct returned_thread *thread,
			const struct tandem_rec_content *content)
{
	for (unsigned i = 0; i < READS; i++) {
		const struct returned_read *read = &thread->reads[i];

		if (read->host == thread->host && read->bytes == content->bytes)
			return (read->hash && read->hash == content->hash) ||
			       content_words_mostly(read->words, content->words);
	}
	return false;
}

bool returned_item(struct returned *returned, const struct async_reads *reads,
		   const struct event_item *item)
{
	const struct async_read *read;
	struct returned_thread *thread;

	if (item->kind != ITEM_CALL && item->kind != ITEM_OTHER)
		return false;
	thread = &returned->threads[item->event->stream->index];
	if (item->kind == ITEM_CALL) {
		note_call(thread, item);
		return false;
	}
	switch (item->event->record->id) {
	case TANDEM_EVENT_content:
		return thread->host && thread->call == item->call &&
		       is_returned(thread, (const void *)item->event->record);
	case TANDEM_EVENT_content_read: {
		const struct tandem_rec_content_read *content = (const void *)item->event->record;

		if (thread->call == item->call)
			note_read(thread, (struct returned_read){thread->host, content->bytes,
								 content->hash, content->words});
		return false;
	}
	case TANDEM_EVENT_content_arrived: {
		const struct tandem_rec_content_arrived *content =
			(const void *)item->event->record;

		read = async_reads_find(reads, item->event->stream->process->index, content->op);
		if (read)
			note_read(thread, (struct returned_read){read->host, content->bytes, 0,
								 content->words});
		return false;
	}
	default:
		return false;
	}
}

void returned_free(struct returned *returned)
{
	free(returned->threads);
}
