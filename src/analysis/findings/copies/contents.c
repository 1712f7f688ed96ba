/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/contents.h"

#include <errno.h>
#include <stdlib.h>

#include "util/keyed_row.h"

/* Of a part of a buffer so many contents are remembered. */
#define CONTENTS 64u

/* What comes again in fewer of the writes there does so by chance, as short lines of a log. */
#define AGAIN_PART 4u

struct contents_part { /* of a buffer */
	bool read;
	uint64_t hash;		/* of what it gave last */
	uint64_t same, changed; /* reads that gave what the one before did, and that did not */
	uint64_t writes, again; /* of these: what had been written there before */
};

static uint64_t part_key(uint64_t buffer, uint64_t offset, uint64_t bytes)
{
	return ((buffer * UINT64_C(0x9E3779B97F4A7C15) ^ offset) * UINT64_C(0xFF51AFD7ED558CCD) ^
		bytes) |
	       1;
}

static struct contents_part *part_find(struct contents *contents, uint64_t buffer, uint64_t offset,
				       uint64_t bytes)
{
	static const struct contents_part fresh;

	return keyed_row(&contents->part_of, part_key(buffer, offset, bytes), &contents->parts,
			 &contents->capacity, &contents->count, &fresh, sizeof(fresh));
}

/* Makes it `same` if a buffer that was released since was given it. */
static int note_given(struct contents *contents, uint64_t key, uint32_t process,
		      const struct tandem_rec_content *content, bool *same)
{
	uint64_t place = part_key(process, content->offset, content->bytes) ^ content->hash;
	uint64_t before = map_get(&contents->given, place);

	*same |= before != MAP_NONE && before != key &&
		 map_get(&contents->released, before) != MAP_NONE;
	return map_set(&contents->given, place, key);
}

int contents_written(struct contents *contents, uint64_t key, struct copy_buffer *buffer,
		     const struct tandem_rec_content *content, bool *same)
{
	struct contents_part *row = part_find(contents, key, content->offset, content->bytes);
	uint64_t part, known, now;

	if (!row)
		return -ENOMEM;
	if ((buffer->offset != content->offset || buffer->bytes != content->bytes) &&
	    buffer->offset < content->offset + content->bytes &&
	    content->offset < buffer->offset + buffer->bytes)
		buffer->generation++;
	buffer->offset = content->offset;
	buffer->bytes = content->bytes;
	part = part_key(key, content->offset, content->bytes);
	part = (part ^ content->hash % CONTENTS * UINT64_C(0xC2B2AE3D27D4EB4F)) | 1;
	now = (content->hash + buffer->generation) & ~(UINT64_C(1) << 63);
	known = map_get(&contents->written, part);
	row->writes++;
	row->again += known == now;
	*same = known == now && AGAIN_PART * row->again >= row->writes;
	if (map_set(&contents->written, part, now))
		return -ENOMEM;
	return note_given(contents, key, buffer->process, content, same);
}

int contents_released(struct contents *contents, uint64_t key)
{
	return map_set(&contents->released, key, 1);
}

int contents_read(struct contents *contents, uint64_t key,
		  const struct tandem_rec_content_read *content, bool *same)
{
	struct contents_part *part = part_find(contents, key, content->offset, content->bytes);

	if (!part)
		return -ENOMEM;
	*same = part->read && part->hash == content->hash;
	if (part->read)
		*(*same ? &part->same : &part->changed) += 1;
	part->read = true;
	part->hash = content->hash;
	*same &= content->hashed == content->bytes || part->same >= part->changed;
	return 0;
}

void contents_free(struct contents *contents)
{
	map_free(&contents->written);
	map_free(&contents->given);
	map_free(&contents->released);
	map_free(&contents->part_of);
	free(contents->parts);
}
