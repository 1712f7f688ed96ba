/* SPDX-License-Identifier: MIT */
/* The events of a session, as its own metadata describes them: what it was recorded
 * with, whatever this build knows. Where this build describes a domain's events just
 * so, its own descriptors stand for them and nothing is copied. Where a call's layout
 * differs, the layout is the session's, and what this build knows of the call and of
 * its fields of the same name is what they mean. A record of our own in another layout
 * is converted as it is read (trace/layout.h). Made while the session opens; read-only
 * afterwards, any thread.
 *
 *	const struct tandem_event *call = trace_schema_event(session->schema, record->api);
 *
 *	if (call)
 *		puts(call->name);
 */
#ifndef TANDEM_TRACE_SCHEMA_H
#define TANDEM_TRACE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control.h"
#include "schema/domain.h"
#include "schema/record.h"
#include "schema/schema.h"
#include "trace/schema/tsdl.h"
#include "util/map.h"

struct trace_schema_domain {
	const struct tandem_domain *domain; /* NULL: nothing describes it */
	const struct tandem_domain_row *row;
	/* What lies in the stream where that differs from what `domain` says, by number of
	 * the event; NULL: nowhere. An entry may be NULL, too. */
	const struct tandem_event *const *stored;
	bool known;		     /* this build has the domain */
	char hash[TRACE_HASH_BYTES]; /* of the session's layouts; "": not said */
};

struct trace_schema {
	struct trace_schema_domain domains[TRACE_DOMAINS];
	uint8_t page_domain[TANDEM_PAGES]; /* 1 + number of the domain */
	uint8_t page_index[TANDEM_PAGES];  /* of the page among the domain's */
	struct arena arena;
	struct trace_tsdl *texts;
	size_t text_count, text_capacity;
	struct map seen; /* texts that say the same: hash -> conflicts */
	/* How long the session's own descriptions of a domain are. */
	struct trace_schema_section {
		char hash[TRACE_HASH_BYTES];
		size_t bytes; /* behind the line that begins them */
	} sections[TRACE_DOMAINS];
	bool has_sections;
};

/* What came of a text. */
struct trace_schema_said {
	unsigned bad;	     /* events that could not be understood, ... */
	uint64_t bad_offset; /* ... the first of them there */
	uint64_t conflicts;  /* domains of which it says other things than texts before */
};

/* Returns 0 or -ENOMEM. */
int trace_schema_add(struct trace_schema *schema, enum tandem_args_level level, const char *text,
		     size_t bytes, struct trace_schema_said *said);

/* Remembers how long the session's own descriptions (DIR/schema) are. */
void trace_schema_measure(struct trace_schema *schema, const char *text, size_t bytes);

/* Whether a process's text ends before its last domain's descriptions do, as those measured have
 * them. An end between two domains is not seen. */
bool trace_schema_is_cut(const struct trace_schema *schema, const char *text, size_t bytes);

/* After the last text: domains that none described are as this build has them. Returns 0
 * or -ENOMEM. */
int trace_schema_finish(struct trace_schema *schema);

void trace_schema_free(struct trace_schema *schema);

/* The domain of an event, or TRACE_DOMAINS where none has it. */
static inline unsigned trace_schema_domain_of(const struct trace_schema *schema, unsigned id)
{
	unsigned owner = schema->page_domain[TANDEM_ID_PAGE(id) % TANDEM_PAGES];

	return owner ? owner - 1 : TRACE_DOMAINS;
}

/* NULL where the session has no such event. */
const struct tandem_event *trace_schema_event(const struct trace_schema *schema, unsigned id);

/* The row of a domain by its number, up to 63. Of one that nothing describes the name is
 * "domain-NUMBER". */
const struct tandem_domain_row *trace_schema_row(const struct trace_schema *schema,
						 unsigned number);

#endif
