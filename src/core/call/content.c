/* SPDX-License-Identifier: MIT */
#include "core/call/content.h"

#include "core/call/args.h"
#include "core/control.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"

/* So much is looked at as a whole, and as much of more, in lines of memory. */
#define CONTENT_BYTES 65536u
#define CONTENT_LINE 64u

static uint64_t content_hash(const uint8_t *data, uint64_t bytes)
{
	const uint64_t lines = CONTENT_BYTES / CONTENT_LINE;
	uint64_t hash = ARGS_HASH_START, step = bytes / lines;

	if (bytes <= CONTENT_BYTES)
		return args_hash(hash, data, bytes);
	/* One in each step, each at another place of it: what repeats itself is seen. */
	for (uint64_t i = 0; i < lines; i++)
		hash = args_hash(hash,
				 data + i * step + i * 2654435761u % (step - CONTENT_LINE + 1),
				 CONTENT_LINE);
	return args_hash(hash, data + bytes - CONTENT_LINE, CONTENT_LINE);
}

void tandem_content_record(uint64_t op, const void *data, uint64_t offset, uint64_t bytes)
{
	struct tandem_rec_content *record;
	uint64_t hash;

	if (tandem_control.args_level != TANDEM_ARGS_FULL || !op || !data || bytes < CONTENT_LEAST)
		return;
	hash = content_hash(data, bytes);
	record = tandem_record_begin(TANDEM_EVENT_content, sizeof(*record));
	if (!record)
		return;
	record->op = op;
	record->offset = offset;
	record->bytes = bytes;
	record->hashed = bytes < CONTENT_BYTES ? bytes : CONTENT_BYTES;
	record->hash = hash;
	tandem_record_commit();
}
