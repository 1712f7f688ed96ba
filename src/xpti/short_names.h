/* SPDX-License-Identifier: MIT */
/*
 * Names to small numbers, in order: of streams, and of tools with types of their own. Any thread.
 */
#ifndef XPTI_SHORT_NAMES_H
#define XPTI_SHORT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "spinlock.h"

struct short_names {
	struct spinlock lock; /* whoever forks holds it */
	unsigned count;
	const char *name[254];
};

/* From 1 on; 0: `name` is null or not known, or no number is left. */
uint8_t short_name(struct short_names *names, const char *name, bool add);

void short_names_reset(struct short_names *names);

#endif
