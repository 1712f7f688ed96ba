/* SPDX-License-Identifier: MIT */
/* A folder of a fuzz target for the files that it makes of its inputs: in memory
 * where there is such a place, so that some thousand are tried in a second. One for
 * each process, removed at its end. Ends the program when something fails. */
#ifndef TESTS_FUZZ_SCRATCH_H
#define TESTS_FUZZ_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* The folder's path, made when first asked for. */
const char *scratch(void);

/* A folder in it. */
void scratch_folder(const char *name);

/* A file in it, written anew. */
void scratch_put(const char *name, const void *data, size_t bytes);

/* control of a session that `tandem record` could have made. */
void scratch_put_control(void);

/* The next part of an input: its first 3 bytes say how long it is, modulo what is
 * left. Moves *data and *bytes behind it. */
struct scratch_part {
	const uint8_t *data;
	size_t bytes;
};
struct scratch_part scratch_part(const uint8_t **data, size_t *bytes);

#endif
