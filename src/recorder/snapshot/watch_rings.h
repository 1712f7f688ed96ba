/* SPDX-License-Identifier: MIT */
/* The rings that `record --sink lttng --snapshot-when` has beside LTTng's: conditions are looked for
 * in them (cli/snapshot_when.c), and what is saved is LTTng's. LTTng's own are not looked at, as
 * each of its snapshots ends a sub-buffer in every ring: eight looks, and nothing would be left of
 * what was before.
 *
 *	watch_rings_forget(&control);           in the page of a snapshot that is LTTng's
 *	watch_rings_remove("run", control);     at the end, before LTTng's trace is read in
 */
#ifndef TANDEM_RECORDER_SNAPSHOT_WATCH_RINGS_H
#define TANDEM_RECORDER_SNAPSHOT_WATCH_RINGS_H

#include "schema/control.h"

/* Nothing is recorded any more, and who reads LTTng's trace counts anew. */
void watch_rings_forget(struct tandem_control *control);

/* The same of a session, with the folders of its processes. Those that still run write no more. */
void watch_rings_remove(const char *directory, struct tandem_control *control);

#endif
