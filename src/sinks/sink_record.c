/* SPDX-License-Identifier: MIT */
/* A record that sinks get (sinks/sink.h), and the end of its call: what core's unusual branches
 * lead to (core/stream/stream.h, core/call/call.h). */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "core/call/call.h"
#include "core/control.h"
#include "core/object.h"
#include "core/process.h"
#include "core/sandbox/sandbox.h"
#include "core/stream/lasting.h"
#include "core/stream/stream.h"
#include "core/stream/stream_file.h"
#include "core/stream/stream_threads.h"
#include "schema/schema.h"
#include "sinks/tap.h"
#include "sinks/wanted.h"

/* A call that begins while a sink is attached: its stream is none, so that its end comes
 * here (call_end_elsewhere). */
#define STREAM_TAP (UINT64_MAX - 1)
/* Frames of one call are closer to each other. */
#define STACK_BYTES (256u * 1024)
/* From a call's frame to where its record is begun. */
#define FRAME_BYTES (32u * 1024)

/* The record that was being made is left for good. */
void tandem_tap_abandon(struct tandem_thread *thread)
{
	struct tap *tap = thread->tap;

	thread->after &= ~TANDEM_AFTER_SINKS;
	thread->stream = tap->stream;
	if (tap->in_scratch) {
		thread->cursor = tap->cursor;
		thread->packet = tap->packet;
	}
}

/* Whether a signal's handler runs on a stack of its own, which may be above the frames that it
 * interrupts. `unknown`: what to say where that can't be asked. */
static bool on_other_stack(bool unknown)
{
	stack_t stack;

	if (!sandbox_allows(SANDBOX_STACK) || sigaltstack(NULL, &stack))
		return unknown;
	return stack.ss_flags & SS_ONSTACK;
}

/* Whether the thread is in a sink's function, asked where its stack is at `pointer`. One that
 * was left by longjmp() is recognised by the stack, which is not below the call that it was
 * of. */
static bool tap_in_sink(struct tap *tap, uintptr_t pointer)
{
	if (tandem_likely(!tap->in_sink))
		return false;
	if (pointer < tap->in_sink || pointer - tap->in_sink > STACK_BYTES)
		return true;
	if (on_other_stack(true))
		return true;
	tap_rest(tap);
	return false;
}

bool tandem_sink_in_here(void)
{
	return tandem_thread.tap &&
	       tap_in_sink(tandem_thread.tap, (uintptr_t)__builtin_frame_address(0));
}

uint64_t tandem_sink_next_id(void)
{
	struct tap *tap = tandem_thread.tap;

	return tap && tap->prepared.id && tap->prepared.event == tap->record->id
		       ? tap->prepared.id
		       : tandem_operation_next();
}

void call_prepare(struct call_prepared *before, uint16_t event, uint64_t id, const void *frame)
{
	struct tap *tap = tandem_thread.tap;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), at = (uintptr_t)frame;

	*before = tap->prepared;
	tap->prepared.event = 0;
	tandem_barrier();
	tap->prepared.id = id;
	tap->prepared.frame = at > here && at - here < FRAME_BYTES ? at : 0;
	tandem_barrier();
	tap->prepared.event = event;
}

void call_restore(const struct call_prepared *before)
{
	struct tap *tap = tandem_thread.tap;

	tap->prepared.event = 0;
	tandem_barrier();
	tap->prepared.id = before->id;
	tap->prepared.frame = before->frame;
	tandem_barrier();
	tap->prepared.event = before->event;
}

/* The calls that were left by longjmp(): what is under way has its frame above the call that
 * begins at `pointer`. */
static bool is_left(const struct tap *tap, uintptr_t pointer)
{
	return tap->depth && tap->open[tap->depth - 1].pointer <= pointer &&
	       pointer - tap->open[tap->depth - 1].pointer < STACK_BYTES;
}

static void drop_left_calls(struct tap *tap, uintptr_t pointer)
{
	if (tandem_likely(!is_left(tap, pointer)) || on_other_stack(false))
		return;
	while (is_left(tap, pointer))
		tap->scratch_used = tap->open[--tap->depth].scratch_used;
}

/* Where the call that is being made will be kept; a deeper one has a place for its begin. */
static struct open_call *call_place(struct tap *tap)
{
	return &tap->open[tap->depth < OPEN_CALLS ? tap->depth : OPEN_CALLS];
}

/* The record goes into the trace. */
static int begin_in_stream(struct tandem_thread *thread, uint32_t bytes)
{
	if (thread->packet && thread->reserved_end - thread->cursor >= (ptrdiff_t)bytes &&
	    !stream_file_is_over(thread->file))
		return 0;
	return tandem_stream_advance(thread, bytes);
}

/* The record is the thread's next one: in the trace, or where only sinks want it, or the trace
 * has no room, in the scratch space. What is changed is kept, and it is known that it is, before
 * it is changed: a signal handler may leave by siglongjmp() at any moment (tandem_tap_abandon). */
static void record_divert(struct tandem_thread *thread, struct tap *tap, bool in_scratch)
{
	tap->in_scratch = in_scratch;
	tap->cursor = thread->cursor;
	tap->packet = thread->packet;
	tap->stream = thread->stream;
	tandem_barrier();
	thread->after |= TANDEM_AFTER_SINKS;
	tandem_barrier();
	if (in_scratch) {
		thread->cursor = tap->scratch + tap->scratch_used;
		thread->packet = &tap->header;
	}
	tap->record = (struct tandem_record *)thread->cursor;
	if (tap->is_call)
		thread->stream = STREAM_TAP;
}

/* While sinks are attached. */
static int advance_for_sinks(struct tandem_thread *thread, struct tap *tap, uint32_t bytes,
			     uint32_t what)
{
	uint16_t id = (uint16_t)what;
	uint32_t mask = wanted_by(id);
	int error = -EAGAIN;

	tap->mask = mask;
	tap->is_call = what & TANDEM_RECORD_CALL;
	tap->pointer = thread->busy;
	tap->call_pointer = thread->busy;
	if (tap->is_call && tap->prepared.frame && tap->prepared.event == id)
		tap->call_pointer = tap->prepared.frame;
	if (mask) {
		struct open_call *call;

		/* Other records may come from the frame in which the call's began. */
		if (tap->is_call)
			drop_left_calls(tap, tap->call_pointer);
		call = call_place(tap);
		call->args = NULL;
		call->args_bytes = 0;
		tap->call = call;
	}
	if (tandem_session_records(tandem_id_domain(id)))
		error = begin_in_stream(thread, bytes);
	if (!mask)
		return error;
	if (error && tap->scratch_used + TANDEM_ALIGNED(bytes) > SCRATCH_BYTES)
		return -EMSGSIZE;
	record_divert(thread, tap, error);
	return 0;
}

/* What is not the rule of a thread that has met a sink. 0: the record may be made. */
static __attribute__((noinline)) int advance_check(struct tandem_thread *thread, uint16_t id)
{
	struct tap *tap = thread->tap;

	if (tap && tap_in_sink(tap, thread->busy))
		return -EBUSY;
	/* A handler that interrupts a record which sinks have not got yet. */
	if (thread->after & TANDEM_AFTER_SINKS) {
		if (thread->busy < tap->pointer || on_other_stack(false)) {
			tandem_lost(TANDEM_LOSS_reentrant, 1);
			return -EBUSY;
		}
		tandem_tap_abandon(thread);
	}
	if (!thread->packet && tandem_session_dir[0])
		tandem_process_expects(tandem_id_domain(id));
	return 0;
}

int tandem_record_advance(struct tandem_thread *thread, uint32_t bytes, uint32_t what)
{
	struct tap *tap = thread->tap;

	if (!tap || tap->in_sink || thread->after & TANDEM_AFTER_SINKS ||
	    (!thread->packet && tandem_session_dir[0])) {
		int error = advance_check(thread, (uint16_t)what);

		if (error)
			return error;
	}
	if (tandem_likely(!atomic_load(&sinks_attached))) {
		if (thread->packet)
			tandem_record_limit(thread, thread->reserved_end);
		return begin_in_stream(thread, bytes);
	}
	tandem_control_refresh();
	if (tandem_unlikely(!tap))
		tap = tap_of(thread);
	if (tandem_unlikely(!tap)) {
		tandem_lost(TANDEM_LOSS_no_memory, 1);
		return -ENOMEM;
	}
	return advance_for_sinks(thread, tap, bytes, what);
}

static void give_record(struct tap *tap, struct open_call *call)
{
	tap_use(tap);
	for (uint32_t left = call->mask; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);
		struct tandem_sink *sink =
			atomic_load_explicit(&sink_slots[i].sink, memory_order_acquire);

		call->generations[i] =
			atomic_load_explicit(&sink_slots[i].generation, memory_order_relaxed);
		call->words[i][0] = 0;
		call->words[i][TANDEM_SINK_ARGS_BYTES] = call->args_bytes;
		if (sink && sink->record)
			sink->record(sink, &call->record->head, call->args, call->words[i]);
	}
	tap_leave(tap);
	tap->in_sink = 0;
}

static void give_end(struct tap *tap, struct open_call *call)
{
	tap_use(tap);
	for (uint32_t left = call->mask; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);
		struct tandem_sink *sink =
			atomic_load_explicit(&sink_slots[i].sink, memory_order_acquire);

		if (sink && sink->end &&
		    call->generations[i] ==
			    atomic_load_explicit(&sink_slots[i].generation, memory_order_relaxed))
			sink->end(sink, call->record, call->args, call->words[i]);
	}
	tap_leave(tap);
	tap->in_sink = 0;
}

void *tandem_call_args(uint32_t bytes, uint32_t returned_at, uint32_t returned_bytes)
{
	struct tandem_thread *thread = &tandem_thread;
	struct tap *tap = thread->tap;
	struct open_call *call;

	if (!(thread->after & TANDEM_AFTER_SINKS) || bytes > TANDEM_CALL_ARGS_MOST)
		return NULL;
	call = tap->call;
	call->args = call->space;
	call->args_bytes = bytes;
	call->returned_at = returned_at;
	call->returned_bytes = returned_bytes;
	return call->space;
}

void tandem_call_args_at(const void *args, uint32_t bytes)
{
	struct tandem_thread *thread = &tandem_thread;

	if (!(thread->after & TANDEM_AFTER_SINKS))
		return;
	thread->tap->call->args = args;
	thread->tap->call->args_bytes = args ? bytes : 0;
}

/* The record has been committed, as the thread's state says that was put in its place. Until
 * the flag goes, a handler's records keep out. */
static void after_commit(struct tandem_thread *thread)
{
	struct tap *tap = thread->tap;
	struct open_call *call = tap->call;
	int saved = *tap->error_number;

	thread->stream = tap->stream;
	if (tap->in_scratch) {
		thread->cursor = tap->cursor;
		thread->packet = tap->packet;
	}
	call->record = (struct tandem_call_record *)tap->record;
	call->stream = tap->in_scratch ? STREAM_TAP : tap->stream;
	call->scratch_used = tap->scratch_used;
	call->mask = tap->mask;
	call->pointer = tap->call_pointer;
	/* Before the sink, which may be left by longjmp(). */
	if (tap->is_call) {
		if (tap->in_scratch)
			tap->scratch_used += TANDEM_ALIGNED(tap->record->size);
		if (tap->depth < OPEN_CALLS)
			tap->depth++;
	}
	tap->in_sink = tap->pointer;
	tandem_barrier();
	thread->after &= ~TANDEM_AFTER_SINKS;
	tandem_barrier();
	give_record(tap, call);
	*tap->error_number = saved;
}

void tandem_record_after(struct tandem_thread *thread)
{
	if (thread->after & TANDEM_AFTER_LASTING)
		tandem_lasting_keep(thread);
	if (thread->after & TANDEM_AFTER_SINKS)
		after_commit(thread);
	if (thread->after & TANDEM_AFTER_OBJECTS)
		tandem_objects_describe(thread);
}

/* What the function returned, last of its arguments. */
static inline void args_return(struct open_call *call, uint64_t value)
{
	uint32_t status = (uint32_t)value;

	if (call->returned_bytes == sizeof(status))
		memcpy(call->space + call->returned_at, &status, sizeof(status));
	else if (call->returned_bytes)
		memcpy(call->space + call->returned_at, &value, sizeof(value));
}

/* The call began in another stream than the thread's, or in what has become of its own. */
static void end_in_stream(const struct tandem_call *call, int32_t result, uint64_t end,
			  const void *returned, uint32_t returned_bytes)
{
	if (tandem_stream_holds(&tandem_thread, call->stream))
		call_store_end(call->record, result, end, returned, returned_bytes);
}

/* The call that has that record; NULL: it is not kept. */
static struct open_call *open_find(struct tap *tap, const struct tandem_call_record *record)
{
	for (uint32_t depth = tap->depth; depth; depth--)
		if (tap->open[depth - 1].record == record)
			return &tap->open[depth - 1];
	return NULL;
}

void call_end_elsewhere(const struct tandem_call *call, int32_t result, uint64_t end,
			const void *returned, uint32_t returned_bytes, uint64_t value)
{
	struct tap *tap = tandem_thread.tap;
	struct open_call *open;
	uint32_t scratch_used;
	bool given;
	int saved;

	if (call->stream != STREAM_TAP) {
		end_in_stream(call, result, end, returned, returned_bytes);
		return;
	}
	open = tap ? open_find(tap, call->record) : NULL;
	if (!open)
		return;
	given = open->stream == STREAM_TAP || tandem_stream_holds(&tandem_thread, open->stream);
	scratch_used = open->scratch_used;
	if (given) {
		call_store_end(open->record, result, end, returned, returned_bytes);
		if (open->args == open->space)
			args_return(open, value);
		/* Until the sinks are done handlers keep out: a call of theirs would have the
		 * place that this one leaves. */
		tap->in_sink = open->pointer;
	}
	tandem_barrier();
	/* Those above were left by longjmp(). */
	tap->depth = (uint32_t)(open - tap->open);
	tap->scratch_used = scratch_used;
	if (!given)
		return;
	saved = *tap->error_number;
	give_end(tap, open);
	*tap->error_number = saved;
}
