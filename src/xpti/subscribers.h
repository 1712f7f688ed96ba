/* SPDX-License-Identifier: MIT */
/* The libraries that XPTI_SUBSCRIBERS names. They stay loaded until the process ends. */
#ifndef XPTI_SUBSCRIBERS_H
#define XPTI_SUBSCRIBERS_H

#include "xpti/xpti_trace_framework.h"

/* Once. What can't be used is named on stderr. */
void subscribers_load(const char *list);
unsigned subscribers_count(void);
/* Calls each; the highest detail level that one asked for. */
xpti_detail_level_t subscribers_init_stream(const char *stream, uint32_t major, uint32_t minor,
					    const char *version);
void subscribers_finish_stream(const char *stream);

#endif
