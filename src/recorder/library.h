/* SPDX-License-Identifier: MIT */
/* Where libtandem.so is, which is loaded into the traced program, and next to it
 * libtandem-opencl.so, which the OpenCL loader loads as a layer, and libtandem-xpti.so, a
 * subscriber of XPTI, with the dispatcher of our own that loads it.
 *
 * TANDEM_LIBRARY names it; else it is next to the command (a build tree), or
 * in the installation that the command belongs to.
 */
#ifndef TANDEM_RECORDER_LIBRARY_H
#define TANDEM_RECORDER_LIBRARY_H

#include <limits.h>

struct library {
	char path[PATH_MAX];	   /* absolute, without symbolic links */
	char layer[PATH_MAX];	   /* likewise */
	char subscriber[PATH_MAX]; /* likewise; "": there is none ... */
	char dispatcher[PATH_MAX]; /* ... a build without a C++ compiler has no dispatcher */
	char looked[2 * PATH_MAX]; /* where it was looked for, in words */
};

/* Returns 0, -ENOENT (nowhere, either of them; `looked` says where), -EINVAL (a path that
 * neither LD_PRELOAD nor OPENCL_LAYERS can hold: blanks, colons). */
int library_find(struct library *library);

/* Path of a part of the command's own, PATH_MAX bytes: beside the executable that asks,
 * or in the folder `tandem` of the installation's libraries. Returns 0 or -ENOENT. */
int library_module(char *path, const char *name);

#endif
