/* SPDX-License-Identifier: MIT */
/* DIR/schema for tests without `tandem record`. Ends the program when it can't be written. */
#ifndef TESTS_CORE_SCHEMA_PUT_H
#define TESTS_CORE_SCHEMA_PUT_H

#include "schema/control.h"

void schema_put(const char *path, enum tandem_args_level level);

#endif
