/* SPDX-License-Identifier: MIT */
/* A process without a session that a tool in it (sinks/sink.h) may want to trace: what a
 * session's control page says is set here, so that domains attach to their runtimes. Nothing
 * records until a sink wants something.
 *
 *	tandem_local_begin();	// in a constructor, before a runtime is initialised
 */
#ifndef TANDEM_CORE_LOCAL_H
#define TANDEM_CORE_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/control.h"

extern bool tandem_local __attribute__((visibility("hidden")));

/* Where there is a session, nothing changes. Again: the same. Before other threads record. */
__attribute__((visibility("default"))) void tandem_local_begin(void);

/* What of the domain is recorded then (bits of its own list); nothing where there is a
 * session. */
__attribute__((visibility("default"))) void tandem_local_choose(unsigned domain, uint32_t choices);

/* Of the session, or of the process: what ticks are (enum tandem_clock_source), and the
 * layouts of calls' records (enum tandem_args_level). */
__attribute__((visibility("default"))) uint32_t tandem_local_clock(void);
__attribute__((visibility("default"))) uint32_t tandem_local_level(void);

/* Whether domains have anybody to attach for: a session, or a tool in the process. */
static inline bool tandem_in_use(void)
{
	return tandem_session_dir[0] || tandem_local;
}

#endif
