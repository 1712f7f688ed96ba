/* SPDX-License-Identifier: MIT */
/* DIR/schema at each argument level, made when Tandem is built (schema_print.c): a third of a
 * megabyte is not put together and packed again for each session. */
#ifndef TANDEM_RECORDER_SCHEMA_TEXT_H
#define TANDEM_RECORDER_SCHEMA_TEXT_H

#include <stddef.h>

#include "schema/control.h"

struct schema_text {
	const char *data;
	size_t bytes;
};

extern const struct schema_text schema_texts[TANDEM_ARGS_FULL + 1];

#endif
