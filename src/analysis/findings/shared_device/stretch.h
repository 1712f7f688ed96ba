/* SPDX-License-Identifier: MIT */
/* How much longer kernels take while those of another process or context run: as long as without them
 * where the device runs both at once, and a multiple where it takes turns between them, whatever room
 * there is. Kernels of one name and size are compared: with such as ran without others or, where most take
 * about the same, next to others as well, with the shortest: in its turn a kernel takes no longer, and only
 * one that the turn ends in does. Memory grows with those, and with kernels that
 * run. One thread.
 *
 *	stretch_begin(&stretch, key, beside_ns);		each kernel's start
 *	stretch_end(&stretch, key, kind, took_ns, beside_ns);	its end
 *	part = stretch_part(&stretch);
 *	stretch_free(&stretch);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_STRETCH_H
#define TANDEM_ANALYSIS_FINDINGS_STRETCH_H

#include "util/map.h"

struct stretch_kind {
	uint64_t alone, alone_ns, beside, beside_ns;
	uint64_t least_ns;	   /* of all */
	uint64_t near, near_alone; /* of those beside others, and alone: such as took little more */
};

struct stretch {
	struct map running; /* operation -> how long owners ran beside each other, at its start */
	struct map kind_of; /* the caller's number of kernels that do the same -> index of kinds */
	struct stretch_kind *kinds;
	size_t kind_count, kind_capacity;
};

/* `beside_ns`: a clock that runs while kernels of several owners do. 0 or -ENOMEM. */
int stretch_begin(struct stretch *stretch, uint64_t operation, uint64_t beside_ns);

/* Of one that did not begin: nothing. */
int stretch_end(struct stretch *stretch, uint64_t operation, uint64_t kind, uint64_t took_ns,
		uint64_t beside_ns);

/* Which part of what kernels took beside others they would not have taken alone, 0 to 1. 0 where
 * that is less than a third, or too few are known. */
double stretch_part(const struct stretch *stretch);

void stretch_free(struct stretch *stretch);

#endif
