/* SPDX-License-Identifier: MIT */
/* The threads that have a stream, for whoever has to stop them from writing without
 * asking: a sink that is attached while they record, sessions that may change (core/dormant.h). Any
 * thread; no locks. */
#ifndef TANDEM_CORE_STREAM_THREADS_H
#define TANDEM_CORE_STREAM_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/thread.h"

/* Sets what a thread may write without asking, unless a sink is attached. */
void tandem_record_limit(struct tandem_thread *thread, uint8_t *end);

/* By the thread itself. After remove nobody looks at it. */
void stream_thread_add(struct tandem_thread *thread);
void stream_thread_remove(struct tandem_thread *thread);

/* From now on every record asks first (tandem_record_advance()), or no longer does, once each
 * who wanted it has said so. */
void tandem_threads_ask(bool ask);

/* In the child of a fork. */
void stream_threads_forget(void);

#endif
