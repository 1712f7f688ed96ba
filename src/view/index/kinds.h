/* SPDX-License-Identifier: MIT */
/* What the timeline shows, as small lists: kinds of rows, of tracks, of spans.
 * The page knows them by these names (web/kinds.js has the colours). */
#ifndef TANDEM_VIEW_INDEX_KINDS_H
#define TANDEM_VIEW_INDEX_KINDS_H

#include <stdint.h>

/* X(name): rows, in their order below one parent: devices first, then what the run was
 * waiting for, then what the program's threads did, then the host. */
#define VIEW_ROWS(X)                                                      \
	X(session)                                                        \
	X(device)                                                         \
	X(critical_path)                                                  \
	X(process)                                                        \
	X(thread)                                                         \
	X(tasks)                                                          \
	X(context)                                                        \
	X(queue)                                                          \
	X(utilisation)                                                    \
	X(ranges)                                                         \
	X(kernels)                                                        \
	X(transfers)                                                      \
	X(sync)                                                           \
	X(untimed)                                                        \
	X(faults)                                                         \
	X(overhead)                                                       \
	X(modules)                                                        \
	X(memory)                                                         \
	X(host_queue)                                                     \
	X(device_queue)                                                   \
	X(idle) /* threads of a process that made no calls, hardly ran */ \
	X(host)                                                           \
	X(cpu)

enum view_row_kind {
#define X(name) VIEW_ROW_##name,
	VIEW_ROWS(X) VIEW_ROW_COUNT
#undef X
};

/* X(bit, name): marks of a thread's row. */
#define VIEW_MARKS(X) \
	X(1, main)    \
	X(2, launches)

enum view_mark {
#define X(bit, name) VIEW_MARK_##name = bit,
	VIEW_MARKS(X)
#undef X
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
	VIEW_TRACKS(X) VIEW_TRACK_COUNT
#undef X
};

/* What a track's items refer to, beside their label. */
enum view_refs_kind {
	VIEW_REFS_none,
	VIEW_REFS_command,  /* in the section `commands` */
	VIEW_REFS_state,    /* a CPU; of a blocked state, in the section `wakers` */
	VIEW_REFS_range,    /* in the section `ranges` */
	VIEW_REFS_activity, /* in the section `activities` */
	VIEW_REFS_sample,   /* twice the number in the section `stacks`, and 1 where the
			    * system was running on the thread's behalf */
	VIEW_REFS_node,	    /* in the section `task_nodes` */
	VIEW_REFS_path,	    /* a stream, or VIEW_NONE */
};

/* X(name): groups of kinds, by which sums are made and the page speaks of spans: ranges, API calls, what
 * a device did, what a runtime tells besides, states of a thread, what ran on a CPU, tasks of a task graph,
 * activity of any kind, samples, pieces of the critical path. */
#define VIEW_GROUPS(X) \
	X(range)       \
	X(call)        \
	X(command)     \
	X(runtime)     \
	X(state)       \
	X(task)        \
	X(graph)       \
	X(activity)    \
	X(sample)      \
	X(path)

enum view_group {
#define X(name) VIEW_GROUP_##name,
	VIEW_GROUPS(X)
#undef X
};

/* X(name, group): spans. Commands are in the order of enum tandem_operation_kind. */
#define VIEW_SPANS(X)           \
	X(call, call)           \
	X(enqueue, call)        \
	X(wait, call)           \
	X(blocking, call)       \
	X(create, call)         \
	X(release, call)        \
	X(build, call)          \
	X(kernel, command)      \
	X(copy_h2d, command)    \
	X(copy_d2h, command)    \
	X(copy_d2d, command)    \
	X(fill, command)        \
	X(map, command)         \
	X(unmap, command)       \
	X(migrate, command)     \
	X(barrier, command)     \
	X(marker, command)      \
	X(other, command)       \
	X(running, state)       \
	X(wait_cpu, state)      \
	X(wait_blocked, state)  \
	X(unknown, state)       \
	X(task, task)           \
	X(task_unknown, task)   \
	X(active, activity)     \
	X(sample, sample)       \
	X(range, range)         \
	X(range_device, range)  \
	X(mark, range)          \
	X(overhead, runtime)    \
	X(fault, runtime)       \
	X(module, runtime)      \
	X(graph_task, graph)    \
	X(path_before, path)    \
	X(path_host, path)      \
	X(path_call, path)      \
	X(path_launch, path)    \
	X(path_behind, path)    \
	X(path_execution, path) \
	X(path_return, path)    \
	X(path_after, path)     \
	X(path_several, path)

enum view_span_kind {
#define X(name, group) VIEW_SPAN_##name,
	VIEW_SPANS(X) VIEW_SPAN_COUNT
#undef X
};

/* "kernel"; "unknown" where there is no such. */
static inline const char *view_span_name(unsigned kind)
{
	static const char *const names[] = {
#define X(name, group) #name,
		VIEW_SPANS(X)
#undef X
	};

	return names[kind < VIEW_SPAN_COUNT ? kind : VIEW_SPAN_unknown];
}

static inline enum view_group view_span_group(unsigned kind)
{
	static const uint8_t groups[] = {
#define X(name, group) VIEW_GROUP_##group,
		VIEW_SPANS(X)
#undef X
	};

	return (enum view_group)groups[kind < VIEW_SPAN_COUNT ? kind : VIEW_SPAN_unknown];
}

/* "command" */
static inline const char *view_group_name(enum view_group group)
{
	static const char *const names[] = {
#define X(name) #name,
		VIEW_GROUPS(X)
#undef X
	};

	return names[group];
}

/* X(bit, name): what is odd about a span. */
#define VIEW_FLAGS(X)                                                          \
	X(1, failed)	 /* returned or ended with an error */                 \
	X(2, unfinished) /* its end was not seen: drawn to the end */          \
	X(4, untimed)	 /* no device times: from the call to what was seen */ \
	X(8, noncausal)	 /* starts before its call: the clocks disagree */

enum view_flag {
#define X(bit, name) VIEW_FLAG_##name = bit,
	VIEW_FLAGS(X)
#undef X
};

#endif
