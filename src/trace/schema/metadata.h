/* SPDX-License-Identifier: MIT */
/* A process's metadata file, as far as the reader needs it: the values of the
 * blocks `env`, `clock` and `trace`. What the events look like is known from the
 * schema of the same hash (schema/schema.h); the rest of the text is for other
 * readers. One thread.
 *
 *	struct trace_metadata metadata;
 *	trace_metadata_parse(&metadata, text, bytes);
 *	puts(trace_metadata_get(&metadata, "env", "procname", "?"));
 *	trace_metadata_free(&metadata);
 */
#ifndef TANDEM_TRACE_METADATA_H
#define TANDEM_TRACE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

#define METADATA_VALUES 64

struct trace_metadata {
	struct arena arena;
	bool whole; /* env, and clock where there is a trace: to their closing brackets */
	size_t count;
	struct trace_metadata_value {
		const char *block, *key, *value; /* without quotes, escapes resolved */
	} values[METADATA_VALUES];
};

/* Takes any text: what it does not understand it passes over. Returns 0 or
 * -ENOMEM. */
int trace_metadata_parse(struct trace_metadata *metadata, const char *text, size_t bytes);

/* The value, or `otherwise`. Borrowed from the metadata. */
const char *trace_metadata_get(const struct trace_metadata *metadata, const char *block,
			       const char *key, const char *otherwise);

/* Same as a number, decimal or 0x; `otherwise` where it is none. */
uint64_t trace_metadata_number(const struct trace_metadata *metadata, const char *block,
			       const char *key, uint64_t otherwise);

void trace_metadata_free(struct trace_metadata *metadata);

#endif
