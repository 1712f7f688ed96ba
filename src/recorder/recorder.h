/* SPDX-License-Identifier: MIT */
/* The recording of one program, from before its start to after its end: what `tandem
 * record` does, without options and printing.
 *
 * Whatever can be refused is refused before the program starts. Afterwards nothing is a
 * reason to disturb it; if the recorder is killed, the program records on.
 *
 *	struct recorder recorder;
 *
 *	if (recorder_start(&recorder, &options, &error))
 *		return recorder.cannot_run ? ... : cli_fail(&error);
 *	status = recorder_wait(&recorder, &error);
 *	...
 *	child_imitate_end(status);
 *
 * One thread. The caller owns the struct, which must stay where it is.
 */
#ifndef TANDEM_RECORDER_RECORDER_H
#define TANDEM_RECORDER_RECORDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "linux/collector.h"
#include "linux/process_tree.h"
#include "recorder/program/program.h"
#include "recorder/session/ended_processes.h"
#include "recorder/session/session.h"
#include "recorder/snapshot/watcher.h"
#include "recorder/steering.h"
#include "setup/library.h"
#include "util/error.h"

/* X(constant, word): how libtandem.so gets into the program. */
#define RECORDER_INJECTIONS(X) \
	X(AUTO, "auto")        \
	X(PRELOAD, "preload")  \
	X(LAYER, "layer")      \
	X(BOTH, "both")

enum recorder_injection {
#define X(constant, word) INJECT_##constant,
	RECORDER_INJECTIONS(X)
#undef X
};

struct recorder_options {
	struct session_options session;
	enum recorder_injection injection;
	enum linux_level level;		/* of the operating system's side */
	uint64_t delay_ns, duration_ns; /* of the recording; 0: from the start, to the end */
	char **command;
	struct clock_pair early;	/* of the counter, read as early as may be: for its rate */
	struct watcher_request watcher; /* `directory` is filled in here */
};

struct recorder {
	const struct recorder_options *options; /* borrowed */
	struct session session;
	struct program program;
	struct library library;
	struct linux_collector *collector;
	struct linux_process_tree processes; /* at the end: the program and what it started */
	struct linux_notes notes;	     /* what of the operating system is not recorded */
	struct lttng_session lttng;
	struct steering_schedule schedule;
	struct watcher watcher;
	struct ended_processes ended; /* of a flight recorder */
	bool unwatched;		      /* at the end: the conditions were not looked at to the end */
	pid_t pid;
	bool cannot_run; /* the program: the error is execvp()'s, and has no words */
};

/* Makes the session and starts the program. Returns 0 or -errno: nothing is left behind. */
int recorder_start(struct recorder *recorder, const struct recorder_options *options,
		   struct error *error);

/* Records until the program ends, and completes the session, as far as possible: what was
 * not is in `error`. Returns the program's wait status. */
int recorder_wait(struct recorder *recorder, struct error *error);

#endif
