/* SPDX-License-Identifier: MIT */
/* LTTng's daemons as the kernel sees them: the session daemons that lttng(1) may talk to, by
 * the process numbers that they write next to their sockets, and their consumer daemons, which
 * are their children. One thread.
 *
 *	struct lttng_daemon daemon;
 *
 *	if (lttng_daemon_find_stopped(&daemon))
 *		printf("kill -CONT %d\n", (int)daemon.pid);
 */
#ifndef TANDEM_RECORDER_LTTNG_DAEMON_H
#define TANDEM_RECORDER_LTTNG_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

struct lttng_daemon {
	pid_t pid;
	char name[32]; /* "lttng-sessiond" or "lttng-consumerd" */
};

/* Whether one of them is stopped by a signal or a debugger: it answers nobody. False also
 * where it is in another PID namespace, or /proc can't be read. */
bool lttng_daemon_find_stopped(struct lttng_daemon *daemon);

#endif
