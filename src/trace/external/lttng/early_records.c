/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/early_records.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

size_t early_records_add(struct early_records *early, const struct early_record *record)
{
	uint8_t *bytes = malloc(record->count + 1);

	if (!bytes ||
	    array_reserve(&early->of, &early->capacity, early->count + 1, sizeof(*early->of))) {
		free(bytes);
		return EARLY_NOWHERE;
	}
	memcpy(bytes, record->bytes, record->count);
	early->of[early->count] = *record;
	early->of[early->count].bytes = bytes;
	return early->count++;
}

void early_records_drop(struct early_records *early, size_t place)
{
	free(early->of[place].bytes);
	early->of[place].bytes = NULL;
	/* A thread that calls and calls takes no more room for it. */
	while (early->count && !early->of[early->count - 1].bytes)
		early->count--;
}

uint64_t early_records_put(struct early_records *early, struct session_stream *stream)
{
	uint64_t failed = 0;

	for (size_t i = 0; i < early->count; i++) {
		struct early_record *record = &early->of[i];

		record->put = SESSION_NOWHERE;
		if (!record->bytes)
			continue;
		record->put = session_stream_put(stream, record->id, record->call, record->ns,
						 record->bytes, record->count);
		failed += record->put == SESSION_NOWHERE;
	}
	return failed;
}

void early_records_free(struct early_records *early)
{
	for (size_t i = 0; i < early->count; i++)
		free(early->of[i].bytes);
	free(early->of);
	*early = (struct early_records){.of = NULL};
}
