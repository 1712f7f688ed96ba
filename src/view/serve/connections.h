/* SPDX-License-Identifier: MIT */
/* The server's connections that have not asked for anything with the right address yet.
 * Anybody on this machine can open some, and never finish a request: they have
 * VIEW_UNPROVED_SECONDS for it, and where there are more than VIEW_UNPROVED_MOST the
 * oldest is closed, so that the user's own always get through. Proved ones stay, for as
 * long as their answers take. Threads of the server's.
 */
#ifndef TANDEM_VIEW_CONNECTIONS_H
#define TANDEM_VIEW_CONNECTIONS_H

#include <microhttpd.h>
#include <pthread.h>

#define VIEW_UNPROVED_SECONDS 10u
#define VIEW_UNPROVED_MOST 64u

struct view_connections {
	pthread_mutex_t lock;
	struct MHD_Connection *unproved[VIEW_UNPROVED_MOST]; /* the oldest first */
	unsigned count;
};

void view_connections_init(struct view_connections *connections);

/* For MHD_OPTION_NOTIFY_CONNECTION. */
void view_connections_notify(void *connections, struct MHD_Connection *connection, void **context,
			     enum MHD_ConnectionNotificationCode code);

/* It has asked with the right address. */
void view_connections_prove(struct view_connections *connections,
			    struct MHD_Connection *connection);

#endif
