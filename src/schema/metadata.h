/* SPDX-License-Identifier: MIT */
/* The trace's metadata: TSDL text (CTF 1.8.3, section 7 and appendix C). */
#ifndef TANDEM_SCHEMA_METADATA_H
#define TANDEM_SCHEMA_METADATA_H

#include <stdint.h>

#include "schema/control.h"

struct tandem_metadata {
	const char *dir;     /* of the trace, made */
	const char *session; /* of the session: its DIR/schema describes the events */
	const uint8_t *uuid; /* 16 bytes */
	const struct tandem_control *control;
	uint64_t domains;	 /* bits of the domains whose events can occur */
	const char *environment; /* more lines of TSDL for the block env; NULL: none */
	int pid, ppid;		 /* of the traced process */
	int tid;		 /* of its thread that asks; 0: not known */
	char thread_name[16];	 /* of that thread; "": not known */
};

/* Writes `dir`/metadata: the trace, its environment (who was recorded, with
 * which options), the clock, the stream class and the event classes of the
 * domains at the session's argument level. Replaces one that is there, and is whole
 * or not there at any moment. Opens files: fdtable.h. Borrows everything; one thread
 * of the process at a time. 0 or -errno. */
int tandem_metadata_write(const struct tandem_metadata *metadata);

#endif
