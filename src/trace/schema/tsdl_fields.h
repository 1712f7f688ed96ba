/* SPDX-License-Identifier: MIT */
/* The fields of an event in a TSDL text, TYPE NAME; or TYPE NAME[COUNT]; as the layout that they
 * have in a record: fixed parts one after another, then the data of the sequences. */
#ifndef TANDEM_TRACE_TSDL_FIELDS_H
#define TANDEM_TRACE_TSDL_FIELDS_H

#include "trace/schema/tsdl_enum.h"

/* Takes them from `line` up to the struct's end; sets the class, the layouts and the results of
 * `made`. Returns 0, -EINVAL or -ENOMEM. */
int tsdl_fields_parse(struct tsdl_text *line, const struct tsdl_enum *enums, struct arena *arena,
		      struct tandem_event *made);

#endif
