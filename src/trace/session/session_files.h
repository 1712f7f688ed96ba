/* SPDX-License-Identifier: MIT */
/* What a session says of itself in files of its own, next to its traces: the control page, the
 * description of the run (session.json), the schema. Part of session_open.h. One thread.
 *
 *	status = trace_session_read_control(session, problems);
 *	status = trace_session_read_run(session, problems);      after it
 *	status = trace_session_read_schema(session);
 */
#ifndef TANDEM_TRACE_SESSION_FILES_H
#define TANDEM_TRACE_SESSION_FILES_H

#include "trace/session/session.h"

/* The path of a file of the session, to be freed; NULL: out of memory. */
char *trace_session_file(const struct trace_session *session, const char *name);

/* Each returns 0 or -ENOMEM; a file that is missing or damaged is a problem (NULL: nobody asks)
 * and leaves the session as it was. What the description does not say is the control page's. */
int trace_session_read_control(struct trace_session *session, struct trace_problems *problems);
int trace_session_read_run(struct trace_session *session, struct trace_problems *problems);

/* Older sessions have no such file; where it is damaged, the processes' metadata say the
 * same. */
int trace_session_read_schema(struct trace_session *session);

#endif
