/* SPDX-License-Identifier: MIT */
/* Fuzz target of the timeline's server: any bytes at its port, as each user of the
 * machine can send them.
 *
 * What only `tandem view` knows stands in an input as a byte: 1 the token, 2 the ticket,
 * 3 "127.0.0.1:PORT". Who gave neither token nor ticket learns neither, and is served
 * nothing. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/error.h"
#include "util/text.h"
#include "view/serve/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define REPLY_BYTES (256u << 10)

static struct {
	struct view_server *server;
	char name[32], token[64], ticket[64];
	struct sockaddr_in address;
} view;

/* "http://NAME/SECRET", and perhaps "/" */
static void take(const char *address, char *name, char *secret)
{
	const char *host = address + strlen("http://"), *slash = strchr(host, '/');

	memcpy(name, host, (size_t)(slash - host));
	strcpy(secret, slash + 1);
	secret[strcspn(secret, "/")] = '\0';
}

static void start(void)
{
	static const struct view_served served;
	struct error error = ERROR_INIT;

	if (view_server_start(&view.server, &served, 0, &error))
		abort();
	take(view_server_address(view.server), view.name, view.token);
	take(view_server_ticket(view.server), view.name, view.ticket);
	view.address =
		(struct sockaddr_in){.sin_family = AF_INET,
				     .sin_addr = {htonl(INADDR_LOOPBACK)},
				     .sin_port = htons((uint16_t)atoi(strchr(view.name, ':') + 1))};
}

/* Whether it holds the token or the ticket, in part of its own bytes or by place. */
static bool request_make(struct text *request, const uint8_t *data, size_t bytes)
{
	bool secret = false;

	for (size_t i = 0; i < bytes; i++) {
		secret = secret || data[i] == 1 || data[i] == 2;
		if (data[i] == 1)
			text_add_string(request, view.token);
		else if (data[i] == 2)
			text_add_string(request, view.ticket);
		else if (data[i] == 3)
			text_add_string(request, view.name);
		else
			text_add_char(request, (char)data[i]);
	}
	return secret;
}

static void send_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t sent = send(fd, data, bytes, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		/* The server may hang up in the middle. */
		if (sent <= 0)
			return;
		data += sent;
		bytes -= (size_t)sent;
	}
}

static size_t receive_all(int fd, char *reply)
{
	size_t bytes = 0;

	for (;;) {
		ssize_t got = recv(fd, reply + bytes, REPLY_BYTES - bytes, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return bytes;
		bytes += (size_t)got;
		/* Only the begin is looked at: a page fits. */
		if (bytes == REPLY_BYTES)
			bytes /= 2;
	}
}

/* -1: there is no port left just now, of which each connection takes one for a minute. */
static int view_connect(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status;

	if (fd < 0)
		abort();
	/* libFuzzer's alarm comes every few seconds. */
	do
		status = connect(fd, (struct sockaddr *)&view.address, sizeof(view.address));
	while (status && (errno == EINTR || errno == EALREADY));
	if (!status || errno == EISCONN)
		return fd;
	if (errno != EADDRNOTAVAIL)
		abort();
	close(fd);
	return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static char reply[REPLY_BYTES];
	struct text request = TEXT_INIT;
	bool secret;
	size_t got;
	int fd;

	if (!view.server)
		start();
	secret = request_make(&request, data, bytes);
	fd = view_connect();
	if (fd < 0) {
		text_free(&request);
		return 0;
	}
	send_all(fd, request.data, request.length);
	shutdown(fd, SHUT_WR);
	got = receive_all(fd, reply);
	close(fd);
	text_free(&request);
	if (!secret && (memmem(reply, got, view.token, strlen(view.token)) ||
			memmem(reply, got, view.ticket, strlen(view.ticket)) ||
			memmem(reply, got, "HTTP/1.1 200", 12)))
		abort();
	return 0;
}
