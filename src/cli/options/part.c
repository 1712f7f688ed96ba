/* SPDX-License-Identifier: MIT */
#include "cli/options/part.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/ranges/range_find.h"
#include "cli/cli.h"
#include "util/units.h"

static int read_time(const char *option, const char *text, int64_t *ns)
{
	return units_parse_ns(text, ns) ? option_refuse(option, text, "1.5s, 20ms, 300us, 5ns") : 0;
}

int part_option(struct part *part, const char *option, const char *value)
{
	if (!strcmp(option, "from"))
		return read_time("--from", value, &part->range.from_ns);
	if (!strcmp(option, "to"))
		return read_time("--to", value, &part->range.to_ns);
	part->name = value;
	return 0;
}

int part_check(const struct part *part, const struct command *command)
{
	if (part->name && !range_is_whole(&part->range))
		cli_error("--range: it is a part of the run already; omit --from and --to");
	else if (part->range.from_ns >= part->range.to_ns)
		cli_error("--to is not after --from: there is no time between them");
	else
		return 0;
	return options_wrong(command);
}

static int find_named(const struct part *part, struct reading *reading, struct range *range)
{
	int64_t start_ns = reading->session.start_ns;
	struct error error = ERROR_INIT;
	struct range_found found;

	if (range_find(&reading->session, part->name, &found, &error))
		return cli_fail(&error);
	range->from_ns = found.begin_ns - start_ns;
	range->to_ns = found.end_ns == INT64_MAX ? INT64_MAX : found.end_ns - start_ns;
	if (range->to_ns <= range->from_ns)
		range->to_ns = range->from_ns + 1;
	if (found.others)
		cli_note("the first of %" PRIu64 " ranges of that name; '%s/1' is the second",
			 found.others + 1, part->name);
	return CLI_DONE;
}

/* Nothing could be in a part that begins after all is over. */
static bool starts_late(struct reading *reading, const struct range *range)
{
	int64_t duration_ns = (int64_t)trace_session_duration_ns(&reading->session);
	char from[UNITS_BYTES], duration[UNITS_BYTES];

	if (range->from_ns <= duration_ns)
		return false;
	cli_error("%s: --from %s is after its end: it lasted %s", reading->session.given,
		  units_ns(from, (double)range->from_ns), units_ns(duration, (double)duration_ns));
	return true;
}

int part_find(const struct part *part, struct reading *reading, struct range *range)
{
	*range = part->range;
	if (part->name)
		return find_named(part, reading, range);
	return starts_late(reading, range) ? CLI_FAILED : CLI_DONE;
}

int part_find_monotonic(const struct part *part, struct reading *reading, struct range *range)
{
	int status = part_find(part, reading, range);

	*range = range_since(range, reading->session.start_ns);
	return status;
}
