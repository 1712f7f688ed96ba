/* SPDX-License-Identifier: MIT */
/* What a thread was doing, call by call, and what it was at each command that it enqueued.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDLE_THREAD_H
#define TANDEM_ANALYSIS_FINDINGS_IDLE_THREAD_H

#include "analysis/findings/idle/idle.h"

/* 0 or -ENOMEM, as all below that return an int. */
int idle_call_begin(struct idle *idle, const struct sequence_event *event);
int idle_call_end(struct idle *idle, const struct sequence_event *event);

/* Of what the kernel saw, as soon as it saw it: that is before the events of that
 * time come, which wait for their place. `state` is a struct idle. */
int idle_interval(struct findings *findings, void *state, const struct wait_thread *waiter,
		  const struct states_interval *interval);

/* The enqueue of that call; NULL: none is remembered. */
struct idle_enqueue *idle_recall(const struct idle_thread *thread, uint64_t call);

/* What the thread spent in other calls since its enqueue before. */
int64_t idle_calling_ns(const struct idle_thread *thread, const struct idle_enqueue *enqueue);

/* When the queue was flushed in between; 0: it was not. */
int64_t idle_flushed_ns(const struct idle_thread *thread, uint32_t queue, int64_t from_ns,
			int64_t to_ns);

/* How much of that time the thread slept, in no call, until another one woke it that had waited for
 * a command, or whom the driver called at its end: that is a wait for the device. With `called` the second only. */
int64_t idle_handed_ns(const struct idle *idle, const struct idle_thread *thread, int64_t from_ns,
		       int64_t to_ns, bool called);

void idle_thread_free(struct idle_thread *thread);

#endif
