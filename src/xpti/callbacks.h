/* SPDX-License-Identifier: MIT */
/*
 * Who is called for a trace type of a stream. Registering takes a lock; finding and walking a
 * list takes none, and a list never moves: callbacks_find() is three loads.
 */
#ifndef XPTI_CALLBACKS_H
#define XPTI_CALLBACKS_H

#include "xpti/xpti_trace_framework.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place of a list is never given to another callback: who unregisters leaves it inactive. */
struct callback_slot {
	xpti_callback_t function;
	uint64_t active;
};

#define CALLBACK_SLOTS 3

struct callback_list {
	uint32_t used;	 /* of `slot`; read with acquire */
	uint32_t active; /* in all of the list; of the first block only */
	struct callback_slot slot[CALLBACK_SLOTS];
	struct callback_list *next;
};

/* The lists of 256 trace types, by their low byte. */
struct callback_page {
	struct callback_list *list[256];
};

struct callback_stream {
	struct callback_page *page[256]; /* by the high byte: the tool of user-defined types */
	uint32_t active;
};

extern struct callback_stream *callback_streams[256];

/* NULL: nobody ever registered there. */
static inline struct callback_list *callbacks_find(xpti_stream_id_t stream, uint16_t trace_type)
{
	struct callback_stream *of = __atomic_load_n(&callback_streams[stream], __ATOMIC_ACQUIRE);
	struct callback_page *page;

	if (!of)
		return NULL;
	page = __atomic_load_n(&of->page[trace_type >> 8], __ATOMIC_ACQUIRE);
	return page ? __atomic_load_n(&page->list[trace_type & 255], __ATOMIC_ACQUIRE) : NULL;
}

/* Somebody would be called; 0: for any type of the stream. */
bool callbacks_subscribed(xpti_stream_id_t stream, uint16_t trace_type);

/* As xptiRegisterCallback() and xptiUnregisterCallback() return. */
xpti_result_t callbacks_add(xpti_stream_id_t stream, uint16_t trace_type, xpti_callback_t function);
xpti_result_t callbacks_remove(xpti_stream_id_t stream, uint16_t trace_type,
			       xpti_callback_t function);
/* All of a stream. NOTFOUND: it never had one. */
xpti_result_t callbacks_remove_stream(xpti_stream_id_t stream);
/* Wherever it is registered: it threw. */
void callbacks_remove_everywhere(xpti_callback_t function);
void callbacks_reset(void);

/* Around fork(). */
void callbacks_lock(void);
void callbacks_unlock(void);

#ifdef __cplusplus
}
#endif

#endif
