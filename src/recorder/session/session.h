/* SPDX-License-Identifier: MIT */
/* A session that is being recorded: what was asked for, and what is known of it. Its files
 * are made by session_files.h. Owner: the recorder (recorder.h). One thread.
 */
#ifndef TANDEM_RECORDER_SESSION_H
#define TANDEM_RECORDER_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "linux/process_tree.h"
#include "recorder/lttng_session.h"
#include "recorder/session/clock.h"
#include "schema/control.h"

/* What a traced process can hold of DIR's name (util/system.h has the same). */
#define SESSION_PATH_BYTES 3072
#define SESSION_PATH_ROOM 64 /* for /process-PID.N/stream-K behind it */

struct session_options {
	const char *directory; /* -o; NULL: named after the program */
	bool force;
	uint64_t domains;
	uint32_t sample_hz;  /* 0: no stacks are sampled */
	bool saved_stacks;   /* to be unwound by the reader */
	uint32_t args_level; /* enum tandem_args_level */
	bool device_timing;
	bool start_paused;
	uint64_t limit_bytes;
	uint64_t
		ring_bytes; /* of each stream of a flight recorder; 0: it is none, or LTTng's alone */
	uint32_t exit_wait_ms;
	uint32_t drain_ms;
	uint32_t choices[TANDEM_DOMAINS_MOST]; /* of each domain */
	char capture[128]; /* schema/capture.h; "": nothing bounds the recording */
	enum clock_request clock;
	struct lttng_options lttng; /* who writes the trace instead */
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
	/* That the program started, itself first; for the end of the description; borrowed. */
	const struct linux_process_tree *processes;
	const struct lttng_outcome *lttng; /* where LTTng wrote it, by its end; borrowed */
};

#endif
