/* SPDX-License-Identifier: MIT */
/* Numbers for the runtimes' objects. A handle (an address that a driver gives
 * and reuses) becomes a small number of our own that is never reused, so that
 * a trace can name an object without knowing its history. Events become the
 * operation id of their command.
 *
 * One table of the process, lock-free, without malloc: any thread, also in a
 * signal handler. What is found there is what was last said of that handle.
 *
 *   uint32_t queue = tandem_object_assign(TANDEM_OBJECT_queue, handle); // made
 *   uint32_t same = tandem_object_number(TANDEM_OBJECT_queue, handle);  // used
 */
#ifndef TANDEM_CORE_OBJECT_H
#define TANDEM_CORE_OBJECT_H

#include <stdint.h>

#include "schema/schema.h"

#define TANDEM_OBJECT_UNKNOWN UINT32_MAX
#define TANDEM_OP_UNKNOWN UINT64_MAX

/* A new number: the handle has just been given out. Describing it (the records
 * of core.events) is the caller's. TANDEM_OBJECT_UNKNOWN without memory. */
uint32_t tandem_object_assign(unsigned type, const void *handle);

/* Another handle of an object that has a number: both lead there. */
void tandem_object_alias(unsigned type, const void *handle, uint32_t number);

/* The handle's number; 0 for NULL. A handle that nobody has told us of (made
 * before the recording was on) gets a number now, and is described by the
 * domain after the record being made has been committed. */
uint32_t tandem_object_number(unsigned type, const void *handle);

/* The handle's number if it has one that is valid now, else 0. */
uint32_t tandem_object_find(unsigned type, const void *handle);

/* The handle is about to be given back: what comes under it later is new. */
void tandem_object_forget(unsigned type, const void *handle);

/* The same table, for what a domain itself keeps of a handle: any value.
 * `kind` is a TANDEM_OBJECT_* or TANDEM_HANDLE_STATE. 0 or -ENOMEM (counted). */
#define TANDEM_HANDLE_STATE TANDEM_OBJECT_none
int tandem_handle_set(unsigned kind, const void *handle, uint64_t value);
uint64_t tandem_handle_get(unsigned kind, const void *handle); /* 0: nothing set */

/* An event stands for this operation from now on. */
void tandem_event_assign(const void *event, uint64_t op);

/* A domain that holds a reference of its own to a program's event says so, to
 * be able to hide it. */
#define TANDEM_EVENT_HELD ((uint64_t)1 << 63)
int tandem_event_held(const void *event);

/* 0 for NULL, TANDEM_OP_UNKNOWN for an event we know nothing of. */
uint64_t tandem_event_op(const void *event);

struct tandem_thread;

/* Describes the objects that the record just committed has named for the first time. */
void tandem_objects_describe(struct tandem_thread *thread);

/* How a domain describes an object that was met unannounced: writes its
 * record. Called in the thread that met it, outside of any record. */
void tandem_object_describer(void (*describe)(unsigned type, void *handle, uint32_t number));

#endif
