/* SPDX-License-Identifier: MIT */
/* Enumerations of a TSDL text: enum NAME : BASE { WORD = NUMBER, "WORD" = NUMBER };
 * They belong to the arena.
 *
 *	struct tsdl_enum *enums = NULL;
 *
 *	tsdl_enum_parse(&enums, &arena, line);	behind "enum"
 *	known = tsdl_enum_find(enums, &name);
 */
#ifndef TANDEM_TRACE_TSDL_ENUM_H
#define TANDEM_TRACE_TSDL_ENUM_H

#include "schema/schema.h"
#include "trace/schema/tsdl_token.h"
#include "util/arena.h"

struct tsdl_enum {
	struct tsdl_enum *next; /* the one before it in the text */
	const char *name;
	uint8_t bytes;
	struct tandem_names names;
};

/* Returns 0, -EINVAL (nothing is added) or -ENOMEM. */
int tsdl_enum_parse(struct tsdl_enum **enums, struct arena *arena, struct tsdl_text line);

/* The latest of that name, or NULL. */
const struct tsdl_enum *tsdl_enum_find(const struct tsdl_enum *enums, const struct token *name);

#endif
