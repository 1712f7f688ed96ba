/* SPDX-License-Identifier: MIT */
/* tandem_tsdl_domain() of each domain at each argument level, made when Tandem is built
 * (schema_print.c): a third of a megabyte is not put together again for each session. */
#ifndef TANDEM_RECORDER_SCHEMA_TEXT_H
#define TANDEM_RECORDER_SCHEMA_TEXT_H

#include <stddef.h>

#include "schema/control.h"
#include "schema/domain.h"
#include "schema/ids.h"

struct schema_text {
	const char *data; /* NULL: there is no such domain */
	size_t bytes;
};

extern const struct schema_text schema_texts[TANDEM_ARGS_FULL + 1][TANDEM_DOMAINS];

#endif
