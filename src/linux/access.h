/* SPDX-License-Identifier: MIT */
/* What the kernel lets us record, why not more, in words for a line to the user, and the
 * command that allows it: one place for recorder and doctor. Any thread. */
#ifndef TANDEM_LINUX_ACCESS_H
#define TANDEM_LINUX_ACCESS_H

#include <stddef.h>

/* What perf_event_paranoid and our privileges allow. */
enum linux_permission {
	LINUX_MAY_NOTHING, /* no perf events at all */
	LINUX_MAY_PROGRAM, /* the program's own context switches and samples */
	LINUX_MAY_SYSTEM,  /* the scheduler of the whole machine */
};

/* *level becomes perf_event_paranoid, as far as there is one (else -1). */
enum linux_permission linux_access_permission(int *level);

/* The command by which root allows an ordinary user all of it; "": nothing is missing. */
void linux_access_fix(char *fix, size_t bytes);

/* What was tried when it failed. */
enum linux_attempt { LINUX_ATTEMPT_TRACEFS, LINUX_ATTEMPT_FORMAT, LINUX_ATTEMPT_EVENT };

/* Fills `words` with what is missing and how to get it, without a full stop. */
void linux_access_words(char *words, size_t bytes, enum linux_attempt attempt, int error);

/* Why the program's stacks can't be sampled, and how they can. */
void linux_access_sample_words(char *words, size_t bytes, int error);

#endif
