/* SPDX-License-Identifier: MIT */
/* The session that a command means which names none: the newest one in the current
 * directory, by when its recording started. One thread. */
#ifndef TANDEM_CLI_NEWEST_H
#define TANDEM_CLI_NEWEST_H

/* Its path, which lives as long as the process, or NULL after a cli_error(). Notes on stderr
 * which one it is. */
const char *newest_session(void);

#endif
