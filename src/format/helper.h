/* SPDX-License-Identifier: MIT */
/* A traced process has its files made by children of a moment (core/sandbox/fdtable.h), which are
 * no processes of the program's: neither the recorder nor a reader counts them. One that is
 * traced and forks for less than this, to make no call and run nothing, goes with them. */
#ifndef TANDEM_FORMAT_HELPER_H
#define TANDEM_FORMAT_HELPER_H

#include <stdbool.h>
#include <stdint.h>

#define FORMAT_HELPER_LIVES_NS 50000000u

/* `lived_ns` is 0 where it is not known. */
static inline bool format_is_helper(bool exec, uint64_t lived_ns, bool parent_is_traced)
{
	return !exec && lived_ns && lived_ns < FORMAT_HELPER_LIVES_NS && parent_is_traced;
}

#endif
