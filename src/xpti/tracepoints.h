/* SPDX-License-Identifier: MIT */
/*
 * Trace points: the places that payloads name, and the events there.
 *
 * What an event is differs between generations of the interface, and who asks decides it
 * (framework.c): up to 2025.0 all visits of a place share one event (TRACEPOINT_SHARED); since
 * 2025.1 each visit has an event of its own, which whoever made it gives back.
 *
 * An ID names a slot and how often the slot was used before: looking it up is two loads and a
 * comparison, and no ID comes twice in a process. Slots are never unmapped, so a look-up of an
 * ID that is being released reads memory of ours, and finds it or not.
 */
#ifndef XPTI_TRACEPOINTS_H
#define XPTI_TRACEPOINTS_H

#include "tracepoint.h"
#include "xpti/xpti_trace_framework.h"

enum tracepoint_mode { TRACEPOINT_SHARED, TRACEPOINT_EACH };

/* 0, or -ENOMEM. */
int tracepoints_init(void);
void tracepoints_set_mode(enum tracepoint_mode mode);
enum tracepoint_mode tracepoints_mode(void);

/*
 * The trace point of a visit to the payload's place; `payload` gets its ID. NULL: it names no
 * place, or no memory. With an event: this is a visit, counted in *instance.
 */
struct tracepoint *tracepoint_make(xpti_payload_data_t *payload, bool event, uint64_t *instance);
/* NULL: no such ID (any more). Without `event`, trace points count whose event was never made. */
struct tracepoint *tracepoint_find(uint64_t uid, bool event);
/* False: it is none, or released already. */
bool tracepoint_release(uint64_t uid);

/* 0: new, 1: replaced, -1: no memory. */
int tracepoint_add_metadata(xpti_event_data_t *event, xpti_string_id_t key, xpti_object_id_t value);

/* Releases all of them. Nobody may use one. */
void tracepoints_reset(void);

/* Around fork(). */
void tracepoints_lock_all(void);
void tracepoints_unlock_all(void);

#endif
