/* SPDX-License-Identifier: MIT */
/* Whether an import is still what was made: a file in it says which files it had, of which
 * sizes and times. One whose removal was interrupted, of which a cleaner of caches took the files
 * that had not been read for long, or whose disk lost power, is none. One thread: it walks by
 * nftw(), which has no argument of ours.
 *
 *	... all files below path are written
 *	status = import_seal_write(path);
 *	...
 *	if (import_seal_holds(path, fd)) ... read it
 */
#ifndef TANDEM_TRACE_LTTNG_IMPORT_SEAL_H
#define TANDEM_TRACE_LTTNG_IMPORT_SEAL_H

#include <stdbool.h>

/* 0 or -errno. */
int import_seal_write(const char *path);

/* `fd`: the open folder of that path. */
bool import_seal_holds(const char *path, int fd);

#endif
