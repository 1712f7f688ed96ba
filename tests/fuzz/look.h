/* SPDX-License-Identifier: MIT */
/* A consumer of external events that looks at all that a reader hands out, to the last
 * byte: what is not there to be read shows itself to the sanitizers. */
#ifndef TESTS_FUZZ_LOOK_H
#define TESTS_FUZZ_LOOK_H

#include "trace/external/external_trace.h"

extern const struct external_sink look_sink;

#endif
