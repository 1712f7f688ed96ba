/* SPDX-License-Identifier: MIT */
/* What a signal handler does to a record that it interrupts. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#include "core/sandbox/sandbox.h"
#include "core/stream/lasting.h"
#include "core/stream/stream.h"

/* How far below the record's frame its handler's frames are looked for. */
#define STACK_BYTES (256u * 1024)
/* So many records were kept out, one after another: whoever set busy does not come back. */
#define BLOCKED_MOST 100000u

static uintptr_t stack_pointer(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

static bool on_other_stack(void)
{
	stack_t stack;

	return !sandbox_allows(SANDBOX_STACK) || sigaltstack(NULL, &stack) ||
	       stack.ss_flags & SS_ONSTACK;
}

/* Whether these frames, which are of one stack, hold that of a handler which interrupted code whose stack pointer
 * was `pointer`, or a little less. */
__attribute__((noinline, no_sanitize("address", "thread"))) static bool
has_handler(uintptr_t from, uintptr_t pointer)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) /* which calls handlers later, itself */
	const uintptr_t *word = (const uintptr_t *)((from + 7) & ~(uintptr_t)7);

	/* The saved registers of a signal frame: rsp, rip, eflags, then cs (ucontext_t,
	 * gregs 15 to 18). */
	for (; (uintptr_t)(word + 4) <= pointer; word++)
		if (word[0] <= pointer && word[0] > pointer - 4096 && !(word[2] >> 32) &&
		    (word[3] & 0xffff) == 0x33)
			return true;
	return false;
#else
	(void)from, (void)pointer;
	return true;
#endif
}

/* Whether the frame that set busy is gone. Its handler's frames are below it on the same
 * stack: who is above has left both. */
static bool is_left(const struct tandem_thread *thread)
{
	uintptr_t pointer = stack_pointer();

	if (pointer + STACK_BYTES < thread->busy || thread->busy + STACK_BYTES < pointer)
		return false;
	/* Between two stacks there may be no memory. */
	if (on_other_stack())
		return false;
	return pointer >= thread->busy || !has_handler(pointer, thread->busy);
}

int tandem_record_blocked(struct tandem_thread *thread)
{
	struct tandem_packet_header *packet;
	struct tandem_record *record, *published;

	if (thread->blocked_at != thread->cursor)
		thread->blocked = 0;
	thread->blocked_at = thread->cursor;
	if (thread->blocked < BLOCKED_MOST && !is_left(thread)) {
		thread->blocked++;
		tandem_lost(TANDEM_LOSS_reentrant, 1);
		return -EBUSY;
	}
	thread->blocked = 0;
	thread->busy = 0;
	tandem_lasting_abandon(thread);
	if (thread->after & TANDEM_AFTER_SINKS)
		tandem_tap_abandon(thread);
	packet = thread->packet;
	record = (struct tandem_record *)thread->cursor;
	if (!packet)
		return 0;
	published = (void *)((uint8_t *)packet + ((packet->content_bits / 8 + 7) & ~(uint64_t)7));
	if (record > published) {
		/* Left between the cursor's store and that which publishes: it is whole. */
		packet->content_bits =
			((uint64_t)((uint8_t *)published - (uint8_t *)packet) + published->size) *
			8;
	} else if (record->size && (uint8_t *)record < thread->reserved_end) {
		/* What is behind the cursor is zero until a record is begun there. */
		record->size = 0;
		tandem_lost(TANDEM_LOSS_reentrant, 1);
	}
	return 0;
}
