/* SPDX-License-Identifier: MIT */
/*
 * The proxy, libxpti.a: a stub of each function of XPTI, for whoever is instrumented and for
 * subscribers. A stub looks at one word: off, it returns at once; on, it forwards to the
 * dispatcher that XPTI_FRAMEWORK_DISPATCHER names. The first call decides, once.
 *
 * Several copies of it in one process (a runtime's, a program's, a subscriber's) each load the
 * dispatcher by the same path, which is one library. It stays loaded: what a program reports
 * from its exit handlers must not call into the void.
 *
 * The stubs are hidden, so that no library that links them exports them again.
 */
#include "xpti/xpti_trace_framework.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

enum state { UNDECIDED, OFF, DECIDING, ON };

/* By index: `functions` has the address, `names` the name of each. */
enum function {
#define X(name, since) INDEX_##name,
	XPTI_REQUIRED_FUNCTIONS(X) REQUIRED,
	BEFORE_LATER = REQUIRED - 1,
	XPTI_LATER_FUNCTIONS(X) FUNCTIONS
#undef X
};

static const char *const names[FUNCTIONS] = {
#define X(name, since) [INDEX_##name] = #name,
	XPTI_REQUIRED_FUNCTIONS(X) XPTI_LATER_FUNCTIONS(X)
#undef X
};

static void *functions[FUNCTIONS];
static _Atomic int state;

static __attribute__((cold)) void refuse(const char *path, const char *why)
{
	fprintf(stderr, "xpti: not tracing: dispatcher %s: %s\n", path, why);
}

static bool wanted(void)
{
	const char *value = secure_getenv("XPTI_TRACE_ENABLE");

	return !value || !*value || !strcmp(value, "1") || !strcmp(value, "true");
}

static bool load(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		refuse(path, dlerror());
		return false;
	}
	for (int i = 0; i < FUNCTIONS; i++) {
		functions[i] = dlsym(library, names[i]);
		if (!functions[i] && i < REQUIRED) {
			char why[80];

			snprintf(why, sizeof(why), "it has no %s", names[i]);
			refuse(path, why);
			dlclose(library);
			return false;
		}
	}
	return true;
}

/*
 * True: on. Other threads wait meanwhile. The thread that decides may come here again, out of
 * constructors of what it loads: for those it is off.
 */
static __attribute__((cold, noinline)) bool decide(void)
{
	static _Thread_local bool deciding;
	int before = UNDECIDED;
	const char *path;

	if (deciding)
		return false;
	if (atomic_compare_exchange_strong(&state, &before, DECIDING)) {
		deciding = true;
		path = secure_getenv("XPTI_FRAMEWORK_DISPATCHER");
		before = path && *path && wanted() && load(path) ? ON : OFF;
		deciding = false;
		atomic_store_explicit(&state, before, memory_order_release);
	}
	while ((before = atomic_load_explicit(&state, memory_order_acquire)) == DECIDING)
		sched_yield();
	return before == ON;
}

static inline bool on(void)
{
	int now = atomic_load_explicit(&state, memory_order_acquire);

	if (__builtin_expect(now == OFF, 1))
		return false;
	return now == ON || decide();
}

/* The body of a stub: forwards, or falls through to what "off" returns. */
#define FORWARD(name, ...)                                                                 \
	do {                                                                               \
		if (on() && (INDEX_##name < REQUIRED || functions[INDEX_##name]))          \
			return ((__typeof__(name) *)functions[INDEX_##name])(__VA_ARGS__); \
	} while (0)
#define STUB(type, off, name, parameters, ...) \
	type name parameters                   \
	{                                      \
		FORWARD(name, __VA_ARGS__);    \
		return off;                    \
	}
/* Of a function that returns nothing; ISO C has no `return f();` there. */
#define STUB_VOID(name, parameters, ...)                                            \
	void name parameters                                                        \
	{                                                                           \
		if (on() && (INDEX_##name < REQUIRED || functions[INDEX_##name]))   \
			((__typeof__(name) *)functions[INDEX_##name])(__VA_ARGS__); \
	}

STUB_VOID(xptiFrameworkInitialize, (void))
STUB_VOID(xptiFrameworkFinalize, (void))
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiInitialize,
     (const char *stream, uint32_t major, uint32_t minor, const char *version), stream, major,
     minor, version)
STUB_VOID(xptiFinalize, (const char *stream), stream)
STUB_VOID(xptiReset, (void))
STUB(uint64_t, XPTI_INVALID_UID, xptiGetUniversalId, (void))
STUB_VOID(xptiSetUniversalId, (uint64_t uid), uid)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiStashTuple, (const char *key, uint64_t value), key, value)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiGetStashedTuple, (char **key, uint64_t *value), key,
     value)
STUB_VOID(xptiUnstashTuple, (void))
STUB(uint64_t, 0, xptiGetUniqueId, (void))
STUB(xpti_string_id_t, XPTI_INVALID_STRING, xptiRegisterString,
     (const char *string, char **table_string), string, table_string)
STUB(const char *, NULL, xptiLookupString, (xpti_string_id_t id), id)
STUB(xpti_object_id_t, XPTI_INVALID_OBJECT, xptiRegisterObject,
     (const char *data, size_t size, uint8_t type), data, size, type)
STUB(xpti_object_data_t, (xpti_object_data_t){0}, xptiLookupObject, (xpti_object_id_t id), id)
STUB(xpti_stream_id_t, XPTI_INVALID_STREAM, xptiRegisterStream, (const char *stream), stream)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiUnregisterStream, (const char *stream), stream)
STUB(uint16_t, UINT16_MAX, xptiRegisterUserDefinedTracePoint,
     (const char *tool, uint8_t trace_point), tool, trace_point)
STUB(uint16_t, UINT16_MAX, xptiRegisterUserDefinedEventType, (const char *tool, uint8_t event_type),
     tool, event_type)
STUB(xpti_event_data_t *, NULL, xptiMakeEvent,
     (const char *name, xpti_payload_data_t *payload, uint16_t event_type,
      xpti_activity_type_t activity, uint64_t *instance),
     name, payload, event_type, activity, instance)
STUB_VOID(xptiReleaseEvent, (xpti_event_data_t * event), event)
STUB(const xpti_event_data_t *, NULL, xptiFindEvent, (uint64_t uid), uid)
STUB(const xpti_trace_event_t *, NULL, xptiLookupEvent, (uint64_t uid), uid)
STUB(uint64_t, XPTI_INVALID_UID, xptiRegisterPayload, (xpti_payload_data_t * payload), payload)
STUB(const xpti_payload_data_t *, NULL, xptiQueryPayload, (xpti_event_data_t * event), event)
STUB(const xpti_payload_data_t *, NULL, xptiQueryPayloadByUID, (uint64_t uid), uid)
STUB(const xpti_payload_t *, NULL, xptiLookupPayload, (uint64_t uid), uid)
STUB(xpti_tracepoint_t *, NULL, xptiCreateTracepoint,
     (const char *function, const char *file, uint32_t line, uint32_t column, void *code), function,
     file, line, column, code)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiDeleteTracepoint, (xpti_tracepoint_t * tracepoint),
     tracepoint)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiRegisterCallback,
     (xpti_stream_id_t stream, uint16_t trace_type, xpti_callback_t callback), stream, trace_type,
     callback)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiUnregisterCallback,
     (xpti_stream_id_t stream, uint16_t trace_type, xpti_callback_t callback), stream, trace_type,
     callback)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiNotifySubscribers,
     (xpti_stream_id_t stream, uint16_t trace_type, xpti_event_data_t *parent,
      xpti_event_data_t *event, uint64_t instance, const void *user_data),
     stream, trace_type, parent, event, instance, user_data)
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiAddMetadata,
     (xpti_event_data_t * event, const char *key, xpti_object_id_t value), event, key, value)
STUB(xpti_metadata_map_t *, NULL, xptiQueryMetadata, (xpti_event_data_t * event), event)
STUB(bool, false, xptiTraceEnabled, (void))
STUB_VOID(xptiForceSetTraceEnabled, (bool enabled), enabled)
STUB(const xpti_tracepoint_t *, NULL, xptiGetTracepointScopeData, (void))
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiSetTracepointScopeData, (xpti_tracepoint_t * tracepoint),
     tracepoint)
STUB_VOID(xptiUnsetTracepointScopeData, (void))
STUB(const xpti_tracepoint_t *, NULL, xptiRegisterTracepointScope,
     (const char *function, const char *file, uint32_t line, uint32_t column, void *code), function,
     file, line, column, code)
STUB_VOID(xptiEnableTracepointScopeNotification, (bool enabled), enabled)
STUB(bool, false, xptiCheckTracepointScopeNotification, (void))
STUB(xpti_stream_id_t, XPTI_INVALID_STREAM, xptiGetDefaultStreamID, (void))
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiSetDefaultStreamID, (xpti_stream_id_t stream), stream)
STUB(xpti_event_type_t, xpti_event_algorithm, xptiGetDefaultEventType, (void))
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiSetDefaultEventType, (xpti_event_type_t type), type)
STUB(xpti_trace_point_t, xpti_function_begin, xptiGetDefaultTraceType, (void))
STUB(xpti_result_t, XPTI_RESULT_FAIL, xptiSetDefaultTraceType, (xpti_trace_point_t type), type)
STUB(xpti_detail_level_t, XPTI_STREAM_DETAIL_LEVEL_NORMAL, xptiGetEffectiveStreamDetailLevel,
     (xpti_stream_id_t stream), stream)

/* Dispatchers up to 2023.2 know whether anybody listens, but not to what. */
bool xptiCheckTraceEnabled(xpti_stream_id_t stream, uint16_t trace_type)
{
	FORWARD(xptiCheckTraceEnabled, stream, trace_type);
	return xptiTraceEnabled();
}

void xptiTraceTryToEnable(void)
{
	int off = OFF;

	atomic_compare_exchange_strong(&state, &off, UNDECIDED);
	on();
}
