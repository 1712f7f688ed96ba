/* SPDX-License-Identifier: MIT */
/* A folder of files that only this process needs: $TMPDIR/NAME-XXXXXX (or /tmp), 0700. It is
 * removed with all that is in it, also when the process is killed: a child waits for that.
 * Made before there are threads; the caller's thread otherwise.
 *
 *	struct temporary_folder folder;
 *
 *	status = temporary_folder_make(&folder, "tandem-sql", &error);
 *	if (!status) {
 *		... files below folder.path
 *		temporary_folder_remove(&folder);
 *	}
 */
#ifndef TANDEM_UTIL_TEMPORARY_FOLDER_H
#define TANDEM_UTIL_TEMPORARY_FOLDER_H

#include <sys/types.h>

#include "util/error.h"

struct temporary_folder {
	char *path; /* NULL: there is none */
	int end;    /* of a pipe that closes when this process ends */
	pid_t guard;
};

/* 0, or -errno with nothing to remove. */
int temporary_folder_make(struct temporary_folder *folder, const char *name, struct error *error);

/* Waits until it is gone. Nothing happens where there is none. */
void temporary_folder_remove(struct temporary_folder *folder);

#endif
