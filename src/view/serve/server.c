/* SPDX-License-Identifier: MIT */
#include "view/serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view/serve/answer.h"
#include "view/serve/connections.h"
#include "view/serve/microhttpd.h"
#include "view/serve/pages.h"

#define TOKEN_BYTES 16u
#define TOKEN_LETTERS (2 * TOKEN_BYTES)

/* A question can name every label that a pattern matches. */
#define CONNECTION_BYTES (2u << 20)
#define QUEUE_LENGTH 64

struct view_server {
	struct MHD_Daemon *daemon;
	struct view_connections connections;
	struct view_served served;
	pthread_rwlock_t served_lock;
	uint16_t port;
	char token[TOKEN_LETTERS + 1];
	char ticket[TOKEN_LETTERS + 1];
	atomic_bool ticket_used;
	char address[64 + TOKEN_LETTERS];
	char ticket_address[64 + TOKEN_LETTERS];
};

/* --- answers */

static void add_headers(struct MHD_Response *response, const char *type)
{
	static const struct {
		const char *name, *value;
	} headers[] = {
		/* Nothing from elsewhere, no code but the page's own files. */
		{"Content-Security-Policy",
		 "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
		 "img-src 'self' data:; base-uri 'none'; form-action 'none'; "
		 "frame-ancestors 'none'"},
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cache-Control", "no-store"},
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		microhttpd.add_response_header(response, headers[i].name, headers[i].value);
	microhttpd.add_response_header(response, "Content-Type", type);
}

static enum MHD_Result send_bytes(struct MHD_Connection *connection, unsigned status,
				  const char *type, const void *data, size_t bytes,
				  enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response =
		microhttpd.create_response_from_buffer(bytes, (void *)(uintptr_t)data, mode);
	enum MHD_Result result;

	if (!response) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free((void *)(uintptr_t)data);
		return MHD_NO;
	}
	add_headers(response, type);
	result = microhttpd.queue_response(connection, status, response);
	microhttpd.destroy_response(response);
	return result;
}

static enum MHD_Result send_message(struct MHD_Connection *connection, unsigned status,
				    const char *text)
{
	return send_bytes(connection, status, "text/plain; charset=utf-8", text, strlen(text),
			  MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_forbidden(struct MHD_Connection *connection)
{
	return send_message(connection, MHD_HTTP_FORBIDDEN,
			    "403: this is not the address that `tandem view` printed.\n");
}

static enum MHD_Result send_elsewhere(struct MHD_Connection *connection, const char *address)
{
	struct MHD_Response *response = microhttpd.create_response_from_buffer(
		0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	add_headers(response, "text/plain");
	microhttpd.add_response_header(response, "Location", address);
	result = microhttpd.queue_response(connection, MHD_HTTP_FOUND, response);
	microhttpd.destroy_response(response);
	return result;
}

static const char *parameter(void *connection, const char *name)
{
	return microhttpd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result send_answer(struct view_server *server, struct MHD_Connection *connection,
				   const char *name)
{
	struct view_question question = {
		.name = name,
		.parameter = parameter,
		.user = connection,
	};
	struct text out = TEXT_INIT;
	const char *type;
	int status;

	pthread_rwlock_rdlock(&server->served_lock);
	question.sources = server->served.sources;
	question.source_count = server->served.count;
	question.findings = server->served.findings;
	question.look = server->served.look;
	question.runs = server->served.runs;
	status = view_answer(&question, &out, &type);
	pthread_rwlock_unlock(&server->served_lock);
	if (!status)
		return send_bytes(connection, MHD_HTTP_OK, type, out.data, out.length,
				  MHD_RESPMEM_MUST_FREE);
	text_free(&out);
	if (status == -ENOENT)
		return send_message(connection, MHD_HTTP_NOT_FOUND,
				    "404: there is no such page.\n");
	if (status == -EINVAL)
		return send_message(connection, MHD_HTTP_BAD_REQUEST,
				    "400: the question makes no sense.\n");
	return send_message(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "500: out of memory.\n");
}

static enum MHD_Result send_page(struct view_server *server, struct MHD_Connection *connection,
				 const char *name)
{
	const struct view_page *page = view_page_find(*name ? name : "served.html");

	if (!page)
		return send_answer(server, connection, name);
	return send_bytes(connection, MHD_HTTP_OK, page->type, page->data, page->bytes,
			  MHD_RESPMEM_PERSISTENT);
}

/* --- who may ask */

/* In constant time: how long it takes does not depend on how much of it is right. */
static bool token_matches(const char *token, const char *given)
{
	unsigned char differs = 0;

	if (strnlen(given, TOKEN_LETTERS) < TOKEN_LETTERS)
		return false;
	for (size_t i = 0; i < TOKEN_LETTERS; i++)
		differs |= (unsigned char)(token[i] ^ given[i]);
	return !differs;
}

/* The server's own name and nothing else: a page of another site whose name was
 * made to lead here comes with that name. */
static bool host_matches(const struct view_server *server, const char *host)
{
	char own[32];

	if (!host)
		return false;
	snprintf(own, sizeof(own), "127.0.0.1:%u", server->port);
	if (!strcmp(host, own))
		return true;
	snprintf(own, sizeof(own), "localhost:%u", server->port);
	return !strcmp(host, own);
}

static bool may_ask(const struct view_server *server, struct MHD_Connection *connection)
{
	static const char scheme[] = "http://";
	const char *host = microhttpd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	const char *origin =
		microhttpd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
	const char *site =
		microhttpd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");

	if (!host_matches(server, host))
		return false;
	if (origin && (strncmp(origin, scheme, strlen(scheme)) != 0 ||
		       !host_matches(server, origin + strlen(scheme))))
		return false;
	return !site || !strcmp(site, "none") || !strcmp(site, "same-origin");
}

static enum MHD_Result handle(void *server_of, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **state)
{
	struct view_server *server = server_of;
	const char *rest;

	(void)version;
	(void)upload;
	(void)upload_bytes;
	(void)state;
	if (!may_ask(server, connection) || *url != '/')
		return send_forbidden(connection);
	if (token_matches(server->ticket, url + 1) && !url[1 + TOKEN_LETTERS] &&
	    !atomic_exchange(&server->ticket_used, true))
		return send_elsewhere(connection, server->address);
	if (!token_matches(server->token, url + 1))
		return send_forbidden(connection);
	view_connections_prove(&server->connections, connection);
	rest = url + 1 + TOKEN_LETTERS;
	if (!*rest)
		return send_elsewhere(connection, server->address);
	if (*rest != '/')
		return send_forbidden(connection);
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return send_message(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				    "405: this server only answers.\n");
	return send_page(server, connection, rest + 1);
}

/* --- begin and end */

static int make_token(char token[TOKEN_LETTERS + 1])
{
	uint8_t bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < TOKEN_BYTES; i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* Our own socket, so that it is known why there is none. */
static int make_socket(uint16_t *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(*port),
				      .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, status;

	if (fd < 0)
		return -errno;
	/* A port that was in use a moment ago may be taken again. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, QUEUE_LENGTH) ||
	    getsockname(fd, (struct sockaddr *)&address, &length)) {
		status = -errno;
		close(fd);
		return status;
	}
	*port = ntohs(address.sin_port);
	return fd;
}

static int start_daemon(struct view_server *server, int fd)
{
	/* A thread for each of the browser's connections: sums over a large trace take a
	 * while, and the picture should not wait for them. */
	server->daemon = microhttpd.start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_AUTO,
		server->port, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, VIEW_UNPROVED_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
		view_connections_notify, &server->connections, MHD_OPTION_END);
	return server->daemon ? 0 : -EIO;
}

int view_server_start(struct view_server **made, const struct view_served *served, uint16_t port,
		      struct error *error)
{
	struct view_server *server = calloc(1, sizeof(*server));
	int fd, status = -ENOMEM;

	if (!server)
		return error_add(error, status, "out of memory");
	server->served = *served;
	pthread_rwlock_init(&server->served_lock, NULL);
	server->port = port;
	view_connections_init(&server->connections);
	fd = make_socket(&server->port);
	status = fd < 0 ? fd : make_token(server->token);
	if (!status)
		status = make_token(server->ticket);
	snprintf(server->address, sizeof(server->address), "http://127.0.0.1:%u/%s/", server->port,
		 server->token);
	snprintf(server->ticket_address, sizeof(server->ticket_address), "http://127.0.0.1:%u/%s",
		 server->port, server->ticket);
	if (!status)
		status = microhttpd_load();
	if (!status)
		status = start_daemon(server, fd);
	if (status) {
		if (fd >= 0)
			close(fd);
		free(server);
		if (status == -EADDRINUSE || status == -EACCES)
			error_set_hint(error, "choose another with --port, or leave it out");
		if (status == -ELIBACC)
			return error_add(error, status, "%s cannot be loaded: is it installed?",
					 MICROHTTPD_SONAME);
		if (port)
			return error_add(error, status, "port %u of this machine: %s", port,
					 strerror(-status));
		return error_add(error, status, "cannot start the local web server: %s",
				 strerror(-status));
	}
	*made = server;
	return 0;
}

const char *view_server_address(const struct view_server *server)
{
	return server->address;
}

const char *view_server_ticket(const struct view_server *server)
{
	return server->ticket_address;
}

void view_server_replace(struct view_server *server, const struct view_served *served)
{
	pthread_rwlock_wrlock(&server->served_lock);
	server->served = *served;
	pthread_rwlock_unlock(&server->served_lock);
}

void view_server_stop(struct view_server *server)
{
	microhttpd.stop_daemon(server->daemon);
	pthread_rwlock_destroy(&server->served_lock);
	free(server);
}
