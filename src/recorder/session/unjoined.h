/* SPDX-License-Identifier: MIT */
/* Programs that the recording started and into which libtandem.so was not loaded, as their
 * environment was cleared: of these nothing is recorded. It is known where programs are seen to
 * begin (linux/process_tree.h) and the library is preloaded into each; only of what has ended.
 *
 *	struct unjoined unjoined;
 *
 *	unjoined_find(&session, &unjoined);
 *	if (unjoined.count)	... unjoined.first->name, and others
 */
#ifndef TANDEM_RECORDER_UNJOINED_H
#define TANDEM_RECORDER_UNJOINED_H

#include "recorder/session/session.h"

struct unjoined {
	uint64_t count;			   /* at least: 0 where it is not known */
	const struct linux_process *first; /* borrowed from the session's processes */
};

/* With session->processes. */
void unjoined_find(const struct session *session, struct unjoined *unjoined);

#endif
