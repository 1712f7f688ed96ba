/* SPDX-License-Identifier: MIT */
/* Why something failed: a chain of causes, the first cause first, and what the
 * user can do about it. The library side appends and returns; only cli/ prints.
 * A caller owns the struct (about 2 KiB, no heap); one thread.
 *
 *	struct error error = ERROR_INIT;
 *	int status = trace_session_open(&session, path, NULL, &error);
 *
 *	if (status < 0)
 *		cli_fail(&error);
 */
#ifndef TANDEM_UTIL_ERROR_H
#define TANDEM_UTIL_ERROR_H

#include <stdint.h>

#define ERROR_CAUSES 4
#define ERROR_TEXT_BYTES 480

struct error {
	unsigned count;
	char causes[ERROR_CAUSES][ERROR_TEXT_BYTES];
	char hint[ERROR_TEXT_BYTES]; /* empty: nothing to advise */
};

#define ERROR_INIT         \
	{                  \
		.count = 0 \
	}

/* Appends a cause; further ones than ERROR_CAUSES are dropped, as the first say
 * most. A NULL error is allowed. Returns `code`, so that a function can end with
 * `return error_add(...)`. */
int error_add(struct error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Same, for a place in a file: "FILE: byte OFFSET: ...". */
int error_add_at(struct error *error, int code, const char *file, uint64_t offset,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* What the user can do about it. The latest one counts. */
void error_set_hint(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
