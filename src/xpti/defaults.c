/* SPDX-License-Identifier: MIT */
#pragma GCC visibility push(default) /* what this file defines of it */
#include "xpti/xpti_trace_framework.h"
#pragma GCC visibility pop

#include "defaults.h"

#include <stdatomic.h>

static _Atomic uint8_t default_stream;
static _Atomic uint16_t default_event_type = xpti_event_algorithm;
static _Atomic uint16_t default_trace_type = xpti_function_begin;

uint8_t defaults_stream(void)
{
	return default_stream;
}

void defaults_set_stream(uint8_t stream)
{
	default_stream = stream;
}

xpti_event_type_t xptiGetDefaultEventType(void)
{
	return default_event_type;
}

xpti_result_t xptiSetDefaultEventType(xpti_event_type_t type)
{
	if (type == xpti_event_unknown_event)
		return XPTI_RESULT_INVALIDARG;
	default_event_type = type;
	return XPTI_RESULT_SUCCESS;
}

xpti_trace_point_t xptiGetDefaultTraceType(void)
{
	return default_trace_type;
}

xpti_result_t xptiSetDefaultTraceType(xpti_trace_point_t type)
{
	if (type == xpti_unknown_type)
		return XPTI_RESULT_INVALIDARG;
	default_trace_type = type;
	return XPTI_RESULT_SUCCESS;
}
