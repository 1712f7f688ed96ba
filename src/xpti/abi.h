/* SPDX-License-Identifier: MIT */
/*
 * What crosses XPTI's binary interface as C++: the map of metadata, the four interfaces to a
 * trace point, and exceptions that a subscriber throws. The only C++ of the dispatcher is behind
 * this header.
 */
#ifndef XPTI_ABI_H
#define XPTI_ABI_H

#include "xpti/xpti_trace_framework.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tracepoint;
struct callback_list;

/* Once a slot. */
void abi_create_faces(struct tracepoint *tracepoint);

void abi_create_metadata(xpti_metadata_map_t *map);
void abi_destroy_metadata(xpti_metadata_map_t *map);
/* 0: new, 1: replaced, -1: no memory */
int abi_set_metadata(xpti_metadata_map_t *map, xpti_string_id_t key, xpti_object_id_t value);

/*
 * Calls every active callback of the list, in the order in which they were registered. One that
 * throws is not called again; what ends the thread passes.
 */
void abi_deliver(struct callback_list *list, uint16_t trace_type, xpti_event_data_t *parent,
		 xpti_event_data_t *event, uint64_t instance, const void *user_data);

/* Of a subscriber. False: it threw. */
bool abi_call_init(void (*init)(unsigned, unsigned, const char *, const char *), unsigned major,
		   unsigned minor, const char *version, const char *stream);
bool abi_call_finish(void (*finish)(const char *), const char *stream);
bool abi_call_level(bool (*query)(const char *, xpti_detail_level_t *), const char *stream,
		    xpti_detail_level_t *level);

#ifdef __cplusplus
}
#endif

#endif
