/* SPDX-License-Identifier: MIT */
#include "callbacks.h"

#include <stdlib.h>

#include "spinlock.h"

struct callback_stream *callback_streams[256];
static struct spinlock lock;

static void *made(void **where, size_t bytes)
{
	if (!*where)
		__atomic_store_n(where, calloc(1, bytes), __ATOMIC_RELEASE);
	return *where;
}

static struct callback_list *list_of(xpti_stream_id_t stream, uint16_t trace_type)
{
	struct callback_stream *of = made((void **)&callback_streams[stream], sizeof(*of));
	struct callback_page *page;

	if (!of)
		return NULL;
	page = made((void **)&of->page[trace_type >> 8], sizeof(*page));
	if (!page)
		return NULL;
	return made((void **)&page->list[trace_type & 255], sizeof(struct callback_list));
}

static struct callback_slot *slot_of(struct callback_list *list, xpti_callback_t function)
{
	for (; list; list = list->next)
		for (uint32_t i = 0; i < list->used; i++)
			if (list->slot[i].function == function)
				return &list->slot[i];
	return NULL;
}

static void set_active(struct callback_stream *stream, struct callback_list *list,
		       struct callback_slot *slot, bool active)
{
	uint32_t change = active ? 1 : UINT32_MAX;

	if (slot->active == active)
		return;
	__atomic_store_n(&slot->active, active, __ATOMIC_RELEASE);
	__atomic_store_n(&list->active, list->active + change, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->active, stream->active + change, __ATOMIC_RELAXED);
}

static struct callback_slot *append(struct callback_list *list, xpti_callback_t function)
{
	struct callback_slot *slot;

	while (list->used == CALLBACK_SLOTS) {
		if (!made((void **)&list->next, sizeof(*list)))
			return NULL;
		list = list->next;
	}
	slot = &list->slot[list->used];
	slot->function = function;
	__atomic_store_n(&list->used, list->used + 1, __ATOMIC_RELEASE);
	return slot;
}

bool callbacks_subscribed(xpti_stream_id_t stream, uint16_t trace_type)
{
	struct callback_list *list;

	if (!trace_type) {
		struct callback_stream *of =
			__atomic_load_n(&callback_streams[stream], __ATOMIC_ACQUIRE);

		return of && __atomic_load_n(&of->active, __ATOMIC_RELAXED);
	}
	list = callbacks_find(stream, trace_type);
	return list && __atomic_load_n(&list->active, __ATOMIC_RELAXED);
}

xpti_result_t callbacks_add(xpti_stream_id_t stream, uint16_t trace_type, xpti_callback_t function)
{
	xpti_result_t result = XPTI_RESULT_SUCCESS;
	struct callback_list *list;
	struct callback_slot *slot;

	if (!function)
		return XPTI_RESULT_INVALIDARG;
	spin_lock(&lock);
	list = list_of(stream, trace_type);
	slot = slot_of(list, function);
	if (slot)
		result = slot->active ? XPTI_RESULT_DUPLICATE : XPTI_RESULT_UNDELETE;
	else if (list)
		slot = append(list, function);
	if (slot)
		set_active(callback_streams[stream], list, slot, true);
	else
		result = XPTI_RESULT_FAIL;
	spin_unlock(&lock);
	return result;
}

xpti_result_t callbacks_remove(xpti_stream_id_t stream, uint16_t trace_type,
			       xpti_callback_t function)
{
	xpti_result_t result = XPTI_RESULT_NOTFOUND;
	struct callback_list *list;
	struct callback_slot *slot;

	if (!function)
		return XPTI_RESULT_INVALIDARG;
	spin_lock(&lock);
	list = callbacks_find(stream, trace_type);
	slot = slot_of(list, function);
	if (slot) {
		result = slot->active ? XPTI_RESULT_SUCCESS : XPTI_RESULT_DUPLICATE;
		set_active(callback_streams[stream], list, slot, false);
	}
	spin_unlock(&lock);
	return result;
}

/* Every active callback of the stream, or that one only. */
static void remove_from(struct callback_stream *stream, xpti_callback_t only)
{
	for (unsigned p = 0; stream && p < 256; p++)
		for (unsigned t = 0; stream->page[p] && t < 256; t++) {
			struct callback_list *first = stream->page[p]->list[t];

			for (struct callback_list *list = first; list; list = list->next)
				for (uint32_t i = 0; i < list->used; i++)
					if (!only || list->slot[i].function == only)
						set_active(stream, first, &list->slot[i], false);
		}
}

xpti_result_t callbacks_remove_stream(xpti_stream_id_t stream)
{
	bool found;

	spin_lock(&lock);
	found = callback_streams[stream] != NULL;
	remove_from(callback_streams[stream], NULL);
	spin_unlock(&lock);
	return found ? XPTI_RESULT_SUCCESS : XPTI_RESULT_NOTFOUND;
}

void callbacks_remove_everywhere(xpti_callback_t function)
{
	spin_lock(&lock);
	for (unsigned s = 0; s < 256; s++)
		remove_from(callback_streams[s], function);
	spin_unlock(&lock);
}

void callbacks_reset(void)
{
	spin_lock(&lock);
	for (unsigned s = 0; s < 256; s++)
		remove_from(callback_streams[s], NULL);
	spin_unlock(&lock);
}

void callbacks_lock(void)
{
	spin_lock(&lock);
}

void callbacks_unlock(void)
{
	spin_unlock(&lock);
}
