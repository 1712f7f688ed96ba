/* SPDX-License-Identifier: MIT */
/* One API call's record: begun before the real call, ended after it.
 *
 *   struct tandem_call call;
 *   struct layout *record = tandem_call_begin(&call, id, sizeof(*record));
 *   if (record) { record->flags = flags; tandem_call_commit(&call); }
 *   error = real(...);
 *   tandem_call_end(&call, error);
 *
 * The begin and end stamps lie around the real call as tightly as they can. A
 * call that never returns keeps end = 0. Nested calls (a callback that calls
 * the API) simply nest. No state is left behind when the program leaves the
 * call by longjmp.
 */
#ifndef TANDEM_CORE_CALL_H
#define TANDEM_CORE_CALL_H

#include <string.h>

#include "core/object.h"
#include "core/stream/stream.h"

struct tandem_call {
	struct tandem_call_record *record; /* NULL: not recorded */
	uint64_t stream;		   /* in which it was begun */
};

static inline __attribute__((always_inline)) void *tandem_call_begin(struct tandem_call *call,
								     uint16_t id, uint32_t bytes)
{
	struct tandem_call_record *record = record_begin(id, bytes, TANDEM_RECORD_CALL);

	call->record = record;
	if (tandem_likely(record)) {
		call->stream = tandem_thread.stream;
		record->result = 0;
		record->end = 0;
	}
	return record;
}

static inline __attribute__((always_inline)) void tandem_call_commit(struct tandem_call *call)
{
	(void)call;
	record_publish(true);
	if (tandem_unlikely(tandem_thread.after))
		tandem_record_give(&tandem_thread);
}

/* Where sinks (sinks/sink.h) find the call's arguments: space of so many bytes in which they
 * are until the call has ended, and in which `returned_bytes` at `returned_at` are for what
 * it returns. NULL: no sink wants the call. Between publish and tandem_record_after(). */
#define TANDEM_CALL_ARGS_MOST 192u
void *tandem_call_args(uint32_t bytes, uint32_t returned_at, uint32_t returned_bytes);

/* The same for arguments that lie elsewhere, of so many bytes; 0: their size is not known. */
void tandem_call_args_at(const void *args, uint32_t bytes);

/* What sinks are to know of the record that this thread makes next, which is of that event: the
 * id of one whose record has none, as what a device does for a call that counts as none that
 * enqueues (0: no such id); and an address in the call's own frame, where its record is begun in
 * a function that returns before the call does (NULL: it is not). Records between that and the
 * call's end come from frames below it, and one from above it means that the call was left by
 * longjmp().
 *
 *	tandem_call_prepare(&before, id, operation, frame);
 *	... the record
 *	tandem_call_restore(&before);
 *
 * A signal handler's records in between have other events, or are prepared themselves. */
struct call_prepared {
	uint64_t id;
	uintptr_t frame;
	uint16_t event; /* 0: none */
};

void call_prepare(struct call_prepared *before, uint16_t event, uint64_t id, const void *frame);
void call_restore(const struct call_prepared *before);

static inline void tandem_call_prepare(struct call_prepared *before, uint16_t event, uint64_t id,
				       const void *frame)
{
	before->event = 0;
	if (tandem_unlikely(tandem_thread.tap))
		call_prepare(before, event, id, frame);
}

static inline void tandem_call_restore(const struct call_prepared *before)
{
	if (tandem_unlikely(tandem_thread.tap))
		call_restore(before);
}

/* What follows the publishing of a call's record. struct TYPE has the arguments, of which the
 * initializers follow; they are put in their place only where a sink wants them. */
#define tandem_call_give(type, returned_at, returned_bytes, ...)                               \
	do {                                                                                   \
		if (tandem_unlikely(tandem_thread.after)) {                                    \
			struct type *args_ =                                                   \
				tandem_call_args(sizeof(*args_), returned_at, returned_bytes); \
			_Static_assert(sizeof(*args_) <= TANDEM_CALL_ARGS_MOST, #type);        \
			if (args_)                                                             \
				*args_ = (struct type){__VA_ARGS__};                           \
			tandem_record_give(&tandem_thread);                                    \
		}                                                                              \
	} while (0)

/* tandem_call_commit() with the arguments. */
#define tandem_call_commit_args(call, type, returned_at, returned_bytes, ...)     \
	do {                                                                      \
		(void)(call);                                                     \
		record_publish(true);                                             \
		tandem_call_give(type, returned_at, returned_bytes, __VA_ARGS__); \
	} while (0)

/* The same with arguments that stay where they are until the call has ended. */
static inline __attribute__((always_inline)) void
tandem_call_commit_at(struct tandem_call *call, const void *args, uint32_t bytes)
{
	(void)call;
	record_publish(true);
	if (tandem_unlikely(tandem_thread.after)) {
		tandem_call_args_at(args, bytes);
		tandem_record_give(&tandem_thread);
	}
}

static inline __attribute__((always_inline)) void call_store_end(struct tandem_call_record *record,
								 int32_t result, uint64_t end,
								 const void *returned,
								 uint32_t returned_bytes)
{
	record->result = result;
	if (returned_bytes)
		memcpy(record + 1, returned, returned_bytes);
	record->end = end;
}

/* The call began with a sink, in an earlier sub-buffer of a flight recorder's, or in another
 * stream: before a fork, in the parent's. `value` is what the function returned. */
void call_end_elsewhere(const struct tandem_call *call, int32_t result, uint64_t end,
			const void *returned, uint32_t returned_bytes, uint64_t value);

/* `end`: tandem_ticks() just after the real call. */
static inline __attribute__((always_inline)) void call_end(const struct tandem_call *call,
							   int32_t result, uint64_t end,
							   const void *returned,
							   uint32_t returned_bytes, uint64_t value)
{
	if (tandem_likely(call->record && call->stream == tandem_thread.stream)) {
		call_store_end(call->record, result, end, returned, returned_bytes);
	} else if (call->record) {
		call_end_elsewhere(call, result, end, returned, returned_bytes, value);
	}
}

static inline __attribute__((always_inline)) void tandem_call_end(const struct tandem_call *call,
								  int32_t result)
{
	call_end(call, result, tandem_call_ticks(), NULL, 0, (uint32_t)result);
}

/* For layouts whose first field is `u32 returned`: our number of the object, whose handle
 * the call returned. Finding that takes longer than the call may have, so `end` was read
 * before. */
static inline void tandem_call_end_object(const struct tandem_call *call, int32_t result,
					  uint64_t end, uint32_t number, const void *handle)
{
	call_end(call, result, end, &number, sizeof(number), (uint64_t)(uintptr_t)handle);
}

/* For layouts whose first field is `u64 returned`: an address, or an operation. */
static inline void tandem_call_end_pointer(const struct tandem_call *call, int32_t result,
					   uint64_t end, uint64_t pointer, const void *handle)
{
	call_end(call, result, end, &pointer, sizeof(pointer), (uint64_t)(uintptr_t)handle);
}

#endif
