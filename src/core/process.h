/* SPDX-License-Identifier: MIT */
/* The traced process: its CTF trace in the session (DIR/process-PID[.N]). */
#ifndef TANDEM_CORE_PROCESS_H
#define TANDEM_CORE_PROCESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/control.h"

/* Makes the process's directory and metadata when that has not been done yet.
 * 0 or -errno (then nothing of this process is recorded; later calls try
 * again, at growing distances, and say -errno in between). Any thread. */
int tandem_process_open(void);

/* This process will hold records of that domain: its metadata describes them from
 * now on. Before the domain's first record: a library that is in every process would
 * else describe what few of them use. 0 or -errno. Any thread. */
int tandem_process_uses(unsigned domain);

/* The same where the process may not be open yet: costs nothing, and says nothing if it
 * is. */
void tandem_process_expects(unsigned domain);

/* What descriptions of objects are valid for: changes at resume and at fork. */
extern _Atomic uint32_t tandem_process_forks __attribute__((visibility("hidden")));

static inline uint32_t tandem_process_statedump(void)
{
	return atomic_load_explicit(&tandem_control.statedump, memory_order_relaxed) +
	       (atomic_load_explicit(&tandem_process_forks, memory_order_relaxed) << 16);
}

/* All descriptions are stale from now on: somebody has come who has not got them. */
static inline void tandem_process_describe_again(void)
{
	atomic_fetch_add(&tandem_process_forks, 1);
}

/* In the child of a fork: it has a trace of its own to come. */
void tandem_process_forget(void);

/* `<dir>/<name>-<number>`, and `.<part>` unless that is 0, into
 * path[TANDEM_PATH_BYTES + 64]. */
void tandem_process_path(char *path, const char *name, uint32_t number, uint32_t part);

extern uint8_t tandem_process_uuid[16];

#endif
