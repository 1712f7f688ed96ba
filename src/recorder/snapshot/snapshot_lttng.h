/* SPDX-License-Identifier: MIT */
/* A snapshot where LTTng's session has the rings (`record --sink lttng --snapshot`): LTTng saves
 * it, below the folder of the snapshot.
 */
#ifndef TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_LTTNG_H
#define TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_LTTNG_H

#include "recorder/lttng_session.h"
#include "recorder/snapshot/lttng_window.h"
#include "util/error.h"

/* The name of LTTng's session of a session's folder. 0, or -ENOENT: it has none with rings. */
int snapshot_lttng_name(int folder, char name[LTTNG_NAME_BYTES]);

/* Into `to`/lttng. After many, it asks the processes of the session's folder to describe their
 * objects once more, as by then LTTng's rings have no room for what they had. *window: what it holds.
 * 0 or -errno: what lttng(1) said is in `error`. */
int snapshot_lttng_save(const char *name, int session, int to, struct lttng_window *window,
			struct error *error);

#endif
