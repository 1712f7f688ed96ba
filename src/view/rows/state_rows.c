#include "view/rows/state_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/states_consume.h"
#include "util/array.h"

struct view_band { /* of one thread */
	const struct states_thread *thread;
	struct view_writer *track;
	uint32_t number; /* in bands->bands */
	/* Not written yet: the next interval may go on with it. */
	bool open;
	enum state state;
	int64_t from, to;
	uint32_t label, ref;
};

static int band_close(struct view_bands *bands, struct view_band *band)
{
	int64_t start_ns = bands->session->start_ns;

	if (!band->open)
		return 0;
	band->open = false;
	return view_writer_ref(band->track, band->from - start_ns, band->to - start_ns,
			       band->label, band->ref);
}

/* The band of a thread; its row is known in the end only. */
static struct view_band *band_get(struct view_bands *bands, struct states_thread *thread)
{
	struct view_band *band = thread->user;

	if (band)
		return band;
	band = calloc(1, sizeof(*band));
	if (!band || array_reserve(&bands->bands, &bands->capacity, bands->count + 1,
				   sizeof(struct view_band *)) ||
	    view_builder_track(bands->builder, VIEW_NONE, VIEW_TRACK_state, &band->track)) {
		free(band);
		return NULL;
	}
	band->track->refs_kind = VIEW_REFS_state;
	band->thread = thread;
	band->number = (uint32_t)bands->count;
	bands->bands[bands->count++] = band;
	thread->user = band;
	return band;
}

static int words_of(struct view_bands *bands, const struct states_interval *interval,
		    struct text *words, enum view_span_kind *kind)
{
	const char *by = intern_text(&bands->states.names, interval->by_name);
	bool thread = interval->by == WAKER_THREAD && interval->by_tid;

	switch (interval->state) {
	case STATE_RUNNING:
		*kind = VIEW_SPAN_running;
		text_add_string(words, interval->in_syscall ? "running, in a system call"
							    : "running");
		break;
	case STATE_WAIT_CPU:
		*kind = VIEW_SPAN_wait_cpu;
		text_add_string(words, "waiting for a CPU");
		if (thread)
			text_format(words, " that %s (%" PRIu32 ") has", by, interval->by_pid);
		break;
	case STATE_WAIT_BLOCKED:
		*kind = VIEW_SPAN_wait_blocked;
		text_add_string(words, "blocked");
		if (thread)
			text_format(words, ", until %s (%" PRIu32 ") woke it", by,
				    interval->by_pid);
		else if (interval->by == WAKER_INTERRUPT)
			text_add_string(words, ", until an interrupt woke it");
		break;
	case STATE_UNKNOWN:
	case STATE_NONE:
	case STATE_COUNT:
		text_add_string(words, "not known");
		break;
	}
	return words->failed ? -ENOMEM : 0;
}

/* The thread that ended a wait, by its band; VIEW_NONE: none of ours. */
static uint32_t waker_of(const struct view_bands *bands, const struct states_interval *interval)
{
	uint64_t index = interval->by == WAKER_THREAD
				 ? map_get(&bands->states.by_tid, interval->by_tid)
				 : MAP_NONE;
	const struct view_band *band;

	if (index == MAP_NONE || index >= bands->states.thread_count)
		return VIEW_NONE;
	band = bands->states.threads[index]->user;
	return band ? band->number : VIEW_NONE;
}

static int take_interval(struct view_bands *bands, struct view_band *band,
			 const struct states_interval *interval)
{
	struct text words = TEXT_INIT;
	enum view_span_kind kind = VIEW_SPAN_unknown;
	uint32_t label = 0;
	uint32_t ref = interval->state == STATE_WAIT_BLOCKED ? waker_of(bands, interval)
							     : interval->cpu;
	int status = words_of(bands, interval, &words, &kind);

	if (!status)
		status = view_builder_label(bands->builder, words.data, kind, 0, &label);
	text_free(&words);
	if (status)
		return status;
	/* A wait is told in pieces, of which the last says who ended it; other
	 * states are one span as long as they stay the same. */
	if (band->open && band->to == interval->from && band->state == interval->state &&
	    (interval->state == STATE_WAIT_BLOCKED ||
	     (band->label == label && band->ref == ref))) {
		band->to = interval->to;
		band->label = label;
		band->ref = ref;
		return 0;
	}
	status = band_close(bands, band);
	band->open = true;
	band->state = interval->state;
	band->from = interval->from;
	band->to = interval->to;
	band->label = label;
	band->ref = ref;
	return status;
}

static void on_interval(void *bands_of, const struct states_interval *interval)
{
	struct view_bands *bands = bands_of;
	struct view_band *band;

	if (bands->failed || interval->state == STATE_NONE || interval->to <= interval->from)
		return;
	band = band_get(bands, interval->thread);
	bands->failed = band ? take_interval(bands, band, interval) : -ENOMEM;
}

int view_bands_init(struct view_bands *bands, struct view_builder *builder,
		    struct trace_session *session)
{
	memset(bands, 0, sizeof(*bands));
	bands->builder = builder;
	bands->session = session;
	states_init(&bands->states, session->start_ns, on_interval, bands);
	bands->of_stream = calloc(session->stream_count + 1, sizeof(struct states_thread *));
	if (!bands->of_stream)
		return -ENOMEM;
	for (size_t i = 0; i < session->process_count; i++) {
		const struct trace_process *process = &session->processes[i];

		bands->any |= process->kernel;
		if (!process->kernel && states_watch(&bands->states, (uint32_t)process->pid))
			return -ENOMEM;
	}
	return 0;
}

int view_bands_kernel(struct view_bands *bands, const struct trace_event *event)
{
	int status = states_consume(&bands->states, event);

	return status ? status : bands->failed;
}

int view_bands_call(struct view_bands *bands, const struct trace_event *event)
{
	struct states_thread **thread = &bands->of_stream[event->stream->index];

	if (!bands->any)
		return 0;
	if (!*thread || (*thread)->local_tid != event->tid) {
		*thread = states_find(&bands->states, event->tid);
		if (!*thread)
			return 0;
		states_belongs(&bands->states, *thread, (uint32_t)event->stream->process->pid);
	}
	states_runs(&bands->states, *thread, event->ns);
	return bands->states.failed ? bands->states.failed : bands->failed;
}

/* The row of the thread that a stream is of, else one of its own. */
static int find_row(struct view_bands *bands, struct view_threads *threads,
		    const struct view_band *band, uint32_t *row)
{
	const struct states_thread *thread = band->thread;
	const char *name = intern_text(&bands->states.names, thread->name);
	uint32_t pid = thread->pid, tid = thread->local_tid ? thread->local_tid : thread->tid;

	if (view_threads_find(threads, pid, tid, row))
		return 0;
	return view_threads_add(threads, pid, tid, name, row);
}

int view_bands_finish(struct view_bands *bands, struct view_threads *threads, int64_t end_ns)
{
	int status = 0;

	states_finish(&bands->states, bands->session->start_ns + end_ns);
	status = bands->states.failed ? bands->states.failed : bands->failed;
	for (size_t i = 0; i < bands->count && !status; i++) {
		struct view_band *band = bands->bands[i];
		uint32_t row = VIEW_NONE;

		status = band_close(bands, band);
		if (!status)
			status = find_row(bands, threads, band, &row);
		band->track->row = row;
		if (!status)
			status = view_builder_waker(bands->builder, row);
	}
	return status;
}

void view_bands_free(struct view_bands *bands)
{
	for (size_t i = 0; i < bands->count; i++)
		free(bands->bands[i]);
	free(bands->bands);
	free(bands->of_stream);
	states_free(&bands->states);
	memset(bands, 0, sizeof(*bands));
}
