/* SPDX-License-Identifier: MIT */
/* Event descriptors out of a trace's own metadata: TSDL text as tools/apigen and
 * `tandem record` write it (doc/FORMAT.md), one declaration a line. What stands in
 * comments, a domain's row and what events and fields mean, is missing in what
 * older versions wrote. Any text is accepted: what is not understood is passed
 * over and counted. One thread.
 *
 *	struct trace_tsdl tsdl;
 *
 *	if (!trace_tsdl_parse(&tsdl, text, bytes))
 *		puts(tsdl.domains[1]->domain.events[1].name);
 *	trace_tsdl_free(&tsdl);
 */
#ifndef TANDEM_TRACE_TSDL_H
#define TANDEM_TRACE_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/domain.h"
#include "schema/schema.h"
#include "util/arena.h"

#define TRACE_DOMAINS 64u
#define TRACE_HASH_BYTES 33u

struct trace_tsdl_domain {
	struct tandem_domain domain; /* events: dense; one without a name is none */
	struct tandem_domain_row row;
	char hash[TRACE_HASH_BYTES]; /* of the layouts; "": older than such hashes */
};

struct trace_tsdl {
	struct arena arena; /* of all that follows */
	struct trace_tsdl_domain *domains[TRACE_DOMAINS];
	unsigned bad;	     /* events that were not understood */
	uint64_t bad_offset; /* of the first */
};

/* The line that begins a domain's events: how the domain is called and what the
 * hash of its layouts is. `at` moves behind it. False where there is none. */
bool trace_tsdl_section(const char **at, const char *end, unsigned *number,
			char hash[TRACE_HASH_BYTES]);

/* Returns 0 or -ENOMEM (then there is nothing to free). */
int trace_tsdl_parse(struct trace_tsdl *tsdl, const char *text, size_t bytes);

void trace_tsdl_free(struct trace_tsdl *tsdl);

#endif
