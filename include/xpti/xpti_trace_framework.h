/* SPDX-License-Identifier: MIT */
/*
 * The functions of the XPTI interface, for C and C++.
 *
 * A program or runtime that reports events links the proxy, libxpti.a, which defines all of them:
 * without a dispatcher each costs one branch and returns what the comment says for "off". With
 * XPTI_FRAMEWORK_DISPATCHER=/path/libxptifw.so (and XPTI_TRACE_ENABLE not 0) the proxy loads that
 * library once and forwards every call. The subscribers that XPTI_SUBSCRIBERS names, separated
 * by commas, get the events by callbacks:
 *
 *	xptiFrameworkInitialize();
 *	xptiInitialize("my.stream", 1, 0, "1.0");
 *	xpti_stream_id_t stream = xptiRegisterStream("my.stream");
 *	if (xptiCheckTraceEnabled(stream, xpti_task_begin))
 *		xptiNotifySubscribers(stream, xpti_task_begin, NULL, event, instance, NULL);
 *
 * All functions may be called by any thread. Strings and objects live until xptiReset() or the
 * last xptiFrameworkFinalize(). doc/XPTI.md has the versions of the interface, and what this
 * implementation does where others differ.
 */
#ifndef XPTI_TRACE_FRAMEWORK_H
#define XPTI_TRACE_FRAMEWORK_H

#include "xpti/xpti_data_types.h"

/*
 * Interfaces to what the dispatcher holds, independent of its layouts. In C++ they are abstract
 * classes; in C the same objects are seen as a pointer to a table, which begins, as the C++ ABI
 * of all Unix compilers has it, with two destructors that are not the caller's to call.
 */
#ifdef __cplusplus
extern "C++" {
struct xpti_payload_t {
	virtual ~xpti_payload_t()
	{
	}
	virtual const char *name() const = 0;
	virtual const char *source_file() const = 0;
	virtual uint32_t line_no() const = 0;
	virtual uint32_t column_no() const = 0;
	virtual uint64_t payload_flags() const = 0;
	virtual int32_t name_string_id() const = 0;
	virtual int32_t file_string_id() const = 0;
	virtual uint64_t uid64() const = 0;
	virtual bool is_valid() const = 0;
	virtual xpti_payload_data_t *payload_ref() = 0;
};

/* SUCCESS: *key and value are set. FALSE: no (further) item. One walk at a time. */
struct xpti_metadata_t {
	virtual ~xpti_metadata_t()
	{
	}
	virtual xpti_result_t first_item(char **key, xpti_object_id_t &value) = 0;
	virtual xpti_result_t next_item(char **key, xpti_object_id_t &value) = 0;
	virtual xpti_result_t add_item(const char *key, xpti_object_id_t value) = 0;
	virtual size_t count() = 0;
};

struct xpti_trace_event_t {
	virtual ~xpti_trace_event_t()
	{
	}
	virtual xpti_payload_t *payload() = 0;
	virtual xpti_metadata_t *metadata() = 0;
	virtual uint64_t uid64() const = 0;
	virtual uint64_t instance() const = 0;
	virtual uint16_t event_type() const = 0;
	virtual uint16_t activity_type() const = 0;
	virtual uint64_t source_uid64() const = 0;
	virtual uint64_t target_uid64() const = 0;
	virtual uint64_t event_flags() const = 0;
	virtual void set_activity_type(xpti_activity_type_t type) = 0;
	virtual void set_event_type(uint16_t type) = 0;
	virtual xpti_payload_data_t *payload_ref() = 0;
	virtual xpti_event_data_t *event_ref() = 0;
};

struct xpti_tracepoint_t {
	virtual ~xpti_tracepoint_t()
	{
	}
	virtual xpti_payload_t *payload() = 0;
	virtual xpti_metadata_t *metadata() = 0;
	virtual xpti_trace_event_t *event() = 0;
	virtual uint64_t uid64() const = 0;
	virtual uint64_t instance() const = 0;
	virtual xpti_event_data_t *event_ref() = 0;
	virtual xpti_payload_data_t *payload_ref() = 0;
};
}
#define XPTI_REFERENCE_(type) type &
#define XPTI_DEFAULT_(value) = value
extern "C" {
#else
typedef struct xpti_payload xpti_payload_t;
typedef struct xpti_metadata xpti_metadata_t;
typedef struct xpti_trace_event xpti_trace_event_t;
typedef struct xpti_tracepoint xpti_tracepoint_t;

struct xpti_payload_methods {
	void (*destructors[2])(void);
	const char *(*name)(const xpti_payload_t *);
	const char *(*source_file)(const xpti_payload_t *);
	uint32_t (*line_no)(const xpti_payload_t *);
	uint32_t (*column_no)(const xpti_payload_t *);
	uint64_t (*payload_flags)(const xpti_payload_t *);
	int32_t (*name_string_id)(const xpti_payload_t *);
	int32_t (*file_string_id)(const xpti_payload_t *);
	uint64_t (*uid64)(const xpti_payload_t *);
	bool (*is_valid)(const xpti_payload_t *);
	xpti_payload_data_t *(*payload_ref)(xpti_payload_t *);
};

struct xpti_payload {
	const struct xpti_payload_methods *methods;
};

struct xpti_metadata_methods {
	void (*destructors[2])(void);
	xpti_result_t (*first_item)(xpti_metadata_t *, char **key, xpti_object_id_t *value);
	xpti_result_t (*next_item)(xpti_metadata_t *, char **key, xpti_object_id_t *value);
	xpti_result_t (*add_item)(xpti_metadata_t *, const char *key, xpti_object_id_t value);
	size_t (*count)(xpti_metadata_t *);
};

struct xpti_metadata {
	const struct xpti_metadata_methods *methods;
};

struct xpti_trace_event_methods {
	void (*destructors[2])(void);
	xpti_payload_t *(*payload)(xpti_trace_event_t *);
	xpti_metadata_t *(*metadata)(xpti_trace_event_t *);
	uint64_t (*uid64)(const xpti_trace_event_t *);
	uint64_t (*instance)(const xpti_trace_event_t *);
	uint16_t (*event_type)(const xpti_trace_event_t *);
	uint16_t (*activity_type)(const xpti_trace_event_t *);
	uint64_t (*source_uid64)(const xpti_trace_event_t *);
	uint64_t (*target_uid64)(const xpti_trace_event_t *);
	uint64_t (*event_flags)(const xpti_trace_event_t *);
	void (*set_activity_type)(xpti_trace_event_t *, xpti_activity_type_t type);
	void (*set_event_type)(xpti_trace_event_t *, uint16_t type);
	xpti_payload_data_t *(*payload_ref)(xpti_trace_event_t *);
	xpti_event_data_t *(*event_ref)(xpti_trace_event_t *);
};

struct xpti_trace_event {
	const struct xpti_trace_event_methods *methods;
};

struct xpti_tracepoint_methods {
	void (*destructors[2])(void);
	xpti_payload_t *(*payload)(xpti_tracepoint_t *);
	xpti_metadata_t *(*metadata)(xpti_tracepoint_t *);
	xpti_trace_event_t *(*event)(xpti_tracepoint_t *);
	uint64_t (*uid64)(const xpti_tracepoint_t *);
	uint64_t (*instance)(const xpti_tracepoint_t *);
	xpti_event_data_t *(*event_ref)(xpti_tracepoint_t *);
	xpti_payload_data_t *(*payload_ref)(xpti_tracepoint_t *);
};

struct xpti_tracepoint {
	const struct xpti_tracepoint_methods *methods;
};
#define XPTI_REFERENCE_(type) type *
#define XPTI_DEFAULT_(value)
#endif

/*
 * Life. Every user of the interface calls Initialize first and Finalize last; at the last
 * Finalize streams that are still open are finalised, and the dispatcher's tables emptied.
 */
void xptiFrameworkInitialize(void);
void xptiFrameworkFinalize(void);

/* Calls every subscriber's xptiTraceInit(). INVALIDARG: a null pointer. Off: FAIL. */
xpti_result_t xptiInitialize(const char *stream, uint32_t major, uint32_t minor,
			     const char *version);
/* Calls every subscriber's xptiTraceFinish(), and drops the stream's callbacks. */
void xptiFinalize(const char *stream);

/* Forgets strings, objects, events, callbacks. Nothing may be in use; for tests. */
void xptiReset(void);

/* The 64-bit universal ID that layers below are to use, by thread. 0: none. */
uint64_t xptiGetUniversalId(void);
void xptiSetUniversalId(uint64_t uid);

/*
 * One key and value, by thread, for callbacks of the notification that follows; the key is kept
 * by reference. Stash: FAIL without a key. Get: INVALIDARG without `key`, NOTFOUND.
 */
xpti_result_t xptiStashTuple(const char *key, uint64_t value);
xpti_result_t xptiGetStashedTuple(char **key, XPTI_REFERENCE_(uint64_t) value);
void xptiUnstashTuple(void);

/* A number that this process never had before, and that is no event's either. Off: 0. */
uint64_t xptiGetUniqueId(void);

/* The ID of a string, the same for the same bytes. Off, null: XPTI_INVALID_STRING. */
xpti_string_id_t xptiRegisterString(const char *string, char **table_string);
/* null: no such ID */
const char *xptiLookupString(xpti_string_id_t id);

/* The ID of `size` bytes and their type, the same for the same. Off, null: invalid. */
xpti_object_id_t xptiRegisterObject(const char *data, size_t size, uint8_t type);
/* Size 0 and data null: no such ID */
xpti_object_data_t xptiLookupObject(xpti_object_id_t id);

/* The ID of a stream, the same for the same name. 0xff: null, or 254 others before it. */
xpti_stream_id_t xptiRegisterStream(const char *stream);
/* As xptiFinalize(). NOTFOUND: no callback was registered for it. */
xpti_result_t xptiUnregisterStream(const char *stream);

/* A type of `tool`'s own, from a number of 7 bits; the lowest is 1 for an end. */
uint16_t xptiRegisterUserDefinedTracePoint(const char *tool, uint8_t trace_point);
uint16_t xptiRegisterUserDefinedEventType(const char *tool, uint8_t event_type);

/*
 * An event at a place. *instance is which visit of it this is, from 1. Null: the payload says
 * nothing, or `instance` is null. xptiReleaseEvent() gives its memory back, and its ID is never
 * used again.
 */
xpti_event_data_t *xptiMakeEvent(const char *name, xpti_payload_data_t *payload,
				 uint16_t event_type, xpti_activity_type_t activity,
				 uint64_t *instance);
void xptiReleaseEvent(xpti_event_data_t *event);
/* Null: no such event (any more). */
const xpti_event_data_t *xptiFindEvent(uint64_t uid);
const xpti_trace_event_t *xptiLookupEvent(uint64_t uid);

/* The place's universal ID; `payload->internal` and its flags are set. 0: it says nothing. */
uint64_t xptiRegisterPayload(xpti_payload_data_t *payload);
const xpti_payload_data_t *xptiQueryPayload(xpti_event_data_t *event);
const xpti_payload_data_t *xptiQueryPayloadByUID(uint64_t uid);
const xpti_payload_t *xptiLookupPayload(uint64_t uid);

/* Payload and event in one. xptiDeleteTracepoint() gives it back. */
xpti_tracepoint_t *xptiCreateTracepoint(const char *function, const char *file, uint32_t line,
					uint32_t column, void *code XPTI_DEFAULT_(nullptr));
xpti_result_t xptiDeleteTracepoint(xpti_tracepoint_t *tracepoint);

/* SUCCESS, DUPLICATE: registered already, UNDELETE: again, INVALIDARG: null. */
xpti_result_t xptiRegisterCallback(xpti_stream_id_t stream, uint16_t trace_type,
				   xpti_callback_t callback);
/* SUCCESS, DUPLICATE: unregistered already, NOTFOUND, INVALIDARG. */
xpti_result_t xptiUnregisterCallback(xpti_stream_id_t stream, uint16_t trace_type,
				     xpti_callback_t callback);
/*
 * Calls every callback of the stream and trace type. FALSE: tracing is not enabled. INVALIDARG:
 * no event, and not one of the trace types that may do without (with user_data then).
 */
xpti_result_t xptiNotifySubscribers(xpti_stream_id_t stream, uint16_t trace_type,
				    xpti_event_data_t *parent, xpti_event_data_t *event,
				    uint64_t instance, const void *user_data);

/* SUCCESS, DUPLICATE: replaced the value of that key, INVALIDARG. */
xpti_result_t xptiAddMetadata(xpti_event_data_t *event, const char *key, xpti_object_id_t value);
xpti_metadata_map_t *xptiQueryMetadata(xpti_event_data_t *event);

/* A subscriber is there, and XPTI_TRACE_ENABLE does not forbid. Off: false. */
bool xptiTraceEnabled(void);
/* Somebody subscribed to that stream and type; 0: to any type of the stream. */
bool xptiCheckTraceEnabled(xpti_stream_id_t stream, uint16_t trace_type XPTI_DEFAULT_(0));
void xptiForceSetTraceEnabled(bool enabled);
/* The proxy looks at the environment again, if it has no dispatcher yet. */
void xptiTraceTryToEnable(void);

/* The trace point that layers below are to use, by thread. */
const xpti_tracepoint_t *xptiGetTracepointScopeData(void);
xpti_result_t xptiSetTracepointScopeData(xpti_tracepoint_t *tracepoint);
void xptiUnsetTracepointScopeData(void);
const xpti_tracepoint_t *xptiRegisterTracepointScope(const char *function, const char *file,
						     uint32_t line, uint32_t column,
						     void *code XPTI_DEFAULT_(nullptr));
void xptiEnableTracepointScopeNotification(bool enabled);
bool xptiCheckTracepointScopeNotification(void);

/* What scoped helpers use where nothing else is said. */
xpti_stream_id_t xptiGetDefaultStreamID(void);
xpti_result_t xptiSetDefaultStreamID(xpti_stream_id_t stream);
xpti_event_type_t xptiGetDefaultEventType(void);
xpti_result_t xptiSetDefaultEventType(xpti_event_type_t type);
xpti_trace_point_t xptiGetDefaultTraceType(void);
xpti_result_t xptiSetDefaultTraceType(xpti_trace_point_t type);

/* The highest level that a subscriber asked for. Off, no wish: NORMAL. */
xpti_detail_level_t xptiGetEffectiveStreamDetailLevel(xpti_stream_id_t stream);

/*
 * What a subscriber defines. Init is called for each stream, by whoever makes it; Finish when it
 * ends, which may be after the destructors of static objects. The third is optional.
 */
__attribute__((visibility("default"))) void xptiTraceInit(unsigned major, unsigned minor,
							  const char *version, const char *stream);
__attribute__((visibility("default"))) void xptiTraceFinish(const char *stream);
__attribute__((visibility("default"))) bool
xptiQuerySubscriberStreamDetailLevel(const char *stream, xpti_detail_level_t *level);

#ifdef __cplusplus
}
#else
/* One item of an event's metadata. */
typedef struct xpti_metadata_item {
	struct xpti_metadata_item *next;
	xpti_string_id_t key;
	xpti_object_id_t value;
} xpti_metadata_item_t;

/*
 * The item after `item`, the first for null; null at the end. This is how libstdc++ lays out a
 * std::unordered_map of integers, which is what XPTI's binary interface says:
 *
 *	xpti_metadata_map_t *map = xptiQueryMetadata(event);
 *	for (item = xpti_metadata_next(map, NULL); item; item = xpti_metadata_next(map, item))
 */
static inline const xpti_metadata_item_t *xpti_metadata_next(const xpti_metadata_map_t *map,
							     const xpti_metadata_item_t *item)
{
	return item ? item->next : (const xpti_metadata_item_t *)(uintptr_t)map->opaque[2];
}

static inline size_t xpti_metadata_count(const xpti_metadata_map_t *map)
{
	return map->opaque[3];
}
#endif
#undef XPTI_REFERENCE_
#undef XPTI_DEFAULT_

#endif
