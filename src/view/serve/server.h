/* SPDX-License-Identifier: MIT */
/* The local web server of the timeline: on 127.0.0.1 only, every address begins
 * with a random token, and a request that comes by another name, from another
 * site or without the token is refused with 403. It serves the page, which is
 * part of the executable, and answers its questions about the sources.
 *
 *	struct view_server *server;
 *	struct view_served served = {.sources = sources, .count = count};
 *	view_server_start(&server, &served, 0, &error);
 *	puts(view_server_address(server));
 *	...
 *	view_server_stop(server);
 *
 * Threads of its own, one for each connection, use the sources until the server
 * stops. The sources are borrowed.
 */
#ifndef TANDEM_VIEW_SERVE_SERVER_H
#define TANDEM_VIEW_SERVE_SERVER_H

#include "util/error.h"
#include "view/serve/findings.h"
#include "view/serve/source.h"

struct view_server;

struct view_served {
	struct view_source *sources;
	size_t count;
	struct view_findings *findings; /* may be NULL */
	unsigned look; /* at a session that is being recorded, from 1; 0: nothing is followed */
	bool runs;     /* and more may come */
};

/* Port 0: a free one. Returns 0, -EADDRINUSE or another -errno; on error there is
 * nothing to stop. */
int view_server_start(struct view_server **server, const struct view_served *served, uint16_t port,
		      struct error *error);

/* Serves these from now on: those of before are the caller's to close. Waits for answers that
 * are being made. */
void view_server_replace(struct view_server *server, const struct view_served *served);

/* "http://127.0.0.1:PORT/TOKEN/" */
const char *view_server_address(const struct view_server *server);

/* An address that leads there once and then no more: for the command line of a
 * browser, which other users of the machine can see. */
const char *view_server_ticket(const struct view_server *server);

void view_server_stop(struct view_server *server);

#endif
