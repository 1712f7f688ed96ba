/* SPDX-License-Identifier: MIT */
/* Event descriptors as TSDL text (CTF 1.8.3, section 7), one declaration a line. What
 * TSDL can't say stands in comments, so that any CTF reader takes the text and
 * trace/schema/tsdl.h makes the same descriptors of it again. One thread.
 *
 *	struct text text = TEXT_INIT;
 *
 *	tandem_tsdl_domain(&text, tandem_domain_get(1), TANDEM_ARGS_BASIC);
 *	fwrite(text.data, 1, text.length, file);
 */
#ifndef TANDEM_SCHEMA_TSDL_H
#define TANDEM_SCHEMA_TSDL_H

#include "schema/control.h"
#include "schema/domain.h"
#include "schema/schema.h"
#include "util/text.h"

/* Appends "TYPE NAME; " of each field, then of the data of the variable ones. A call's
 * result and end come first with `call`. */
void tandem_tsdl_fields(struct text *text, const struct tandem_event *event,
			const struct tandem_layout *layout, bool call);

/* Appends the line "enum NAME : TYPE { ... };". */
void tandem_tsdl_enum(struct text *text, const struct tandem_names *names);

/* Appends the domain's row, the enumerations that its events name, and the events. Those
 * of core are there already. */
void tandem_tsdl_domain(struct text *text, const struct tandem_domain *domain,
			enum tandem_args_level level);

/* DIR/schema begins with one line for each domain that it describes: how the domain's text is
 * stored (schema/schema_file.h), number, hash of the layouts, and where it lies in the file. */
#define TANDEM_SCHEMA_INDEX_BYTES 70u
void tandem_tsdl_index(struct text *text, const char *storage, const struct tandem_domain *domain,
		       size_t offset, size_t bytes);

#endif
