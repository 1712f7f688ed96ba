/* SPDX-License-Identifier: MIT */
#include "sinks/sink.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "core/call.h"
#include "core/control.h"
#include "core/object.h"
#include "core/stream.h"
#include "core/stream_file.h"
#include "core/stream_threads.h"

/* A call that begins while a sink is attached: its stream is none, so that its end comes
 * here (call_end_elsewhere). */
#define STREAM_TAP (UINT64_MAX - 1)
#define OPEN_CALLS 64u
#define SCRATCH_BYTES (192u * 1024)

static struct {
	struct tandem_sink *_Atomic sink;
	_Atomic uint32_t users; /* threads that are in its functions */
	_Atomic uint32_t generation;
} slots[TANDEM_SINKS];

static _Atomic uint32_t attached;

/* Whose end somebody waits for. */
struct open_call {
	struct tandem_call_record *record;
	uint64_t stream; /* of a record in the trace; STREAM_TAP: it is in the scratch space */
	uint32_t scratch_used; /* when it began */
	uint32_t mask;	       /* of the sinks that got it */
	uint32_t generations[TANDEM_SINKS];
	uint64_t words[TANDEM_SINKS];
};

/* What a thread has for sinks. */
struct tap {
	/* The record being made. */
	uint32_t mask;
	bool in_scratch, is_call;
	struct tandem_record *record;
	uint64_t stream;		     /* the thread's, meanwhile */
	uint8_t *cursor;		     /* ... */
	struct tandem_packet_header *packet; /* ... */

	bool in_sink;
	uint32_t depth, scratch_used;
	struct open_call open[OPEN_CALLS];
	struct tandem_packet_header header; /* of the scratch space */
	uint8_t scratch[SCRATCH_BYTES];
};

static bool in_sink(void)
{
	return tandem_thread.tap && tandem_thread.tap->in_sink;
}

static uint32_t wanted_by(unsigned id)
{
	uint64_t domain = (uint64_t)1 << TANDEM_ID_DOMAIN(id);
	unsigned event = TANDEM_ID_EVENT(id);
	uint32_t mask = 0;

	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		struct tandem_sink *sink;

		atomic_fetch_add(&slots[i].users, 1);
		sink = atomic_load(&slots[i].sink);
		if (sink && atomic_load_explicit(&sink->domains, memory_order_relaxed) & domain &&
		    atomic_load_explicit(&sink->events[TANDEM_ID_DOMAIN(id)][event / 64],
					 memory_order_relaxed) >>
				    (event % 64) &
			    1)
			mask |= 1u << i;
		atomic_fetch_sub(&slots[i].users, 1);
	}
	return mask;
}

static struct tap *thread_tap(struct tandem_thread *thread)
{
	void *memory;

	if (thread->tap)
		return thread->tap;
	memory = mmap(NULL, sizeof(struct tap), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	thread->tap = memory;
	if (!thread->number)
		thread->number = stream_file_number();
	tandem_stream_watch(thread);
	return thread->tap;
}

void tandem_tap_free(struct tandem_thread *thread)
{
	if (thread->tap)
		munmap(thread->tap, sizeof(struct tap));
	thread->tap = NULL;
}

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

void tandem_tap_forget(struct tandem_thread *thread)
{
	if (!thread->tap)
		return;
	thread->tap->depth = 0;
	thread->tap->scratch_used = 0;
	thread->tap->in_sink = false;
}

/* The record goes into the trace. */
static int begin_in_stream(struct tandem_thread *thread, uint32_t bytes)
{
	if (thread->packet && thread->reserved_end - thread->cursor >= (ptrdiff_t)bytes)
		return 0;
	return tandem_stream_advance(thread, bytes);
}

/* Only sinks want it, or the trace has no room. */
static int begin_in_scratch(struct tandem_thread *thread, struct tap *tap, uint32_t bytes)
{
	if (tap->scratch_used + TANDEM_ALIGNED(bytes) > SCRATCH_BYTES)
		return -EMSGSIZE;
	tap->in_scratch = true;
	tap->cursor = thread->cursor;
	tap->packet = thread->packet;
	thread->cursor = tap->scratch + tap->scratch_used;
	thread->packet = &tap->header;
	return 0;
}

int tandem_record_advance(struct tandem_thread *thread, uint32_t bytes, uint32_t what)
{
	int saved = errno, error = -EAGAIN;
	struct tap *tap = thread->tap;
	uint16_t id = (uint16_t)what;

	if (tap && tap->in_sink)
		return -EBUSY;
	if (tandem_likely(!atomic_load(&attached))) {
		if (thread->packet)
			tandem_record_limit(thread, thread->reserved_end);
		return begin_in_stream(thread, bytes);
	}
	tandem_control_refresh();
	tap = thread_tap(thread);
	errno = saved;
	if (!tap) {
		tandem_lost(TANDEM_LOSS_no_memory, 1);
		return -ENOMEM;
	}
	tap->mask = wanted_by(id);
	tap->is_call = what & TANDEM_RECORD_CALL;
	tap->in_scratch = false;
	if (tandem_session_records(TANDEM_ID_DOMAIN(id)))
		error = begin_in_stream(thread, bytes);
	if (error && tap->mask)
		error = begin_in_scratch(thread, tap, bytes);
	if (error)
		return error;
	tap->record = (struct tandem_record *)thread->cursor;
	tap->stream = thread->stream;
	if (tap->is_call && tap->mask)
		thread->stream = STREAM_TAP;
	thread->after |= TANDEM_AFTER_SINKS;
	return 0;
}

static void give_record(struct tap *tap, struct open_call *call)
{
	tap->in_sink = true;
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		struct tandem_sink *sink;

		if (!(call->mask >> i & 1))
			continue;
		atomic_fetch_add(&slots[i].users, 1);
		sink = atomic_load(&slots[i].sink);
		call->generations[i] = atomic_load(&slots[i].generation);
		call->words[i] = 0;
		if (sink && sink->record)
			sink->record(sink, tap->record, &call->words[i]);
		atomic_fetch_sub(&slots[i].users, 1);
	}
	tap->in_sink = false;
}

static void give_end(struct tap *tap, const struct open_call *call)
{
	tap->in_sink = true;
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		struct tandem_sink *sink;

		if (!(call->mask >> i & 1))
			continue;
		atomic_fetch_add(&slots[i].users, 1);
		sink = atomic_load(&slots[i].sink);
		if (sink && sink->end && call->generations[i] == atomic_load(&slots[i].generation))
			sink->end(sink, call->record, call->words[i]);
		atomic_fetch_sub(&slots[i].users, 1);
	}
	tap->in_sink = false;
}

/* The record has been committed, as the thread's state says that was put in its place. */
static void after_commit(struct tandem_thread *thread)
{
	struct tap *tap = thread->tap;
	struct open_call call = {.record = (struct tandem_call_record *)tap->record,
				 .stream = tap->in_scratch ? STREAM_TAP : tap->stream,
				 .scratch_used = tap->scratch_used,
				 .mask = tap->mask};
	int saved = errno;

	thread->stream = tap->stream;
	if (tap->in_scratch) {
		thread->cursor = tap->cursor;
		thread->packet = tap->packet;
	}
	if (!tap->mask)
		return;
	give_record(tap, &call);
	if (tap->is_call) {
		if (tap->in_scratch)
			tap->scratch_used += TANDEM_ALIGNED(tap->record->size);
		if (tap->depth < OPEN_CALLS)
			tap->open[tap->depth++] = call;
	}
	errno = saved;
}

void tandem_record_after(struct tandem_thread *thread)
{
	if (thread->after & TANDEM_AFTER_SINKS) {
		thread->after &= ~TANDEM_AFTER_SINKS;
		after_commit(thread);
	}
	tandem_objects_describe(thread);
}

void call_end_elsewhere(const struct tandem_call *call, int32_t result, uint64_t end,
			const void *returned, uint32_t returned_bytes)
{
	struct tandem_thread *thread = &tandem_thread;
	struct tap *tap = thread->tap;
	struct open_call *open;
	int saved = errno;
	uint32_t depth;

	if (call->stream != STREAM_TAP || !tap)
		return;
	for (depth = tap->depth; depth && tap->open[depth - 1].record != call->record; depth--) {
	}
	if (!depth)
		return;
	/* Those above were left by longjmp(). */
	open = &tap->open[depth - 1];
	tap->depth = depth - 1;
	tap->scratch_used = open->scratch_used;
	if (open->stream != STREAM_TAP && open->stream != thread->stream)
		return;
	open->record->result = result;
	if (returned_bytes)
		memcpy(open->record + 1, returned, returned_bytes);
	open->record->end = end;
	give_end(tap, open);
	errno = saved;
}

/* The domains that somebody here wants, for the word that every call looks at. */
static void domains_update(void)
{
	uint64_t domains = 0;

	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		struct tandem_sink *sink;

		atomic_fetch_add(&slots[i].users, 1);
		sink = atomic_load(&slots[i].sink);
		if (sink)
			domains |= atomic_load(&sink->domains);
		atomic_fetch_sub(&slots[i].users, 1);
	}
	tandem_control_want((uint32_t)domains);
}

int tandem_sink_attach(struct tandem_sink *sink)
{
	if (in_sink())
		return -EDEADLK;
	for (uint32_t i = 0; i < TANDEM_SINKS; i++)
		if (atomic_load(&slots[i].sink) == sink)
			return -EEXIST;
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		struct tandem_sink *none = NULL;

		if (!atomic_compare_exchange_strong(&slots[i].sink, &none, sink))
			continue;
		atomic_fetch_add(&slots[i].generation, 1);
		if (!atomic_fetch_add(&attached, 1))
			tandem_threads_ask(true);
		domains_update();
		return 0;
	}
	return -ENOSPC;
}

int tandem_sink_detach(struct tandem_sink *sink)
{
	if (in_sink())
		return -EDEADLK;
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		struct tandem_sink *mine = sink;

		if (!atomic_compare_exchange_strong(&slots[i].sink, &mine, NULL))
			continue;
		domains_update();
		if (atomic_fetch_sub(&attached, 1) == 1)
			tandem_threads_ask(false);
		while (atomic_load(&slots[i].users))
			sched_yield();
		return 0;
	}
	return -ENOENT;
}

int tandem_sink_want(struct tandem_sink *sink, unsigned domain, uint32_t event, bool wanted)
{
	uint64_t any = 0;

	if (domain >= TANDEM_SINK_DOMAINS ||
	    (event != TANDEM_SINK_ALL && event >= TANDEM_SINK_EVENTS))
		return -EINVAL;
	for (uint32_t i = 0; i < TANDEM_SINK_EVENTS / 64; i++) {
		uint64_t bits = event == TANDEM_SINK_ALL ? UINT64_MAX
				: event / 64 == i	 ? (uint64_t)1 << (event % 64)
							 : 0;

		if (wanted)
			any |= atomic_fetch_or(&sink->events[domain][i], bits) | bits;
		else
			any |= atomic_fetch_and(&sink->events[domain][i], ~bits) & ~bits;
	}
	if (any)
		atomic_fetch_or(&sink->domains, (uint64_t)1 << domain);
	else
		atomic_fetch_and(&sink->domains, ~((uint64_t)1 << domain));
	for (uint32_t i = 0; i < TANDEM_SINKS; i++)
		if (atomic_load(&slots[i].sink) == sink)
			domains_update();
	return 0;
}
