/* SPDX-License-Identifier: MIT */
/* One recording of all processes that wait for it (`tandem system record`): a session like that
 * of one program, whose control page a recorder watches and passes on to the processes' pages.
 * So `tandem pause`, `resume` and `stop` work by its directory. One thread.
 *
 *	struct system_recording recording;
 *
 *	if (system_recording_start(&recording, &options, &error))
 *		return cli_fail(&error);
 *	system_recording_wait(&recording, &error);
 */
#ifndef TANDEM_RECORDER_SYSTEM_RECORDING_H
#define TANDEM_RECORDER_SYSTEM_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/collector.h"
#include "recorder/session/session.h"
#include "recorder/system_pages.h"
#include "util/error.h"

struct system_recording_options {
	struct session_options session;
	const char *base;	/* schema/system_folder.h */
	bool all;		/* users: as root */
	uint64_t duration_ns;	/* 0: until a signal, or `tandem stop` */
	enum linux_level level; /* of the operating system's side */
};

struct system_recording {
	const struct system_recording_options *options; /* borrowed */
	struct session session;
	struct system_pages pages;
	struct linux_collector *collector;
	uint64_t collect_ns;	  /* CLOCK_MONOTONIC: when it is due */
	struct linux_notes notes; /* what of the operating system is not recorded */
	char *command[2];
};

/* Makes the session and switches all on. Returns 0 or -errno: nothing is left behind. */
int system_recording_start(struct system_recording *recording,
			   const struct system_recording_options *options, struct error *error);

/* Until SIGINT, SIGTERM or SIGHUP, the end of its time, or `tandem stop`. Completes the session.
 * Returns 0 or -errno. */
int system_recording_wait(struct system_recording *recording, struct error *error);

#endif
