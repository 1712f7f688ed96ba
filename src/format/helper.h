/* SPDX-License-Identifier: MIT */
/* A traced process has its files made by children of a moment (core/sandbox/fdtable.h), which are
 * no processes of the program's: neither the recorder nor a reader counts them. They say so by
 * their name, also where the parent has no files as none could be made; those of older sessions, and of programs whose sandbox lets nobody change a name,
 * are known by their life: a child that is forked for less than this, to make no call and run
 * nothing, goes with them. */
#ifndef TANDEM_FORMAT_HELPER_H
#define TANDEM_FORMAT_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FORMAT_HELPER_NAME "tandem-files" /* 15 characters at most: prctl(2) */
#define FORMAT_HELPER_LIVES_NS 50000000u

/* `lived_ns` is 0 where it is not known, `name` that of its first thread. */
static inline bool format_is_helper(bool exec, const char *name, uint64_t lived_ns,
				    bool parent_is_traced)
{
	bool short_lived = lived_ns && lived_ns < FORMAT_HELPER_LIVES_NS;

	return !exec && (!strcmp(name, FORMAT_HELPER_NAME) || (parent_is_traced && short_lived));
}

#endif
