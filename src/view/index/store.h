/* SPDX-License-Identifier: MIT */
/* The index file while it is being written: appended to, then given its header
 * and its name at once, so that no reader ever sees half of one. Where the
 * folder cannot be written, a nameless file in the folder for temporary files
 * does for one run. One thread.
 *
 *	struct view_store store;
 *	view_store_create(&store, "DIR", &error);   NULL: a nameless one
 *	view_store_append(&store, bytes, length);      any number
 *	view_store_commit(&store, &header);
 *	... store.fd, readable
 *	view_store_close(&store);                      uncommitted: nothing is left
 */
#ifndef TANDEM_VIEW_INDEX_STORE_H
#define TANDEM_VIEW_INDEX_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "view/index/format.h"

struct view_store {
	int fd;
	char *path;  /* of the file while it is being written; NULL: has no name */
	char *final; /* what it will be called */
	uint8_t *buffer;
	size_t used;
	uint64_t offset; /* in the file, of what is appended next */
};

/* `folder` may be NULL. Returns 0 or -errno; on error there is nothing to close. */
int view_store_create(struct view_store *store, const char *folder, struct error *error);

/* Returns 0 or -errno. */
int view_store_append(struct view_store *store, const void *data, size_t bytes);

/* Fills with zeros up to a multiple of 8. Returns 0 or -errno. */
int view_store_align(struct view_store *store);

/* Returns 0 or -errno. */
int view_store_commit(struct view_store *store, const struct view_header *header);

void view_store_close(struct view_store *store);

#endif
