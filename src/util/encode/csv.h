/* SPDX-License-Identifier: MIT */
/* Text in a cell of a CSV file (RFC 4180), of unknown origin, so that neither a
 * spreadsheet nor a terminal acts on it:
 *
 * - in quotes where it must be; an empty text is "", which nothing at all (NULL) is not;
 * - bytes that are not UTF-8 are U+FFFD; control characters but newlines and tabs are
 *   written as \xNN;
 * - a text that begins like a formula (= + - @, a tab, a newline) gets an apostrophe (')
 *   in front, unless all of it is a decimal number. Numbers are never changed.
 */
#ifndef TANDEM_UTIL_CSV_H
#define TANDEM_UTIL_CSV_H

#include "util/text.h"

void csv_add_text(struct text *out, const char *bytes, size_t length);

#endif
