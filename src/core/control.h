/* SPDX-License-Identifier: MIT */
/* The control page as a traced process sees it: a page of this library's own
 * data over which the session's DIR/control is mapped, so that asking whether
 * to record is one comparison with a word at a fixed place.
 *
 * Before tandem_control_attach(), and for ever when there is no session, the
 * page is zero: nothing records.
 */
#ifndef TANDEM_CORE_CONTROL_H
#define TANDEM_CORE_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "schema/control.h"
#include "schema/ids.h"

#define tandem_likely(x) __builtin_expect(!!(x), 1)
#define tandem_unlikely(x) __builtin_expect(!!(x), 0)

/* Hidden, so that it is reached without a detour through the global table. */
#pragma GCC visibility push(hidden)
extern struct tandem_control tandem_control;

/* The session's page: tandem_control itself, unless a sink is attached. What is counted is
 * counted there. */
extern struct tandem_control *_Atomic tandem_session;

/* The session's directory, absolute; "" when there is none. Where the process waits for
 * sessions to come (core/dormant.h), a link to each. */
extern char tandem_session_dir[];
#pragma GCC visibility pop

/* Maps the session named by TANDEM_SESSION, or waits for those of TANDEM_SYSTEM. 0, or -errno and nothing has
 * changed: -ENOENT no session, -EPERM set-user-id program, -EPROTO another
 * version's session. Called once, before any other thread can record. */
int tandem_control_attach(void);

/* The mask of domains that record now. */
static inline uint64_t tandem_recording(void)
{
	return atomic_load_explicit(&tandem_control.recording, memory_order_relaxed);
}

/* Whether the session records the domain now: what tandem_recording() says unless a sink
 * is attached. */
static inline bool tandem_session_records(unsigned domain)
{
	uint64_t recording = atomic_load_explicit(&tandem_session->recording, memory_order_relaxed);

	return tandem_session_dir[0] &&
	       (domain == TANDEM_DOMAIN_core ? recording != 0 : recording >> domain & 1);
}

/* Domains that sinks of this process want (sinks/sink.h), and whether they want operations,
 * of which the times are asked for then. Without a session the domains are what
 * tandem_recording() says. With one, this process no longer looks at the session's page
 * but at a copy of its own, in which those domains are always on: a pause concerns the
 * trace alone. 0: no sinks. After tandem_local_begin(). */
void tandem_control_want(uint64_t domains, bool operations);

/* In the child of a fork: who was at it stayed behind. */
void tandem_control_forked(void);

/* Which session it is: what changes where one comes after another (core/dormant.h). */
static inline uint64_t tandem_session_id(void)
{
	return __atomic_load_n(&tandem_session->start_monotonic_ns, __ATOMIC_RELAXED);
}

/* What may have changed in the session's page, into the copy. */
void tandem_control_refresh(void);

/* What of the domain is recorded: bits of its own list. */
static inline uint32_t tandem_choices(enum tandem_domain_number domain)
{
	return tandem_control.domain[domain].choices;
}

/* Something that the user should know: a number of the domain's own list. */
static inline void tandem_notice(enum tandem_domain_number domain, unsigned notice)
{
	atomic_fetch_or(&tandem_session->domain[domain].notices, (uint64_t)1 << notice);
}

/* Counts `count` events lost for this reason. Any thread; in a signal handler. */
void tandem_lost(enum tandem_loss reason, uint64_t count);

#endif
