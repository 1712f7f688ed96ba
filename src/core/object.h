/* SPDX-License-Identifier: MIT */
/* Numbers for the runtimes' objects. A handle (an address that a driver gives
 * and reuses) becomes a small number of our own that is never reused, so that
 * a trace can name an object without knowing its history. Events become the
 * operation id of their command.
 *
 * A handle is looked up by its kind: two runtimes, or one runtime for two types,
 * may use the same address. Numbers are unique among all domains' objects of a type.
 *
 * One table of the process, lock-free, without malloc: any thread, also in a
 * signal handler. What is found there is what was last said of that handle.
 *
 *   uint32_t queue = tandem_object_assign(TANDEM_KIND(opencl, queue), handle); // made
 *   uint32_t same = tandem_object_number(TANDEM_KIND(opencl, queue), handle);  // used
 */
#ifndef TANDEM_CORE_OBJECT_H
#define TANDEM_CORE_OBJECT_H

#include <stdint.h>

#include "schema/schema.h"

/* Of what a handle is one: domain and type, in the upper 12 bits. No two kinds of a
 * handle below 2^52, which every address is, have the same key (core/object.c); the bits
 * below make that unlikely for others, too. */
struct tandem_kind {
	uint64_t bits;
};

#define TANDEM_KIND_SHIFT 52
#define TANDEM_KIND_TYPES 64u

static inline struct tandem_kind tandem_kind(unsigned domain, unsigned type)
{
	return (struct tandem_kind){(uint64_t)(domain * TANDEM_KIND_TYPES + type) *
				    (((uint64_t)1 << TANDEM_KIND_SHIFT) + 0x9e3779b97)};
}

static inline unsigned tandem_kind_domain(struct tandem_kind kind)
{
	return (unsigned)(kind.bits >> TANDEM_KIND_SHIFT) / TANDEM_KIND_TYPES;
}

static inline unsigned tandem_kind_type(struct tandem_kind kind)
{
	return (unsigned)(kind.bits >> TANDEM_KIND_SHIFT) % TANDEM_KIND_TYPES;
}

#define TANDEM_KIND(domain, type) tandem_kind(TANDEM_DOMAIN_##domain, TANDEM_OBJECT_##type)

#define TANDEM_OBJECT_UNKNOWN UINT32_MAX
#define TANDEM_OP_UNKNOWN UINT64_MAX

/* A new number: the handle has just been given out. Describing it (the records
 * of core.events) is the caller's. TANDEM_OBJECT_UNKNOWN without memory. */
uint32_t tandem_object_assign(struct tandem_kind kind, const void *handle);

/* Another handle of an object that has a number: both lead there. */
void tandem_object_alias(struct tandem_kind kind, const void *handle, uint32_t number);

/* The handle's number; 0 for NULL. A handle that nobody has told us of (made
 * before the recording was on) gets a number now, and is described by the
 * domain after the record being made has been committed. */
uint32_t tandem_object_number(struct tandem_kind kind, const void *handle);

/* The handle's number if it has one that is valid now, else 0. */
uint32_t tandem_object_find(struct tandem_kind kind, const void *handle);

/* The handle is about to be given back: what comes under it later is new. */
void tandem_object_forget(struct tandem_kind kind, const void *handle);

/* The same table, for what a domain itself keeps of a handle: any value. 0 or -ENOMEM
 * (counted). */
#define TANDEM_HANDLE_STATE(domain) TANDEM_KIND(domain, none)
int tandem_handle_set(struct tandem_kind kind, const void *handle, uint64_t value);
uint64_t tandem_handle_get(struct tandem_kind kind, const void *handle); /* 0: nothing set */

/* Adds to a value that was set, in one step. Returns what it is then; 0: nothing was set. */
uint64_t tandem_handle_add(struct tandem_kind kind, const void *handle, int64_t delta);

/* An event stands for this operation from now on. */
void tandem_event_assign(struct tandem_kind kind, const void *event, uint64_t op);

/* A domain that holds a reference of its own to a program's event says so, to
 * be able to hide it. */
#define TANDEM_EVENT_HELD ((uint64_t)1 << 63)
int tandem_event_held(struct tandem_kind kind, const void *event);

/* 0 for NULL, TANDEM_OP_UNKNOWN for an event we know nothing of. */
uint64_t tandem_event_op(struct tandem_kind kind, const void *event);

/* All objects that have a number which is valid now. Others may be made meanwhile. */
void tandem_objects_each(void (*found)(unsigned type, uint32_t number));

struct tandem_thread;

/* Describes the objects that the record just committed has named for the first time. */
void tandem_objects_describe(struct tandem_thread *thread);

#endif
