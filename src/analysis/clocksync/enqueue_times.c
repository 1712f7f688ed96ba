#include "analysis/clocksync/enqueue_times.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/packet.h"

#define SLOTS_BITS 12u

/* A command that never ends keeps its slot until so many others were refused it. */
#define REFUSALS 64u

struct enqueue_times_slot {
	uint64_t op; /* 0: free */
	struct call_span span;
	uint32_t process, refused;
};

/* A thread's consecutive commands have consecutive slots, which the processor
 * fetches ahead; where a thread begins is as good as random (Fibonacci hashing). */
static struct enqueue_times_slot *slot_of(const struct enqueue_times *enqueue_times,
					  uint32_t process, uint64_t op)
{
	uint64_t thread = op & ~TANDEM_OP_COUNT_MASK;
	uint64_t first = (thread ^ (uint64_t)process << 20) * UINT64_C(0x9e3779b97f4a7c15);

	return &enqueue_times->slots[((first >> (64 - SLOTS_BITS)) + op) % (1u << SLOTS_BITS)];
}

int enqueue_times_note(struct enqueue_times *enqueue_times, uint32_t process, uint64_t op,
		       struct call_span span)
{
	struct enqueue_times_slot *slot;

	if (!enqueue_times->slots) {
		enqueue_times->slots = calloc(1u << SLOTS_BITS, sizeof(*enqueue_times->slots));
		if (!enqueue_times->slots)
			return -ENOMEM;
	}
	slot = slot_of(enqueue_times, process, op);
	if (slot->op && slot->refused++ < REFUSALS)
		return 0;
	*slot = (struct enqueue_times_slot){.op = op, .span = span, .process = process};
	return 0;
}

bool enqueue_times_take(struct enqueue_times *enqueue_times, uint32_t process, uint64_t op,
			struct call_span *span)
{
	struct enqueue_times_slot *slot =
		enqueue_times->slots && op ? slot_of(enqueue_times, process, op) : NULL;

	if (!slot || slot->op != op || slot->process != process)
		return false;
	*span = slot->span;
	slot->op = 0;
	return true;
}

void enqueue_times_free(struct enqueue_times *enqueue_times)
{
	free(enqueue_times->slots);
	enqueue_times->slots = NULL;
}
