/* SPDX-License-Identifier: MIT */
/* What an event and its fields mean, as the comment behind its description says:
 *
 *	CLASS KEY=WORD .FIELD=WORD,WORD ...
 *
 * Words that this version does not know mean nothing. One thread.
 */
#ifndef TANDEM_TRACE_TSDL_MEANING_H
#define TANDEM_TRACE_TSDL_MEANING_H

#include "schema/schema.h"
#include "trace/schema/tsdl_token.h"

/* The enumeration of that name; NULL: there is none. */
typedef const struct tandem_names *tsdl_names_of(const void *user, const struct token *name);

/* Sets class and traits of the event, and kinds and roles of its fields, which are laid out. */
void tsdl_meaning_read(struct tsdl_text *line, struct tandem_event *made, tsdl_names_of *names_of,
		       const void *user);

#endif
