/* SPDX-License-Identifier: MIT */
/* What LTTng recorded becomes a session: our events in a child, as libbabeltrace2 may end the
 * process, then the kernels' side next to them. One thread; no other one while it runs: it
 * forks. */
#ifndef TANDEM_TRACE_LTTNG_CONVERT_H
#define TANDEM_TRACE_LTTNG_CONVERT_H

#include <sys/types.h>

#include "util/error.h"

struct lttng_modules { /* the files; NULL: there is none */
	const char *user, *kernel;
};

/* In the session that was made, where its kernel's side could not be: why. */
#define LTTNG_CONVERT_PROBLEM "problem"

/* Of the traces below `from`, or from a live session until its end, a session in the folder
 * `to`. Returns 0 or -errno, told; there may be files then. */
int lttng_convert(const char *from, const char *to, const struct lttng_modules *modules,
		  struct error *error);

/* Our events alone, into a session that there is. Same. */
int lttng_convert_into(const char *from, const char *to, const char *module, struct error *error);

/* Of a live session: starts the child, whose answer comes by *fd. Returns its number or
 * -errno. */
pid_t lttng_convert_begin(const char *from, const char *to, const char *module, int *fd,
			  struct error *error);

/* Waits for its end. Returns 0 or -errno, told. */
int lttng_convert_end(const char *from, pid_t child, int fd, struct error *error);

#endif
