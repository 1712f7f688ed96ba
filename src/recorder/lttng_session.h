/* SPDX-License-Identifier: MIT */
/* The LTTng session of `record --sink lttng`: made by the command lttng(1) with a channel
 * that has our providers' events and each event's process and thread, started before the
 * program and destroyed when it has ended. Where no session daemon of the user's runs,
 * lttng(1) starts one. One thread.
 *
 *	struct lttng_session lttng;
 *
 *	status = lttng_session_start(&lttng, &options, "DIR/lttng", &error);
 *	... the program ...
 *	status = lttng_session_stop(&lttng, &error);
 */
#ifndef TANDEM_RECORDER_LTTNG_SESSION_H
#define TANDEM_RECORDER_LTTNG_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

struct lttng_options {
	bool enabled;	   /* --sink lttng */
	const char *name;  /* NULL: tandem-PID */
	const char *live;  /* URL of a relay that viewers read at once; NULL: none */
	const char *relay; /* URL of a relay that keeps the trace; NULL: a folder here */
};

struct lttng_session {
	char name[256]; /* "": none was started */
};

/* The trace goes into `folder`, absolute, unless a relay takes it. 0 or -errno: what
 * lttng(1) said is in `error`, and nothing is left behind. */
int lttng_session_start(struct lttng_session *session, const struct lttng_options *options,
			const char *folder, struct error *error);

/* Waits until the daemons have written everything. 0 or -errno. */
int lttng_session_stop(struct lttng_session *session, struct error *error);

/* Whether there is a session of a recorder that is gone: one that was killed can't destroy its
 * own. The first one's name; who is in another PID namespace can't be seen, and counts as gone. */
bool lttng_session_left(char *name, size_t bytes);

#endif
