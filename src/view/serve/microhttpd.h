/* SPDX-License-Identifier: MIT */
/* libmicrohttpd, loaded when there is something to serve: with what it needs itself (GnuTLS
 * and eight libraries more) it was half of what each command took to start.
 *
 *	error = microhttpd_load();
 *	if (!error)
 *		daemon = microhttpd.start_daemon(...);
 *
 * One thread loads it, before any other uses it. It is never unloaded.
 */
#ifndef TANDEM_VIEW_SERVE_MICROHTTPD_H
#define TANDEM_VIEW_SERVE_MICROHTTPD_H

#include <microhttpd.h>

#define MICROHTTPD_FUNCTIONS(X)        \
	X(add_response_header)         \
	X(create_response_from_buffer) \
	X(destroy_response)            \
	X(get_connection_info)         \
	X(lookup_connection_value)     \
	X(queue_response)              \
	X(set_connection_option)       \
	X(start_daemon)                \
	X(stop_daemon)

struct microhttpd {
#define X(name) __typeof__(&MHD_##name) name;
	MICROHTTPD_FUNCTIONS(X)
#undef X
};

extern struct microhttpd microhttpd;

/* 0; -ELIBACC: it isn't installed, or lacks one of these. */
int microhttpd_load(void);

#endif
