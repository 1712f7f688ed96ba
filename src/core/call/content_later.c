/* SPDX-License-Identifier: MIT */
#include "core/call/content_later.h"

#include "core/call/content.h"
#include "core/call/content_hash.h"
#include "core/control.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"

#define LATER_MOST 32u
#define AT_ONCE 8u /* of these a wait takes so many */

struct later {
	const void *thread; /* where it has its memory; NULL: a free row */
	struct tandem_content_later content;
};

_Atomic unsigned tandem_contents_later;

static struct {
	atomic_flag busy; /* whoever finds it so goes without */
	unsigned next;
	struct later rows[LATER_MOST];
} later = {.busy = ATOMIC_FLAG_INIT};

static void count(int by)
{
	atomic_fetch_add_explicit(&tandem_contents_later, (unsigned)by, memory_order_relaxed);
}

void tandem_content_expect(const struct tandem_content_later *content)
{
	struct later *row;

	if (tandem_control.args_level != TANDEM_ARGS_FULL || !content->op || !content->data ||
	    content->bytes < CONTENT_LEAST ||
	    atomic_flag_test_and_set_explicit(&later.busy, memory_order_acquire))
		return;
	row = &later.rows[later.next++ % LATER_MOST];
	count(!row->thread);
	*row = (struct later){&tandem_thread, *content};
	atomic_flag_clear_explicit(&later.busy, memory_order_release);
}

static bool is_of(const struct later *row, const void *queue, const void *event)
{
	return row->thread == &tandem_thread && (!queue || row->content.queue == queue) &&
	       (!event || row->content.event == event);
}

/* The oldest of those that the wait was for; they are remembered no more. */
static unsigned take(struct tandem_content_later *taken, const void *queue, const void *event)
{
	unsigned found = 0;

	if (atomic_flag_test_and_set_explicit(&later.busy, memory_order_acquire))
		return 0;
	for (unsigned i = 0; found < AT_ONCE && i < LATER_MOST; i++) {
		struct later *row = &later.rows[(later.next + i) % LATER_MOST];

		if (!is_of(row, queue, event))
			continue;
		taken[found++] = row->content;
		row->thread = NULL;
		count(-1);
	}
	atomic_flag_clear_explicit(&later.busy, memory_order_release);
	return found;
}

static void record_put(const struct tandem_content_later *content)
{
	struct tandem_rec_content_arrived *record;
	uint64_t words;

	if (!content_words_safely(content->data, content->bytes, &words))
		return;
	record = tandem_record_begin(TANDEM_EVENT_content_arrived, sizeof(*record));
	if (!record)
		return;
	record->op = content->op;
	record->offset = content->offset;
	record->bytes = content->bytes;
	record->words = words;
	tandem_record_commit();
}

/* NULL: any. */
void tandem_content_arrived_now(const void *queue, const void *event)
{
	struct tandem_content_later taken[AT_ONCE];
	unsigned found;

	do {
		found = take(taken, queue, event);
		for (unsigned i = 0; i < found; i++)
			record_put(&taken[i]);
	} while (found == AT_ONCE);
}
