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
#include <stdint.h>

#include "recorder/lttng_kernel.h"
#include "util/error.h"

struct lttng_options {
	bool enabled;		 /* --sink lttng */
	const char *name;	 /* NULL: tandem-PID */
	const char *live;	 /* URL of a relay that viewers read at once; NULL: none */
	const char *relay;	 /* URL of a relay that keeps the trace; NULL: a folder here */
	bool kernel;		 /* what the scheduler does as well, where LTTng can */
	uint64_t snapshot_bytes; /* of each CPU's ring, until a snapshot; 0: all is kept */
};

#define LTTNG_NAME_BYTES 256
#define LTTNG_CHANNEL "tandem" /* of what happens */

/* How complete its trace is. */
struct lttng_outcome {
	char incomplete[512]; /* why parts of it may be missing; "": as far as is known none are */
	uint64_t discarded;   /* events that found no room in LTTng's buffers, as lttng(1) says */
};

struct lttng_session {
	char name[LTTNG_NAME_BYTES]; /* "": none was started */
	char folder[4096];	     /* of its trace; "": a relay has it */
	bool snapshots;		     /* what it has by its end is saved then */
	/* Why it has no kernel events, with the fix; "": it has, or none were asked for. */
	char kernel_note[LTTNG_KERNEL_NOTE_BYTES];
	struct lttng_outcome outcome;
};

/* The relay that gets the trace; "": none. */
static inline const char *lttng_options_relay(const struct lttng_options *options)
{
	return options->live ? options->live : options->relay ? options->relay : "";
}

/* What it will be called. */
void lttng_session_name(char name[LTTNG_NAME_BYTES], const struct lttng_options *options);

/* The trace goes into `folder`, absolute, unless a relay takes it. 0 or -errno: what
 * lttng(1) said is in `error`, and nothing is left behind, but where the daemon does not answer. */
int lttng_session_start(struct lttng_session *session, const struct lttng_options *options,
			const char *folder, struct error *error);

/* Waits until the daemons have written everything. 0 or -errno; -ETIMEDOUT: it gave that up. */
int lttng_session_stop(struct lttng_session *session, struct error *error);

/* Saves what such a session's rings hold now below `folder`, absolute. 0 or -errno. */
int lttng_session_snapshot(const char *name, const char *folder, struct error *error);

/* Whether there is a session of a recorder that is gone: one that was killed can't destroy its
 * own. 1: the first one's name; who is in another PID namespace can't be seen, and counts as gone.
 * 0, also where no daemon runs; -ETIMEDOUT: the daemon did not answer for so many seconds. */
int lttng_session_left(char *name, size_t bytes, unsigned patience_s);

#endif
