/* SPDX-License-Identifier: MIT */
/* A session that is being recorded: its directory, its control page, and the
 * file that says what was run. Made before the program starts, so that all
 * errors are reported before exec; complete without any finishing step, which only
 * adds how it ended.
 *
 * Owner: the recorder (recorder.h). One thread.
 */
#ifndef TANDEM_RECORDER_SESSION_H
#define TANDEM_RECORDER_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "recorder/clock.h"
#include "schema/control.h"
#include "util/error.h"

/* What a traced process can hold of DIR's name (core/system.h has the same). */
#define SESSION_PATH_BYTES 3072
#define SESSION_PATH_ROOM 64 /* for /process-PID.N/stream-K behind it */

struct session_options {
	const char *directory; /* -o; NULL: named after the program */
	bool force;
	uint32_t domains;
	uint32_t sample_hz;  /* 0: no stacks are sampled */
	bool saved_stacks;   /* to be unwound by the reader */
	uint32_t args_level; /* enum tandem_args_level */
	bool device_timing;
	bool start_paused;
	uint64_t limit_bytes;
	uint32_t exit_wait_ms;
	uint32_t drain_ms;
	uint32_t choices[TANDEM_DOMAINS_MOST]; /* of each domain */
	char capture[128]; /* schema/capture.h; "": nothing bounds the recording */
	enum clock_request clock;
};

struct session {
	const struct session_options *options; /* borrowed */
	char **command;			       /* borrowed */
	const char *program;		       /* path of the program file; borrowed */
	const char *inject;		       /* how libtandem.so gets in, in words */
	char directory[SESSION_PATH_BYTES];    /* as the user knows it */
	char absolute[SESSION_PATH_BYTES];
	struct tandem_control *control;
	int lock; /* that it is being recorded (folder.h) */
	struct clock_source clock;
	struct clock_pair early, start, end;
};

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
