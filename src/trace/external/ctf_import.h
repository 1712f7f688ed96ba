/* SPDX-License-Identifier: MIT */
/* Another tool's trace of the kernel as a part of a session: its events become
 * records like those of the session's own kernel side (schema/events/kernel.events), on
 * the session's clock, in a folder of temporary files, and replace that side. What
 * can't be joined is refused with words: a trace of another boot or another
 * machine, on a clock that nobody can convert, of another time. One thread.
 *
 *	struct ctf_import import;
 *	if (ctf_import_make(&import, &session, "trace.dat", module, &error))
 *		return cli_fail(&error);
 *	trace_session_replace_kernel(&session, import.folder, &error);
 *	...
 *	trace_session_close(&session);
 *	ctf_import_remove(&import);
 */
#ifndef TANDEM_TRACE_CTF_IMPORT_H
#define TANDEM_TRACE_CTF_IMPORT_H

#include <stdint.h>

#include "trace/external/hosts/hosts.h"
#include "trace/session/session.h"
#include "util/error.h"
#include "util/folder/temporary_folder.h"

struct ctf_import {
	struct temporary_folder parent;
	char *folder; /* `kernel` in it */
};

/* Imports the trace. Returns 0 or -errno; on error there is nothing to remove. */
int ctf_import_make(struct ctf_import *import, struct trace_session *session, const char *path,
		    const char *module, struct error *error);

/* The same into `folder`, which is made: with `hosts`, of the session's own hosts, and their
 * numbers and times become the session's. Returns 0 or -errno; there may be files then. */
int ctf_import_write(struct trace_session *session, const char *folder, const char *path,
		     const char *module, const struct hosts *hosts, struct error *error);

/* Deletes the temporary files. */
void ctf_import_remove(struct ctf_import *import);

#endif
