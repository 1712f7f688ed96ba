/* SPDX-License-Identifier: MIT */
/* A short text that changes when what a session holds changes, or this program
 * does: what was made of a session is good as long as both are the same. Of a
 * session that is open; reads no files.
 */
#ifndef TANDEM_TRACE_FINGERPRINT_H
#define TANDEM_TRACE_FINGERPRINT_H

#include "trace/session/session.h"

#define TRACE_FINGERPRINT_BYTES 17

/* Into the caller's TRACE_FINGERPRINT_BYTES. */
void trace_fingerprint(const struct trace_session *session, char *text);

#endif
