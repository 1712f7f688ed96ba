/* SPDX-License-Identifier: MIT */
#include "core/call/content.h"

#include <stdatomic.h>

#include "core/call/content_hash.h"
#include "core/call/content_rows.h"
#include "core/control.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"

/* Contents of which samples are hashed, by that hash. Whose samples come again is hashed as a whole: one
 * number of a matrix may have changed. So the first of equal contents has another hash than those behind it.
 * What has proved to be the same so often is looked at again each so many times. */
#define KNOWN_ROWS 1024u
#define KNOWN_SURE 8u

struct known_content {
	uint64_t samples, whole; /* 0: not known */
	uint32_t same;		 /* times in a row that the whole was what it had been */
};

struct known_contents {
	atomic_flag busy; /* whoever finds it so goes without */
	struct known_content rows[KNOWN_ROWS];
};

static struct known_contents given = {.busy = ATOMIC_FLAG_INIT}, taken = {.busy = ATOMIC_FLAG_INIT};

static struct known_content *known_find(struct known_contents *known, uint64_t samples)
{
	return &known->rows[samples % KNOWN_ROWS];
}

/* Whether those samples were there before; they are now. `row` is what is known of them. */
static bool known_look(struct known_contents *known, uint64_t samples, struct known_content *row)
{
	struct known_content *at = known_find(known, samples);
	bool again;

	if (atomic_flag_test_and_set_explicit(&known->busy, memory_order_acquire))
		return false;
	again = at->samples == samples;
	if (again)
		at->same++;
	else
		*at = (struct known_content){.samples = samples};
	*row = *at;
	atomic_flag_clear_explicit(&known->busy, memory_order_release);
	return again;
}

static void known_keep(struct known_contents *known, uint64_t samples, uint64_t whole)
{
	struct known_content *at = known_find(known, samples);

	if (atomic_flag_test_and_set_explicit(&known->busy, memory_order_acquire))
		return;
	if (at->samples == samples && at->whole != whole) {
		at->whole = whole;
		at->same = 0;
	}
	atomic_flag_clear_explicit(&known->busy, memory_order_release);
}

/* Returns the hash, and how much of the content is in it. */
static uint64_t hash_large(struct known_contents *known, const struct content_rows *rows,
			   uint64_t bytes, uint64_t *hashed)
{
	uint64_t samples = content_rows_hash(rows, bytes, true, hashed), whole;
	struct known_content row;

	if (!known_look(known, samples, &row))
		return samples;
	if (row.whole && row.same > KNOWN_SURE && row.same % KNOWN_SURE)
		return row.whole;
	whole = content_rows_hash(rows, bytes, false, hashed);
	known_keep(known, samples, whole);
	return whole;
}

/* Both records are the same but for their names. */
_Static_assert(sizeof(struct tandem_rec_content) == sizeof(struct tandem_rec_content_read) &&
		       offsetof(struct tandem_rec_content, words) ==
			       offsetof(struct tandem_rec_content_read, words),
	       "content");

static void look_at(struct tandem_content_look *look, struct known_contents *known,
		    const struct content_rows *rows, uint64_t bytes, uint64_t offset)
{
	look->offset = offset;
	look->bytes = bytes;
	look->hash = bytes > CONTENT_WHOLE ? hash_large(known, rows, bytes, &look->hashed)
					   : content_rows_hash(rows, bytes, false, &look->hashed);
	look->words = content_rows_words(rows, bytes);
}

static void look_put(uint16_t event, uint64_t op, const struct tandem_content_look *look)
{
	struct tandem_rec_content *record = tandem_record_begin(event, sizeof(*record));

	if (!record)
		return;
	record->op = op;
	record->offset = look->offset;
	record->bytes = look->bytes;
	record->hashed = look->hashed;
	record->hash = look->hash;
	record->words = look->words;
	tandem_record_commit();
}

/* Joins the rows, and returns the bytes of what is wanted; else 0. */
static uint64_t wanted_bytes(struct content_rows *rows)
{
	uint64_t bytes;

	if (tandem_control.args_level != TANDEM_ARGS_FULL || !rows->data)
		return 0;
	bytes = content_rows_join(rows);
	return bytes < CONTENT_LEAST ? 0 : bytes;
}

static void record_put(uint16_t event, uint64_t op, struct content_rows *rows, uint64_t offset)
{
	uint64_t bytes = op ? wanted_bytes(rows) : 0;
	struct tandem_content_look look;

	if (!bytes)
		return;
	look_at(&look, event == TANDEM_EVENT_content ? &given : &taken, rows, bytes, offset);
	look_put(event, op, &look);
}

bool tandem_content_look(struct tandem_content_look *look, struct content_rows rows,
			 uint64_t offset)
{
	struct tandem_rec_content_mapped *record;
	uint64_t bytes = wanted_bytes(&rows);

	if (!bytes)
		return false;
	record = tandem_record_begin(TANDEM_EVENT_content_mapped, sizeof(*record));
	if (!record)
		return false;
	record->bytes = bytes;
	tandem_record_commit();
	look_at(look, &given, &rows, bytes, offset);
	return true;
}

void tandem_content_look_record(const struct tandem_content_look *look, uint64_t op)
{
	if (op)
		look_put(TANDEM_EVENT_content, op, look);
}

void tandem_content_record(uint64_t op, const void *data, uint64_t offset, uint64_t bytes)
{
	struct content_rows rows = content_rows_one(data, bytes);

	record_put(TANDEM_EVENT_content, op, &rows, offset);
}

void tandem_content_read_record(uint64_t op, const void *data, uint64_t offset, uint64_t bytes)
{
	struct content_rows rows = content_rows_one(data, bytes);

	record_put(TANDEM_EVENT_content_read, op, &rows, offset);
}

void tandem_content_rows_record(uint64_t op, struct content_rows rows, uint64_t offset)
{
	record_put(TANDEM_EVENT_content, op, &rows, offset);
}

void tandem_content_rows_read_record(uint64_t op, struct content_rows rows, uint64_t offset)
{
	record_put(TANDEM_EVENT_content_read, op, &rows, offset);
}
