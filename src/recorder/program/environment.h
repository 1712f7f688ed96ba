/* SPDX-License-Identifier: MIT */
/* The environment of a program that is to be recorded: the caller's own, plus
 * what names the session and what brings libtandem.so into the process.
 *
 *   TANDEM_SESSION  the session's directory
 *   LD_PRELOAD      ours first, so that it catches the calls of programs that
 *                   are linked to the runtime, at the cost of one branch
 *   and what the domains that are recorded need, by their rows (schema/domain.h): as a
 *                   list, ours last, since loaders put each layer around the ones
 *                   before it, and the outermost sees the program's own calls; or one
 *                   library, where another tool's moves to a variable by which ours
 *                   brings it in, or stays
 *
 * A library that is there already is not named twice.
 */
#ifndef TANDEM_RECORDER_ENVIRONMENT_H
#define TANDEM_RECORDER_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

struct environment {
	char **variables;	/* NULL-terminated; for exec */
	size_t count, capacity; /* without the NULL */
	struct arena arena;	/* those that are not the caller's own */
	bool failed;		/* out of memory */
};

/* What is to be brought in, and how. */
struct environment_request {
	const char *session;	 /* directory, absolute */
	const char *library;	 /* absolute; the domains' own are next to it */
	uint64_t domains;	 /* 1 << number: that are recorded */
	const uint32_t *choices; /* what of each, by number; NULL: nothing that is chosen */
	bool preload;
	bool layers; /* the domains' second ways in, too */
};

/* Whether a sanitizer's runtime is preloaded anyway: the caller's LD_PRELOAD
 * begins with one, which then stays first, or our own library needs one. */
bool environment_has_sanitizer(void);

/* Composes it. Returns 0 or -ENOMEM. environment_destroy() frees. */
int environment_create(struct environment *environment, const struct environment_request *request);

/* Sets one more variable, any number of them: instead of the caller's of that name. What
 * runs out of memory is remembered in `failed`. */
void environment_set(struct environment *environment, const char *name, const char *value);

void environment_destroy(struct environment *environment);

/* The two lists, for the tests as well: the new value, allocated, or NULL when
 * out of memory. `old` may be NULL. */
char *environment_compose_preload(const char *old, const char *library);
char *environment_compose_list(const char *old, const char *item, char separator);

#endif
