/* SPDX-License-Identifier: MIT */
/* XPTI's functions of events, their payloads and metadata, and of tracepoints: one thing by three
 * names (tracepoint.h). */
#pragma GCC visibility push(default) /* what this file defines of it */
#include "xpti/xpti_trace_framework.h"
#pragma GCC visibility pop

#include "framework.h"
#include "string_table.h"
#include "tracepoint.h"
#include "tracepoints.h"

xpti_event_data_t *xptiMakeEvent(const char *name, xpti_payload_data_t *payload,
				 uint16_t event_type, xpti_activity_type_t activity,
				 uint64_t *instance)
{
	xpti_payload_data_t copy; /* several threads may make events of one payload */
	struct tracepoint *made;

	(void)name;
	ready();
	if (!payload || !instance)
		return NULL;
	copy = *payload;
	made = tracepoint_make(&copy, true, instance);
	if (!made)
		return NULL;
	/* Of a shared event, by several threads, but the same. */
	__atomic_store_n(&made->event.event_type, event_type, __ATOMIC_RELAXED);
	__atomic_store_n(&made->event.activity_type, (uint16_t)activity, __ATOMIC_RELAXED);
	return &made->event;
}

void xptiReleaseEvent(xpti_event_data_t *event)
{
	if (event)
		tracepoint_release(event->unique_id);
}

const xpti_event_data_t *xptiFindEvent(uint64_t uid)
{
	struct tracepoint *found = tracepoint_find(uid, true);

	return found ? &found->event : NULL;
}

const xpti_trace_event_t *xptiLookupEvent(uint64_t uid)
{
	struct tracepoint *found = tracepoint_find(uid, true);

	return found ? (const xpti_trace_event_t *)&found->face[FACE_EVENT] : NULL;
}

uint64_t xptiRegisterPayload(xpti_payload_data_t *payload)
{
	struct tracepoint *made;

	ready();
	made = tracepoint_make(payload, false, NULL);
	return made ? made->payload.internal : XPTI_INVALID_UID;
}

const xpti_payload_data_t *xptiQueryPayload(xpti_event_data_t *event)
{
	return event && event->unique_id ? event->reserved.payload : NULL;
}

const xpti_payload_data_t *xptiQueryPayloadByUID(uint64_t uid)
{
	struct tracepoint *found = tracepoint_find(uid, false);

	return found ? &found->payload : NULL;
}

const xpti_payload_t *xptiLookupPayload(uint64_t uid)
{
	struct tracepoint *found = tracepoint_find(uid, false);

	return found ? (const xpti_payload_t *)&found->face[FACE_PAYLOAD] : NULL;
}

xpti_tracepoint_t *xptiCreateTracepoint(const char *function, const char *file, uint32_t line,
					uint32_t column, void *code)
{
	xpti_payload_data_t payload = {
		.name = function,
		.source_file = file,
		.line_no = line,
		.column_no = column,
		.code_ptr_va = code,
	};
	struct tracepoint *made;

	ready();
	if (function && *function)
		payload.flags |= xpti_payload_NameAvailable;
	if (file && *file)
		payload.flags |= xpti_payload_SourceFileAvailable | xpti_payload_LineInfoAvailable |
				 xpti_payload_ColumnInfoAvailable;
	/* A proxy of 2025 passes four arguments: `code` alone says nothing that can be relied on. */
	if (!payload.flags) {
		payload.name = UNKNOWN_FUNCTION;
		payload.source_file = UNKNOWN_FILE;
		payload.line_no = payload.column_no = 0;
		payload.flags = xpti_payload_NameAvailable | xpti_payload_SourceFileAvailable |
				xpti_payload_LineInfoAvailable | xpti_payload_ColumnInfoAvailable;
	}
	if (code)
		payload.flags |= xpti_payload_CodePointerAvailable;
	made = tracepoint_make(&payload, true, NULL);
	return made ? (xpti_tracepoint_t *)&made->face[FACE_TRACEPOINT] : NULL;
}

xpti_result_t xptiDeleteTracepoint(xpti_tracepoint_t *tracepoint)
{
	if (!tracepoint || !tracepoint_release(tracepoint->methods->uid64(tracepoint)))
		return XPTI_RESULT_INVALIDARG;
	return XPTI_RESULT_SUCCESS;
}

xpti_result_t xptiAddMetadata(xpti_event_data_t *event, const char *key, xpti_object_id_t value)
{
	struct intern_entry *entry;
	int result;

	if (!event || !event->unique_id || !key)
		return XPTI_RESULT_INVALIDARG;
	entry = strings_add(key);
	result = entry ? tracepoint_add_metadata(event, entry->id, value) : -1;
	if (result < 0)
		return XPTI_RESULT_FAIL;
	return result ? XPTI_RESULT_DUPLICATE : XPTI_RESULT_SUCCESS;
}

xpti_metadata_map_t *xptiQueryMetadata(xpti_event_data_t *event)
{
	return event && event->unique_id ? &event->reserved.metadata : NULL;
}
