/* SPDX-License-Identifier: MIT */
/* How far a long pass over a session has come, for whoever wants to show it. */
#ifndef TANDEM_ANALYSIS_EVENTS_PROGRESS_H
#define TANDEM_ANALYSIS_EVENTS_PROGRESS_H

#include <stdint.h>

/* A look at the clock of the wall costs more than an event. */
#define PROGRESS_EVENTS (1u << 18)

struct progress {
	/* Called now and then: bytes of the trace read, of all. */
	void (*tell)(void *user, uint64_t done, uint64_t total);
	void *user;
};

static inline void progress_tell(const struct progress *progress, uint64_t done, uint64_t total)
{
	if (progress && progress->tell)
		progress->tell(progress->user, done, total);
}

#endif
