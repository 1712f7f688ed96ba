/* SPDX-License-Identifier: MIT */
/* DIR/schema: descriptions of all events that a session may hold (doc/FORMAT.md). */
#ifndef TANDEM_RECORDER_SCHEMA_H
#define TANDEM_RECORDER_SCHEMA_H

#include "schema/control.h"

/* Writes the file, of all domains at a level of arguments. 0 or -errno. */
int schema_write(const char *path, enum tandem_args_level level);

#endif
