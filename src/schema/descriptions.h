/* SPDX-License-Identifier: MIT */
/* What a flight recorder must not overwrite: the records that later ones refer to (schema/gen/
 * lasting.h), of one process, or of the operating system's side. A mapped file of two areas, one of
 * which is in use; where it is full, what still counts is copied to the other.
 *
 *   DIR/process-PID/descriptions-1    a header, then the areas, from DESCRIPTIONS_HEADER_BYTES on
 *
 * The records are one after another, each aligned as in a packet. `bytes` of the area covers
 * those that are there: a process that is killed leaves a whole number of them.
 *
 *	error = descriptions_add(&descriptions, record, &rules);          the writer, one at a time
 *	area = descriptions_area(generation);                             who reads it meanwhile
 *	... copies it ...
 *	if (descriptions_valid(generation, header->generation)) ...
 */
#ifndef TANDEM_SCHEMA_DESCRIPTIONS_H
#define TANDEM_SCHEMA_DESCRIPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/record.h"

#define DESCRIPTIONS_MAGIC UINT64_C(0x7073644d45444e54)
#define DESCRIPTIONS_HEADER_BYTES 4096u
/* Of an area: address space, of which as much is used as what is alive needs. */
#define DESCRIPTIONS_AREA_BYTES (64u << 20)
#define DESCRIPTIONS_AREA_LEAST_BYTES (256u * 1024)

struct descriptions_header {
	uint64_t magic;
	uint64_t area_bytes;
	/* Odd: what counts is being copied. Half of it, rounded down, is odd or even as the
	 * area that is in use. */
	_Atomic uint64_t generation;
	_Atomic uint64_t bytes[2]; /* of each area that hold records */
};

enum description_state {
	DESCRIPTION_LIVE,    /* later records may refer to it */
	DESCRIPTION_UNKNOWN, /* whether they may is not known */
	DESCRIPTION_GONE,    /* only what was recorded before does */
};

/* What its owner knows. */
struct descriptions_rules {
	/* Makes an area writable up to there: 0 or -errno. */
	int (*reserve)(void *user, unsigned area, uint64_t bytes);

	/* Around a copy: what is alive. -errno: everything is. */
	int (*copy_begin)(void *user);
	enum description_state (*state)(void *user, const struct tandem_record *record);
	void (*copy_end)(void *user);
	void *user;
};

struct descriptions {
	struct descriptions_header *header; /* NULL: not open */
	uint64_t limit_bytes;		    /* of the area in use; grows with what is alive */
};

/* Of a new file of that many bytes of zeros, mapped at `base`. */
void descriptions_init(struct descriptions *descriptions, void *base, uint64_t area_bytes,
		       uint64_t limit_bytes);

static inline uint64_t descriptions_file_bytes(uint64_t area_bytes)
{
	return DESCRIPTIONS_HEADER_BYTES + 2 * area_bytes;
}

static inline unsigned descriptions_area(uint64_t generation)
{
	return generation / 2 % 2;
}

/* Whether what was read of the area of `before` was not overwritten. */
static inline bool descriptions_valid(uint64_t before, uint64_t now)
{
	return now / 2 - before / 2 < 1 || (now / 2 - before / 2 == 1 && !(now % 2));
}

/* Adds a copy of the record. 0, -ENOSPC (there are more alive than an area holds) or what
 * `reserve` said. */
int descriptions_add(struct descriptions *descriptions, const struct tandem_record *record,
		     const struct descriptions_rules *rules);

#endif
