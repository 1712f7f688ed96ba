/* SPDX-License-Identifier: MIT */
/* What outlasts the ring of a flight recorder: descriptions of objects, names and the like
 * (schema/gen/lasting.h). Whoever makes such a record has it copied after its commit to a file of
 * the process's, whose size is bounded by what is alive (schema/descriptions.h).
 */
#ifndef TANDEM_CORE_STREAM_LASTING_H
#define TANDEM_CORE_STREAM_LASTING_H

#include "core/stream/thread.h"

/* Copies the record that `thread`, the caller's, has committed (thread->lasting). What can't be
 * kept is counted as lost. */
void tandem_lasting_keep(struct tandem_thread *thread);

/* This thread was in it, and was left by siglongjmp(). */
void tandem_lasting_abandon(const struct tandem_thread *thread);

/* In the child of a fork: the parent's file is the parent's. */
void tandem_lasting_forget(void);

#endif
