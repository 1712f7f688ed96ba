/* Where libtandem.so lies: what is loaded into the traced program.
 *
 * TANDEM_LIBRARY names it; else it lies beside the command (a build tree), or
 * in the installation that the command belongs to.
 */
#ifndef TANDEM_CLI_LIBRARY_H
#define TANDEM_CLI_LIBRARY_H

#include <limits.h>

struct library {
	char path[PATH_MAX]; /* absolute, without symbolic links */
	char looked[2 * PATH_MAX]; /* where it was looked for, in words */
};

/* Returns 0, -ENOENT (nowhere; `looked` says where), -EINVAL (a path that
 * neither LD_PRELOAD nor OPENCL_LAYERS can hold: blanks, colons). */
int library_find(struct library *library);

/* Path of a part of the command's own, PATH_MAX bytes: beside the executable that asks,
 * or in the folder `tandem` of the installation's libraries. Returns 0 or -ENOENT. */
int library_module(char *path, const char *name);

#endif
