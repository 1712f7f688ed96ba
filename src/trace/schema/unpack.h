/* SPDX-License-Identifier: MIT */
/* DIR/schema as one text, however its parts are stored (doc/FORMAT.md). One thread. */
#ifndef TANDEM_TRACE_UNPACK_H
#define TANDEM_TRACE_UNPACK_H

#include <stddef.h>

/* Replaces *text, which is malloc()ed, by what it says unpacked; one that has no packed part
 * stays. *bad: how many parts are damaged. Returns 0 or -ENOMEM. */
int trace_schema_unpack(char **text, size_t *bytes, unsigned *bad);

#endif
