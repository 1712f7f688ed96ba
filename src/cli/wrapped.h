/* SPDX-License-Identifier: MIT */
/* Sentences in lines of at most so many columns. */
#ifndef TANDEM_CLI_WRAPPED_H
#define TANDEM_CLI_WRAPPED_H

#include <stddef.h>

#include "util/text.h"

/* Words broken into lines of `most` columns, all but the first, which has come to `column`,
 * indented; what is not printable in them is escaped. Ends with a line's end. */
void wrapped_add(struct text *out, const char *words, size_t indent, size_t column, size_t most);

#endif
