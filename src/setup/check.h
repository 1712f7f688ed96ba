/* SPDX-License-Identifier: MIT */
/* What `tandem doctor` finds: one line for each thing that was looked at.
 *
 * The checks add lines; cli/doctor prints them. A domain may have a check of its own;
 * of others the row says what to look for (cli/doctor/check_domains.c). Whatever loads foreign code (a
 * driver) does so in a process of its own, by check_apart(): one that crashes or
 * hangs is a finding, not the end of the doctor.
 */
#ifndef TANDEM_SETUP_CHECK_H
#define TANDEM_SETUP_CHECK_H

#include <stdbool.h>
#include <stddef.h>

enum check_state {
	CHECK_OK,
	CHECK_MISSING,	/* needed for recording */
	CHECK_OPTIONAL, /* not there, and recording works without */
	CHECK_PARTIAL,	/* there is less than there could be */
	CHECK_INFO,
};

struct check {
	enum check_state state;
	const char *area; /* "OpenCL", "clock"...: static */
	char name[48];
	char words[400];
	char fix[200]; /* a command, or empty */
};

struct checks {
	struct check *list; /* owned */
	size_t count;
	bool failed; /* out of memory */
};

/* Adds a line; `fix` may be NULL. Returns it for further filling, or NULL. */
struct check *check_add(struct checks *checks, enum check_state state, const char *area,
			const char *name, const char *fix, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Runs `work` in a child, which adds its lines there; they arrive in `checks`.
 * When it crashes or takes more than `seconds`, a CHECK_MISSING line named
 * `name` says so. */
void check_apart(struct checks *checks, const char *area, const char *name, unsigned seconds,
		 void (*work)(struct checks *checks, const void *data), const void *data);

void checks_free(struct checks *checks);

/* A domain's own check, which its folder may have (doctor.c there): whether programs of the
 * runtime can be recorded. Its lines have the row's title for their area. */
#define DOMAIN(number, name, ...) \
	bool domain_check_##name(struct checks *checks) __attribute__((weak));
#include "schema/domains.def"
#undef DOMAIN

#endif
