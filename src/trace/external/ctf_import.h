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

#include "trace/session/session.h"
#include "util/error.h"
#include "util/temporary_folder.h"

struct ctf_import {
	struct temporary_folder parent;
	char *folder;	 /* `kernel` in it */
	uint64_t events; /* that were taken over */
	uint64_t switches;
};

/* Imports the trace. Returns 0 or -errno; on error there is nothing to remove. */
int ctf_import_make(struct ctf_import *import, struct trace_session *session, const char *path,
		    const char *module, struct error *error);

/* Deletes the temporary files. */
void ctf_import_remove(struct ctf_import *import);

#endif
