/* SPDX-License-Identifier: MIT */
/* The session that a user means by DIR or PID, with its control page.
 *
 *   DIR   a session's directory
 *   PID   a process that records into it, or its recorder. A directory whose
 *         name is a number wins over a process.
 *
 * Owner: the verb. One thread.
 */
#ifndef TANDEM_RECORDER_TARGET_H
#define TANDEM_RECORDER_TARGET_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "schema/control.h"
#include "util/error.h"

enum target_use { TARGET_READ, TARGET_STEER };

struct target {
	enum target_use use;
	char directory[PATH_MAX];
	struct tandem_control *control; /* mapped shared, writable; or a copy */
};

/* Finds it and maps its page to steer it, or takes a copy of the page: whoever only reads
 * opens nothing for writing. Returns 0 or -errno. */
int target_open(struct target *target, const char *name, enum target_use use, struct error *error);
void target_close(struct target *target);

/* The recorder looks at the control page once every half second: with this it does
 * so at once. By default the signal does nothing to whoever gets it. */
#define TARGET_NUDGE SIGURG
void target_nudge(const struct target *target);

/* Whether anything still records into it: its recorder or a traced process. */
bool target_is_alive(const struct target *target);

#endif
