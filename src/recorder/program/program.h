/* SPDX-License-Identifier: MIT */
/* A program file that is to be run: where it is, and what the loader will make
 * of libtandem.so in it. Nothing is run to find out.
 */
#ifndef TANDEM_RECORDER_PROGRAM_H
#define TANDEM_RECORDER_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

struct program {
	char path[PATH_MAX];
	bool privileged;   /* set-user-ID or set-group-ID: the loader ignores us */
	bool plain_script; /* no "#!": the shell runs it, as execvp() does */
	/* Of the program, or of the interpreter that a script names: */
	bool loadable; /* it can load our library: same ELF class and machine, dynamic */
	bool is_static;
	bool has_sanitizer; /* it needs a sanitizer's runtime as its first library */
};

/* Finds `name` as execvp() does and looks into it. Returns 0, -ENOENT, -EACCES
 * (not executable), -EISDIR, -ENOEXEC (no program), -ELIBBAD (a script whose
 * interpreter is missing), -ENAMETOOLONG. */
int program_find(const char *name, struct program *program);

#endif
