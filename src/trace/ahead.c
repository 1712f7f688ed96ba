/* SPDX-License-Identifier: MIT */
#include "trace/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/thread/thread.h"

/* Shorter sessions are read before a thread has come to its own. */
#define THREAD_WORTH_BYTES (1u << 20)

/* Besides events: what the reader came by, in its place between them. */
enum entry_kind {
	ENTRY_EVENT,
	ENTRY_PROBLEM,
	ENTRY_STREAM_OVER,
	ENTRY_END, /* the last one of all */
};

struct entry_problem {
	uint32_t bytes, kind;
	const char *file; /* the session's */
	uint64_t offset, skipped_bytes;
	char text[PROBLEM_TEXT_BYTES];
};

struct entry_stream_over {
	uint32_t bytes, kind;
	size_t process;
};

struct entry_end {
	uint32_t bytes, kind;
	int64_t status; /* 0 or -errno */
};

/* Room for whatever comes next: an event with the longest record, and its copy's last step. */
#define COPY_STEP 16u
#define ENTRY_MOST (sizeof(struct ahead_entry) + (64u << 10) + COPY_STEP)
#define BLOCK_ROOM (AHEAD_BLOCK_BYTES + ENTRY_MOST)

struct ahead_block {
	uint8_t *entries;
	size_t bytes;
	uint64_t read_bytes; /* of the trace, when it was full */
};

/* What one thread writes at every event must not be in a cache line with what the other one
 * uses: neither here nor in the heap, so that the thread opens the merge by itself. */
#define APART __attribute__((aligned(128)))

struct ahead_reader {
	pthread_t thread;
	struct trace_session *session;
	unsigned flags;

	pthread_mutex_t lock; /* of the next five */
	pthread_cond_t filled_more, emptied_some;
	unsigned filled; /* blocks that the caller has or is to get */
	unsigned taken;	 /* of these: that it has */
	bool closed;

	/* The caller's. */
	unsigned current APART; /* block that it is at; `filled` counts it */
	bool any;		/* it is at one */
	uint64_t read_bytes;

	/* The reading thread's, the blocks by turns. */
	struct ahead_block blocks[AHEAD_BLOCKS] APART; /* a ring */
	struct trace_merge merge; /* open until the end, as thread names are its own */
	struct trace_problems problems;
	unsigned filling;
	uint8_t *at, *full; /* in its block: where the next entry comes, and where it is full */
	int status;	    /* what ended it; -ECANCELED: the caller closed */
};

static int merge_open(struct trace_merge *merge, struct trace_session *session, unsigned flags)
{
	return flags & AHEAD_TRACED ? trace_merge_open_traced(merge, session)
				    : trace_merge_open(merge, session, 0);
}

static void block_begin(struct ahead_reader *reader)
{
	reader->at = reader->blocks[reader->filling].entries;
	reader->full = reader->at + AHEAD_BLOCK_BYTES;
}

/* The next block is the reader's again. */
static int block_wait(struct ahead_reader *reader)
{
	bool closed;

	pthread_mutex_lock(&reader->lock);
	while (reader->filled == AHEAD_BLOCKS && !reader->closed)
		pthread_cond_wait(&reader->emptied_some, &reader->lock);
	closed = reader->closed;
	pthread_mutex_unlock(&reader->lock);
	block_begin(reader);
	return closed ? -ECANCELED : 0;
}

static void block_hand_over(struct ahead_reader *reader)
{
	struct ahead_block *block = &reader->blocks[reader->filling];

	block->bytes = (size_t)(reader->at - block->entries);
	block->read_bytes = trace_merge_read_bytes(&reader->merge);
	reader->filling = (reader->filling + 1) % AHEAD_BLOCKS;
	pthread_mutex_lock(&reader->lock);
	if (reader->filled++ == reader->taken)
		pthread_cond_signal(&reader->filled_more);
	pthread_mutex_unlock(&reader->lock);
}

/* Returns 0, or -ECANCELED. */
static int __attribute__((noinline)) block_turn(struct ahead_reader *reader)
{
	block_hand_over(reader);
	reader->status = block_wait(reader);
	return reader->status;
}

/* Room for an entry of up to ENTRY_MOST bytes; NULL where no more are wanted. */
static inline void *entry_begin(struct ahead_reader *reader)
{
	if (__builtin_expect(reader->at >= reader->full, 0) && block_turn(reader))
		return NULL;
	return reader->at;
}

static inline void entry_end(struct ahead_reader *reader, uint32_t bytes)
{
	reader->at += bytes;
}

static void keep_problem(void *user, const char *file, uint64_t offset, uint64_t skipped_bytes,
			 const char *text)
{
	struct ahead_reader *reader = user;
	struct entry_problem *entry = reader->status ? NULL : entry_begin(reader);

	if (!entry)
		return;
	entry->bytes = sizeof(*entry);
	entry->kind = ENTRY_PROBLEM;
	entry->file = file;
	entry->offset = offset;
	entry->skipped_bytes = skipped_bytes;
	strncpy(entry->text, text, sizeof(entry->text) - 1);
	entry->text[sizeof(entry->text) - 1] = '\0';
	entry_end(reader, sizeof(*entry));
}

static void add_stream_over(void *user, const struct trace_stream *stream)
{
	struct ahead_reader *reader = user;
	struct entry_stream_over *entry = reader->status ? NULL : entry_begin(reader);

	if (!entry)
		return;
	*entry = (struct entry_stream_over){sizeof(*entry), ENTRY_STREAM_OVER,
					    stream->process->index};
	entry_end(reader, sizeof(*entry));
}

/* Events and records lie where the merge reads on, so both are copied. */
static inline void event_copy(struct ahead_reader *reader, const struct trace_event *event)
{
	const uint8_t *from = (const uint8_t *)event->record;
	struct ahead_entry *entry = entry_begin(reader);
	uint32_t aligned = (event->bytes + 7) & ~7u;
	uint8_t *to;

	if (!entry)
		return;
	to = (uint8_t *)(entry + 1);
	entry->bytes = (uint32_t)sizeof(*entry) + aligned;
	entry->kind = ENTRY_EVENT;
	entry->event = *event;
	entry->event.record = (const void *)to;
	memcpy(to, from, event->bytes);
	entry_end(reader, entry->bytes);
}

/* Returns 0 at the end, or -errno. */
static int read_all(struct ahead_reader *reader)
{
	const struct trace_event *event;
	int status = merge_open(&reader->merge, reader->session, reader->flags);

	if (status)
		return status;
	if (reader->merge.problems)
		reader->merge.problems = &reader->problems;
	reader->merge.stream_over = add_stream_over;
	reader->merge.user = reader;
	while (!reader->status && (status = trace_merge_next(&reader->merge, &event)) > 0)
		event_copy(reader, event);
	return reader->status ? reader->status : status;
}

static void *run(void *user)
{
	struct ahead_reader *reader = user;
	int status = read_all(reader);
	struct entry_end *entry = status == -ECANCELED ? NULL : entry_begin(reader);

	if (entry) {
		*entry = (struct entry_end){sizeof(*entry), ENTRY_END, status};
		entry_end(reader, sizeof(*entry));
		block_hand_over(reader);
	}
	return NULL;
}

static void reader_destroy(struct ahead_reader *reader)
{
	for (size_t i = 0; i < AHEAD_BLOCKS; i++)
		free(reader->blocks[i].entries);
	if (reader->merge.session)
		trace_merge_close(&reader->merge);
	trace_problems_free(&reader->problems);
	pthread_cond_destroy(&reader->filled_more);
	pthread_cond_destroy(&reader->emptied_some);
	pthread_mutex_destroy(&reader->lock);
	free(reader);
}

static struct ahead_reader *reader_create(struct trace_session *session, unsigned flags)
{
	struct ahead_reader *reader = aligned_alloc(_Alignof(struct ahead_reader), sizeof(*reader));
	bool whole = true;

	if (!reader)
		return NULL;
	memset(reader, 0, sizeof(*reader));
	reader->session = session;
	reader->flags = flags;
	reader->problems = (struct trace_problems){.keep = keep_problem, .user = reader};
	pthread_mutex_init(&reader->lock, NULL);
	pthread_cond_init(&reader->filled_more, NULL);
	pthread_cond_init(&reader->emptied_some, NULL);
	for (size_t i = 0; i < AHEAD_BLOCKS; i++) {
		reader->blocks[i].entries = malloc(BLOCK_ROOM);
		whole = whole && reader->blocks[i].entries;
	}
	block_begin(reader);
	if (whole)
		return reader;
	reader_destroy(reader);
	return NULL;
}

/* NULL where there is no memory for it, or no thread can be started. */
static struct ahead_reader *reader_start(struct trace_session *session, unsigned flags)
{
	struct ahead_reader *reader = reader_create(session, flags);

	if (!reader || !thread_start(&reader->thread, run, reader))
		return reader;
	reader_destroy(reader);
	return NULL;
}

static void note_stream_over(struct trace_ahead *ahead, size_t process)
{
	if (!--ahead->streams_left[process])
		ahead->processes_over++;
}

static void stream_over(void *user, const struct trace_stream *stream)
{
	note_stream_over(user, stream->process->index);
}

static bool thread_is_worth_it(const struct trace_session *session, unsigned flags)
{
	if (flags & (AHEAD_ALONE | AHEAD_THREAD))
		return flags & AHEAD_THREAD;
	return session->content_bytes >= THREAD_WORTH_BYTES && thread_two_cpus();
}

static void list_streams(struct trace_ahead *ahead, unsigned flags)
{
	struct trace_session *session = ahead->session;

	for (size_t i = 0; i < session->process_count; i++) {
		const struct trace_process *process = &session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++)
			ahead->streams[process->streams[j].index] = &process->streams[j];
		if (!(flags & AHEAD_TRACED) || i < session->traced_count)
			ahead->streams_left[i] = process->stream_count;
	}
}

int trace_ahead_open(struct trace_ahead *ahead, struct trace_session *session, unsigned flags)
{
	int status = 0;

	*ahead = (struct trace_ahead){
		.session = session,
		.streams = calloc(session->stream_count + 1, sizeof(*ahead->streams)),
		.streams_left = calloc(session->process_count + 1, sizeof(*ahead->streams_left)),
	};
	if (!ahead->streams || !ahead->streams_left) {
		trace_ahead_close(ahead);
		return -ENOMEM;
	}
	list_streams(ahead, flags);
	if (thread_is_worth_it(session, flags))
		ahead->reader = reader_start(session, flags);
	if (!ahead->reader)
		status = merge_open(&ahead->merge, session, flags);
	if (status) {
		trace_ahead_close(ahead);
		return status;
	}
	ahead->merge.stream_over = stream_over;
	ahead->merge.user = ahead;
	return 0;
}

/* The reader is woken when it has half of the blocks, not for each; or when the caller has no more
 * to take. With the lock. */
static void block_give(struct ahead_reader *reader)
{
	reader->taken--;
	if (--reader->filled <= AHEAD_BLOCKS / 2 || reader->filled == reader->taken)
		pthread_cond_signal(&reader->emptied_some);
}

void trace_ahead_give(struct trace_ahead *ahead)
{
	struct ahead_reader *reader = ahead->reader;

	pthread_mutex_lock(&reader->lock);
	block_give(reader);
	pthread_mutex_unlock(&reader->lock);
}

/* Gives the current block back, unless it is held, and waits for the next. */
static void block_next(struct trace_ahead *ahead)
{
	struct ahead_reader *reader = ahead->reader;
	const struct ahead_block *block;

	pthread_mutex_lock(&reader->lock);
	if (reader->any && !ahead->holds)
		block_give(reader);
	while (reader->filled == reader->taken)
		pthread_cond_wait(&reader->filled_more, &reader->lock);
	reader->taken++;
	pthread_mutex_unlock(&reader->lock);
	if (reader->any)
		reader->current = (reader->current + 1) % AHEAD_BLOCKS;
	reader->any = true;
	ahead->taken++;
	block = &reader->blocks[reader->current];
	reader->read_bytes = block->read_bytes;
	ahead->at = block->entries;
	ahead->limit = block->entries + block->bytes;
}

/* Handles the entry at `at`. Returns 1 where another one follows. */
static int take_entry(struct trace_ahead *ahead)
{
	const struct ahead_entry *entry = (const void *)ahead->at;
	const struct entry_problem *problem = (const void *)entry;
	const struct entry_stream_over *over = (const void *)entry;

	switch ((enum entry_kind)entry->kind) {
	case ENTRY_PROBLEM:
		trace_problem_skip(ahead->session->problems, problem->file, problem->offset,
				   problem->skipped_bytes, "%s", problem->text);
		break;
	case ENTRY_STREAM_OVER:
		note_stream_over(ahead, over->process);
		break;
	case ENTRY_END: /* and so for ever */
		return (int)((const struct entry_end *)(const void *)entry)->status;
	case ENTRY_EVENT:
		break;
	}
	ahead->at += entry->bytes;
	return 1;
}

int trace_ahead_search(struct trace_ahead *ahead, const struct trace_event **event)
{
	if (!ahead->reader)
		return trace_merge_next(&ahead->merge, event);
	for (;;) {
		const struct ahead_entry *entry;
		int status;

		if (ahead->at == ahead->limit)
			block_next(ahead);
		entry = (const void *)ahead->at;
		if (entry->kind == ENTRY_EVENT) {
			ahead->at += entry->bytes;
			*event = &entry->event;
			return 1;
		}
		status = take_entry(ahead);
		if (status <= 0)
			return status;
	}
}

uint64_t trace_ahead_read_bytes(const struct trace_ahead *ahead)
{
	return ahead->reader ? ahead->reader->read_bytes : trace_merge_read_bytes(&ahead->merge);
}

void trace_ahead_close(struct trace_ahead *ahead)
{
	struct ahead_reader *reader = ahead->reader;

	if (reader) {
		pthread_mutex_lock(&reader->lock);
		reader->closed = true;
		pthread_cond_signal(&reader->emptied_some);
		pthread_mutex_unlock(&reader->lock);
		pthread_join(reader->thread, NULL);
		reader_destroy(reader);
	}
	if (ahead->merge.session)
		trace_merge_close(&ahead->merge);
	free(ahead->streams);
	free(ahead->streams_left);
	*ahead = (struct trace_ahead){.session = NULL};
}
