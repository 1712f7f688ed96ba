/* SPDX-License-Identifier: MIT */
/* Names of functions by their places in files, from the files' symbols and their
 * debug information, wherever elfutils finds it. A file that is not there any more,
 * or is another one by its build-id, has no names. One thread.
 *
 *	struct symbols *symbols = symbols_create();
 *	name = symbols_find(symbols, &file, offset);       "" where nobody knows
 *	symbols_destroy(symbols);
 */
#ifndef TANDEM_ANALYSIS_PROFILE_SYMBOLS_H
#define TANDEM_ANALYSIS_PROFILE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/address_space.h"

struct symbols;

/* NULL: no memory, or a build without libdw. The functions take NULL too. */
struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *symbols);

/* The function at this place of the file, as its author wrote its name. Lives as
 * long as `symbols`. */
const char *symbols_find(struct symbols *symbols, const struct mapped_file *file, uint64_t offset);

/* What to add to the file's own addresses where `offset` of it is mapped at `start`;
 * *low is its lowest address. False: it can't be read, or is another file. */
bool symbols_bias(struct symbols *symbols, const struct mapped_file *file, uint64_t offset,
		  uint64_t start, uint64_t *bias, uint64_t *low);

#endif
