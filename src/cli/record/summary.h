/* SPDX-License-Identifier: MIT */
/* The recorder's last line, on standard error: what was recorded, how much of
 * it, and what was lost.
 *
 *   tandem: recorded 12,345 events of 2 processes, 3 threads, and 678 kernel events (1.2 MB)
 *   in DIR; nothing lost
 *   tandem: recorded 678 kernel events of 1 process (34 kB) in DIR; no GPU API calls; nothing
 *   lost
 *
 * Events are those of the traced runtimes, in threads that recorded some; what the kernel
 * recorded is counted apart. `tandem status` and `tandem report` count alike.
 */
#ifndef TANDEM_CLI_SUMMARY_H
#define TANDEM_CLI_SUMMARY_H

#include <sys/types.h>

#include "recorder/program/program.h"
#include "recorder/session/session.h"
#include "util/text.h"

/* Prints it for the session of the program that was `pid`. */
void summary_print(const struct session *session, const struct program *program, pid_t pid);

/* Adds "nothing lost" or "lost 17: 12 no space left..., 5 ...". */
void summary_add_losses(struct text *text, const struct tandem_control *control);

/* Adds "1 thread", "12,345 threads": the plural is the noun with an s, or -es. */
void summary_add_count(struct text *text, uint64_t count, const char *noun);

#endif
