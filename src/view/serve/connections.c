/* SPDX-License-Identifier: MIT */
#include "view/serve/connections.h"

#include <string.h>
#include <sys/socket.h>

#include "view/serve/microhttpd.h"

void view_connections_init(struct view_connections *connections)
{
	*connections = (struct view_connections){.lock = PTHREAD_MUTEX_INITIALIZER};
}

static void remove_at(struct view_connections *connections, unsigned i)
{
	memmove(&connections->unproved[i], &connections->unproved[i + 1],
		(--connections->count - i) * sizeof(*connections->unproved));
}

/* Its thread sees the end, and closes it. */
static void end(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		microhttpd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

static void add(struct view_connections *connections, struct MHD_Connection *connection)
{
	if (connections->count == VIEW_UNPROVED_MOST) {
		end(connections->unproved[0]);
		remove_at(connections, 0);
	}
	connections->unproved[connections->count++] = connection;
}

static void forget(struct view_connections *connections, const struct MHD_Connection *connection)
{
	for (unsigned i = 0; i < connections->count; i++) {
		if (connections->unproved[i] == connection) {
			remove_at(connections, i);
			return;
		}
	}
}

void view_connections_notify(void *connections_of, struct MHD_Connection *connection,
			     void **context, enum MHD_ConnectionNotificationCode code)
{
	struct view_connections *connections = connections_of;

	(void)context;
	/* One is listed only until its end is notified, before its descriptor is closed. */
	pthread_mutex_lock(&connections->lock);
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		add(connections, connection);
	else
		forget(connections, connection);
	pthread_mutex_unlock(&connections->lock);
}

void view_connections_prove(struct view_connections *connections, struct MHD_Connection *connection)
{
	pthread_mutex_lock(&connections->lock);
	forget(connections, connection);
	pthread_mutex_unlock(&connections->lock);
	microhttpd.set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
}
