/* SPDX-License-Identifier: MIT */
/* When the traced process begins and ends, and when it is the child of a fork: the session's
 * page is mapped, streams are closed, or what is the parent's is forgotten. */
#ifndef TANDEM_CORE_LIFETIME_H
#define TANDEM_CORE_LIFETIME_H

/* In the child of a fork, what is the parent's is forgotten. Where there is a session that
 * is so from the start. Any thread; again: the same. */
void tandem_lifetime_watch_forks(void);

/* The same in the child of a fork that runs no handlers of pthread_atfork(). System calls
 * only; also in a signal handler. */
void tandem_lifetime_forked(void);

#endif
