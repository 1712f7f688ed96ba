#include "core/call.h"

void call_end_late(const struct tandem_call *call, int32_t result, uint64_t end,
		   const void *returned, uint32_t returned_bytes)
{
	struct {
		int32_t result;
		uint64_t end;
		uint64_t returned;
	} __attribute__((packed)) tail = { .result = result, .end = end };
	uint64_t place;

	if (!call->record)
		return;
	if (returned_bytes)
		memcpy(&tail.returned, returned, returned_bytes);
	/* The window's address is the same for each of a stream's packets. */
	place = (uint64_t)((uint8_t *)&call->record->result - (uint8_t *)tandem_thread.window);
	tandem_stream_patch(call->packet, place, &tail, 12 + returned_bytes);
}
