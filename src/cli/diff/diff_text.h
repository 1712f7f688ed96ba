/* SPDX-License-Identifier: MIT */
/* A diff as a person reads it: what was compared, what changed in sentences, the
 * tables. */
#ifndef TANDEM_CLI_DIFF_DIFF_TEXT_H
#define TANDEM_CLI_DIFF_DIFF_TEXT_H

#include "analysis/diff/diff.h"

/* `table` as enum diff_kind, or -1 for all; `top` rows of each, 0 for all. */
void diff_text(struct text *out, const struct diff *diff, int table, size_t top, bool colour);

#endif
