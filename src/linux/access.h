/* SPDX-License-Identifier: MIT */
/* Why the kernel does not let us, in words for a line to the user, with the
 * command that mends it. Any thread. */
#ifndef TANDEM_LINUX_ACCESS_H
#define TANDEM_LINUX_ACCESS_H

#include <stddef.h>

/* What was tried when it failed. */
enum linux_attempt { LINUX_ATTEMPT_TRACEFS, LINUX_ATTEMPT_FORMAT, LINUX_ATTEMPT_EVENT };

/* Fills `words` with what is missing and how to get it, without a full stop. */
void linux_access_words(char *words, size_t bytes, enum linux_attempt attempt, int error);

/* Why the program's stacks can't be sampled, and how they can. */
void linux_access_sample_words(char *words, size_t bytes, int error);

#endif
