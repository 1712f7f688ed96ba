/* SPDX-License-Identifier: MIT */
/* For a child that runs a library which may never come back: it ends by SIGPROF when
 * it has used so much CPU time without a sign of life. Waiting costs no CPU time: a
 * child that is stopped, or whose reader is slow, goes on. One a process.
 *
 *	watch_begin(60);
 *	while (...) { ...; watch_alive(); }
 */
#ifndef TANDEM_TRACE_WATCH_H
#define TANDEM_TRACE_WATCH_H

/* Until the process ends. It is found out between `seconds` and twice as much. */
void watch_begin(unsigned seconds);

/* Costs a store. */
void watch_alive(void);

#endif
