/* The environment of a program that is to be recorded: the caller's own, plus
 * what names the session and what brings libtandem.so into the process.
 *
 *   TANDEM_SESSION  the session's directory
 *   LD_PRELOAD      ours first, so that it catches the calls of programs that
 *                   are linked to the runtime, at the cost of one branch
 *   OPENCL_LAYERS   ours last: the loader puts each layer around the ones
 *                   before it, and the outermost sees the program's own calls,
 *                   those through dlopen() and dlsym() too
 *
 * A library that is there already is not named twice.
 */
#ifndef TANDEM_CLI_ENVIRONMENT_H
#define TANDEM_CLI_ENVIRONMENT_H

#include <stdbool.h>

struct environment {
	char **variables; /* NULL-terminated; for exec */
	char *session, *preload, *layers; /* owned; NULL: as the caller's */
};

/* Whether a sanitizer's runtime is preloaded anyway: the caller's LD_PRELOAD
 * begins with one, which then stays first, or our own library needs one. */
bool environment_has_sanitizer(void);

/* Composes it. Returns 0 or -ENOMEM. environment_destroy() frees. */
int environment_create(struct environment *environment, const char *session, const char *library,
		       bool preload, bool layer);
void environment_destroy(struct environment *environment);

/* The two lists, for the tests as well: the new value, allocated, or NULL when
 * out of memory. `old` may be NULL. */
char *environment_compose_preload(const char *old, const char *library);
char *environment_compose_layers(const char *old, const char *library);

#endif
