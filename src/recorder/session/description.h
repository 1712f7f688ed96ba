/* SPDX-License-Identifier: MIT */
/* DIR/session.json: what was run, where and how, and at the end how it ended
 * and what was lost (doc/FORMAT.md has the members).
 */
#ifndef TANDEM_RECORDER_DESCRIPTION_H
#define TANDEM_RECORDER_DESCRIPTION_H

#include "recorder/session/session.h"

/* Writes the file anew, in one step: a reader sees the old one or the new one.
 * `wait_status` is NULL while the program runs. Returns 0 or -errno. */
int description_write(const struct session *session, const int *wait_status);

/* The processes in it as a reader counts them (format/helper.h). */
uint64_t description_count_processes(const struct session *session);

#endif
