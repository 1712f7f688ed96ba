/* SPDX-License-Identifier: MIT */
/* Opens a session: reads the small files and every packet's header, no records. A session
 * that is still running can be opened too: it is read as far as it is.
 *
 *	struct trace_session session;
 *	struct error error = ERROR_INIT;
 *
 *	if (trace_session_open(&session, "tandem-app", &problems, &error))
 *		return cli_fail(&error);
 *	...
 *	trace_session_close(&session);
 *
 * The caller owns the struct. One thread.
 */
#ifndef TANDEM_TRACE_SESSION_OPEN_H
#define TANDEM_TRACE_SESSION_OPEN_H

#include "trace/session/session.h"
#include "util/error.h"

/* Returns 0, -ENOENT or -ENOTDIR (no such directory), -EINVAL (no session),
 * or another -errno; on error there is nothing to close. `problems` may be NULL and must outlive the session. */
int trace_session_open(struct trace_session *session, const char *path,
		       struct trace_problems *problems, struct error *error);

void trace_session_close(struct trace_session *session);

/* Takes the kernel's side from another folder (import.h) instead of the session's
 * own. Before any reading. Returns 0 or -errno: the session is as it was. */
int trace_session_replace_kernel(struct trace_session *session, const char *folder,
				 struct error *error);

#endif
