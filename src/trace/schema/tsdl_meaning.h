/* SPDX-License-Identifier: MIT */
/* What an event and its fields mean, as the comment behind its description says:
 *
 *	CLASS KEY=WORD .FIELD=WORD,WORD ...
 *
 * Words that this version does not know mean nothing. One thread.
 */
#ifndef TANDEM_TRACE_TSDL_MEANING_H
#define TANDEM_TRACE_TSDL_MEANING_H

#include "trace/schema/tsdl_enum.h"

/* Sets class and traits of the event, and kinds and roles of its fields, which are laid out. */
void tsdl_meaning_read(struct tsdl_text *line, struct tandem_event *made,
		       const struct tsdl_enum *enums);

#endif
