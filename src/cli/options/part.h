/* SPDX-License-Identifier: MIT */
/* The part of a run that a command is asked for: from one time to another, or while a range
 * of the program's own is open. The options of all commands that take one. One thread.
 *
 *	#define NAME_OPTIONS(X) PART_OPTIONS(X) X(format, ...)
 *
 *	struct part part = PART_WHOLE;
 *
 *	case OPTION_from: case OPTION_to: case OPTION_range:
 *		return part_option(&part, option_rows[option].name, value);
 *	...
 *	part_check(&part, &command_NAME)         when all options are read
 *	part_find(&part, &reading, &range)       in each session
 */
#ifndef TANDEM_CLI_PART_H
#define TANDEM_CLI_PART_H

#include "analysis/events/range.h"
#include "cli/options/options.h"
#include "cli/reading.h"

#define PART_OPTIONS(X)                                                                      \
	X(from, 0, "TIME", TEXT(NULL),                                                       \
	  "only from this time of the run on: 1.5s, 20ms, 300us, 5ns; plain is seconds")     \
	X(to, 0, "TIME", TEXT(NULL), "only up to this time")                                 \
	X(range, 0, "NAME", TEXT(NULL),                                                      \
	  "only while this range of the program's own (NVTX) is open: NAME[@DOMAIN][/N], N " \
	  "from 0 (the first)")

struct part {
	struct range range; /* --from and --to: since the session's start */
	const char *name;   /* --range */
};

#define PART_WHOLE ((struct part){.range = RANGE_WHOLE})

static inline bool part_is_whole(const struct part *part)
{
	return !part->name && range_is_whole(&part->range);
}

/* Takes one of the options, by its name. Returns 0, or -EINVAL, told. */
int part_option(struct part *part, const char *option, const char *value);

/* Whether they go together. Returns 0, or OPTIONS_WRONG, told. */
int part_check(const struct part *part, const struct command *command);

/* Where the part is in this session, in ns since its start; RANGE_WHOLE where none was
 * asked for. Says on stderr what is wrong (no such range, or nothing is so late) and
 * returns CLI_FAILED, with the reading still open, or CLI_DONE. */
int part_find(const struct part *part, struct reading *reading, struct range *range);

/* The same on CLOCK_MONOTONIC. */
int part_find_monotonic(const struct part *part, struct reading *reading, struct range *range);

#endif
