/* SPDX-License-Identifier: MIT */
/* The files of a session: its directory, its control page, and the file that says what was
 * run. Made before the program starts, so that all errors are reported before exec;
 * complete without any finishing step, which only adds how it ended. One thread.
 */
#ifndef TANDEM_RECORDER_SESSION_FILES_H
#define TANDEM_RECORDER_SESSION_FILES_H

#include "recorder/session/session.h"
#include "util/error.h"

/* Makes the directory and the control page. The pair `early` and the source are
 * read by the caller as early as possible. Returns 0 or -errno: nothing is
 * left behind. */
int session_create(struct session *session, struct error *error);

/* Measures the clock's rate and writes session.json; as late as possible before
 * the program starts, so that nobody need wait for the measurement. Returns 0 or
 * -errno: the session is still to be removed. */
int session_describe(struct session *session, struct error *error);

/* Adds to session.json how it ended: the wait status of the program. Returns
 * 0 or -errno. */
int session_finish(struct session *session, int wait_status);

/* Takes the directory away again: the program could not be started. */
void session_remove(struct session *session);

#endif
