/* SPDX-License-Identifier: MIT */
/* Where libtandem.so is, which is loaded into the traced program. Next to it are the
 * libraries by which some runtimes load it (schema/domain.h, tandem_variable).
 *
 * TANDEM_LIBRARY names it; else it is next to the command (a build tree), or
 * in the installation that the command belongs to.
 */
#ifndef TANDEM_SETUP_LIBRARY_H
#define TANDEM_SETUP_LIBRARY_H

#include <limits.h>

struct library {
	char path[PATH_MAX];	   /* absolute, without symbolic links */
	char looked[2 * PATH_MAX]; /* where it was looked for, in words */
};

/* Returns 0, -ENOENT (nowhere; `looked` says where), -EINVAL (a path that neither
 * LD_PRELOAD nor a list of layers can hold: blanks, colons). */
int library_find(struct library *library);

/* Path of the first file of `names`, which are separated by blanks, that is in the folder
 * of `library`, PATH_MAX bytes. Returns 0 or -ENOENT: then it is where the last one would
 * be. */
int library_beside(char *path, const char *library, const char *names);

/* Path of a part of the command's own, PATH_MAX bytes: beside the executable that asks,
 * or in the folder `tandem` of the installation's libraries. Returns 0 or -ENOENT. */
int library_module(char *path, const char *name);

#endif
