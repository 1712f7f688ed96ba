/* SPDX-License-Identifier: MIT */
#include "core/call/content_later.h"

#include <stdbool.h>

#include "core/call/content.h"
#include "core/call/content_hash.h"
#include "core/control.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"

#define LATER_MOST 8u

__thread unsigned tandem_contents_later;

static __thread struct tandem_content_later waiting[LATER_MOST]
	__attribute__((tls_model("initial-exec")));

void tandem_content_expect(const struct tandem_content_later *content)
{
	if (tandem_control.args_level != TANDEM_ARGS_FULL || !content->op || !content->data ||
	    content->bytes < CONTENT_LEAST)
		return;
	if (tandem_contents_later == LATER_MOST) {
		for (unsigned i = 1; i < LATER_MOST; i++)
			waiting[i - 1] = waiting[i];
		tandem_contents_later--;
	}
	waiting[tandem_contents_later++] = *content;
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
	unsigned left = 0;

	for (unsigned i = 0; i < tandem_contents_later; i++) {
		if ((queue && waiting[i].queue != queue) || (event && waiting[i].event != event))
			waiting[left++] = waiting[i];
		else
			record_put(&waiting[i]);
	}
	tandem_contents_later = left;
}
