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
#include "core/stream.h"

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
	tandem_record_commit();
}

/* The call began with a sink, or in another stream: before a fork, in the parent's. */
void call_end_elsewhere(const struct tandem_call *call, int32_t result, uint64_t end,
			const void *returned, uint32_t returned_bytes);

/* `end`: tandem_ticks() just after the real call. */
static inline __attribute__((always_inline)) void call_end(const struct tandem_call *call,
							   int32_t result, uint64_t end,
							   const void *returned,
							   uint32_t returned_bytes)
{
	if (tandem_likely(call->record && call->stream == tandem_thread.stream)) {
		call->record->result = result;
		if (returned_bytes)
			memcpy(call->record + 1, returned, returned_bytes);
		call->record->end = end;
	} else if (call->record) {
		call_end_elsewhere(call, result, end, returned, returned_bytes);
	}
}

static inline __attribute__((always_inline)) void tandem_call_end(const struct tandem_call *call,
								  int32_t result)
{
	call_end(call, result, tandem_ticks(), NULL, 0);
}

/* For layouts whose first field is `u32 returned`: our number of the object.
 * Finding that takes longer than the call may have, so `end` was read before. */
static inline void tandem_call_end_object(const struct tandem_call *call, int32_t result,
					  uint64_t end, uint32_t number)
{
	call_end(call, result, end, &number, sizeof(number));
}

/* For layouts whose first field is `u64 returned`: an address. */
static inline void tandem_call_end_pointer(const struct tandem_call *call, int32_t result,
					   uint64_t end, uint64_t pointer)
{
	call_end(call, result, end, &pointer, sizeof(pointer));
}

#endif
