#include "analysis/clocksync/enqueue_times.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/packet.h"

#define SLOTS_BITS 12u

/* A command that never ends keeps its slot until so many others were refused it. */
#define REFUSALS 64u

struct begins_slot {
	uint64_t op; /* 0: free */
	struct call_span span;
	uint32_t process, refused;
};

/* A thread's consecutive commands have consecutive slots, which the processor
 * fetches ahead; where a thread begins is as good as random (Fibonacci hashing). */
static struct begins_slot *slot_of(const struct begins *begins, uint32_t process, uint64_t op)
{
	uint64_t thread = op & ~TANDEM_OP_COUNT_MASK;
	uint64_t first = (thread ^ (uint64_t)process << 20) * UINT64_C(0x9e3779b97f4a7c15);

	return &begins->slots[((first >> (64 - SLOTS_BITS)) + op) % (1u << SLOTS_BITS)];
}

int begins_note(struct begins *begins, uint32_t process, uint64_t op, struct call_span span)
{
	struct begins_slot *slot;

	if (!begins->slots) {
		begins->slots = calloc(1u << SLOTS_BITS, sizeof(*begins->slots));
		if (!begins->slots)
			return -ENOMEM;
	}
	slot = slot_of(begins, process, op);
	if (slot->op && slot->refused++ < REFUSALS)
		return 0;
	*slot = (struct begins_slot){.op = op, .span = span, .process = process};
	return 0;
}

bool begins_take(struct begins *begins, uint32_t process, uint64_t op, struct call_span *span)
{
	struct begins_slot *slot = begins->slots && op ? slot_of(begins, process, op) : NULL;

	if (!slot || slot->op != op || slot->process != process)
		return false;
	*span = slot->span;
	slot->op = 0;
	return true;
}

void begins_free(struct begins *begins)
{
	free(begins->slots);
	begins->slots = NULL;
}
