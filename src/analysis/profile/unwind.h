/* SPDX-License-Identifier: MIT */
/* Stacks of saved memory and registers, unwound by the call frame information of the
 * files that were mapped (libdw). One thread.
 *
 *	struct unwind *unwind = unwind_create(symbols);
 *	count = unwind_stack(unwind, spaces, space, &stack, frames, room);
 */
#ifndef TANDEM_ANALYSIS_PROFILE_UNWIND_H
#define TANDEM_ANALYSIS_PROFILE_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/address_space.h"
#include "analysis/profile/symbols.h"

struct unwind_stack {
	uint64_t registers[17]; /* by DWARF's numbers on x86-64; 16 is the place */
	const uint8_t *bytes;	/* from where register 7 points on */
	size_t count;
};

struct unwind;

/* NULL: no memory, or a build without libdw. The functions take NULL too. */
struct unwind *unwind_create(struct symbols *symbols);
void unwind_destroy(struct unwind *unwind);

/* Fills the frames, innermost first; at least the place itself. Returns how many. */
size_t unwind_frames(struct unwind *unwind, const struct address_spaces *address_spaces,
		     struct space *space, const struct unwind_stack *stack, uint64_t *frames,
		     size_t room);

#endif
