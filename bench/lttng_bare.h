/* SPDX-License-Identifier: MIT */
/* Two tracepoints of LTTng-UST with the fields of a call without arguments (lttng_bare.c). Read
 * by lttng/tracepoint-event.h several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bare
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_bare.h"

#if !defined(BENCH_LTTNG_BARE_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_BARE_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(bare, entry, LTTNG_UST_TP_ARGS(void), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(bare, exit, LTTNG_UST_TP_ARGS(int, result),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, result, result)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
