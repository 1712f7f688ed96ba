/* SPDX-License-Identifier: MIT */
/* The pages of those that wait for `tandem system record` (schema/system_folder.h): this user's,
 * or all users', root's own among them. A page belongs to its user, who may do to it what he
 * likes: here it is only read and written as a file. One thread; the owner is the recording.
 *
 *	struct system_pages pages;
 *
 *	system_pages_begin(&pages, base, uid, all, &error);
 *	system_pages_turn(&pages, control, absolute, true);
 *	... system_pages_find() from time to time, for users that come ...
 *	system_pages_turn(&pages, control, absolute, false);
 *	system_pages_count(&pages, control);
 *	system_pages_end(&pages);
 */
#ifndef TANDEM_RECORDER_SYSTEM_PAGES_H
#define TANDEM_RECORDER_SYSTEM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control.h"
#include "util/error.h"

struct system_page {
	uint32_t uid;
	int folder, fd; /* the latter locked */
	void *map;	/* for futex(2) alone; NULL: none */
	bool on, begun; /* the session is known there */
};

struct system_pages {
	const char *base; /* borrowed */
	bool all;
	struct system_page *list;
	size_t count, capacity;
	size_t refused; /* of other users: somebody else records them, or they are no pages */
};

/* Opens and locks this user's page, made where there is none. `all`: and those of all others.
 * Returns 0, or -errno: -EBUSY somebody records already. */
int system_pages_begin(struct system_pages *pages, const char *base, uint32_t uid, bool all,
		       const struct tandem_control *control, struct error *error);

/* Users that have come since, if all are wanted. Whether there are some: they are off. */
bool system_pages_find(struct system_pages *pages);

/* Switches those pages on or off that are not so. The first time each is filled as
 * `control`, the session's own page, and its folder's link leads to `directory`. */
void system_pages_turn(struct system_pages *pages, const struct tandem_control *control,
		       const char *directory, bool on);

/* Adds up in `control` what has been counted in the pages. */
void system_pages_count(struct system_pages *pages, struct tandem_control *control);

/* Takes the links away, closes and unlocks. */
void system_pages_end(struct system_pages *pages);

/* Whether a recorder steers the page of that user: 1, 0, or -errno where there is no page to
 * ask. *page is a copy. */
int system_page_look(const char *base, uint32_t uid, struct tandem_control *page);

#endif
