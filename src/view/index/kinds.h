/* What the timeline shows, as small lists: kinds of rows, of tracks, of spans.
 * The page knows them by these names (web/kinds.js has the colours). */
#ifndef TANDEM_VIEW_INDEX_KINDS_H
#define TANDEM_VIEW_INDEX_KINDS_H

/* X(name): rows, in the order in which they stand below one parent. */
#define VIEW_ROWS(X)                                                           \
	X(session) X(process) X(thread) X(context) X(transfers) X(kernels)     \
	X(sync) X(untimed) X(resources) X(cpu) X(device) X(host_queue)         \
	X(device_queue) X(utilisation) X(memory)

enum view_row_kind {
#define X(name) VIEW_ROW_##name,
	VIEW_ROWS(X)
#undef X
	VIEW_ROW_COUNT
};

/* X(name, what its items are): a row is drawn as its tracks, one above the
 * other. */
#define VIEW_TRACKS(X)                                                        \
	X(spans)    /* spans that do not overlap, each with its name */       \
	X(state)    /* same, as a narrow strip */                             \
	X(activity) /* spans without names: when there was anything at all */ \
	X(cover)    /* same, drawn as the share of time that they cover */    \
	X(counter)  /* points: a value from then on */                        \
	X(samples)  /* moments at which a thread's stack was looked at */

enum view_track_type {
#define X(name) VIEW_TRACK_##name,
	VIEW_TRACKS(X)
#undef X
	VIEW_TRACK_COUNT
};

/* What a track's items refer to, beside their label. */
enum view_refs_kind {
	VIEW_REFS_none,
	VIEW_REFS_command, /* in the section `commands` */
	VIEW_REFS_state,   /* a CPU; of a blocked state, in the section `wakers` */
	VIEW_REFS_sample,  /* twice the number in the section `stacks`, and 1 where the
			    * system was running on the thread's behalf */
};

/* X(name): spans. Operations are in the order of enum tandem_operation_kind. */
#define VIEW_SPANS(X)                                                          \
	X(call) X(enqueue) X(wait) X(create) X(release) X(build)               \
	X(kernel) X(copy_h2d) X(copy_d2h) X(copy_d2d) X(fill) X(map) X(unmap)  \
	X(migrate) X(barrier) X(marker) X(other)                               \
	X(running) X(wait_cpu) X(wait_blocked) X(unknown) X(task)              \
	X(task_unknown) X(active) X(sample)

enum view_span_kind {
#define X(name) VIEW_SPAN_##name,
	VIEW_SPANS(X)
#undef X
	VIEW_SPAN_COUNT
};

/* X(bit, name): what is odd about a span. */
#define VIEW_FLAGS(X)                                                          \
	X(1, failed)     /* returned or ended with an error */                 \
	X(2, unfinished) /* its end was not seen: drawn to the end */          \
	X(4, untimed)    /* no device times: from the call to what was seen */ \
	X(8, noncausal)  /* starts before its call: the clocks disagree */

enum view_flag {
#define X(bit, name) VIEW_FLAG_##name = bit,
	VIEW_FLAGS(X)
#undef X
};

#endif
