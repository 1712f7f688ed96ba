/* SPDX-License-Identifier: MIT */
/* Which kernel is the other way, and what it costs. */
#include "analysis/findings/errors/other_way.h"

/* So often is a habit. */
#define LAUNCHES_LEAST 8u

/* But for such a part of its launches, or of the failures. */
#define EXCEPTIONS 10u

/* Of another kernel's time: what the one that was meant would take is not known. In the median of
 * five programs so much was saved (doc/FINDINGS.md). */
#define SAVED_FIFTHS 3u

static bool is_refused(const struct other_way_error *error, const struct other_way_kernel *kernel)
{
	return error->launch && error->process == kernel->process &&
	       error->kernel == kernel->number;
}

/* All its launches have the items that those which failed had: none was made again as it was. */
static bool in_pieces(const struct other_way_error *error, const struct other_way_kernel *kernel,
		      uint64_t failures)
{
	return is_refused(error, kernel) && error->items && kernel->launches >= 2 * failures &&
	       kernel->items * EXCEPTIONS <= error->items * (EXCEPTIONS + 1) &&
	       kernel->items * EXCEPTIONS >= error->items * (EXCEPTIONS - 1);
}

/* Another kernel instead of the one that was refused, each time several launches in a row: the host drives what
 * that does by itself. */
static bool in_phases(const struct other_way_error *error, const struct other_way_kernel *kernel)
{
	return error->launch && !is_refused(error, kernel) &&
	       kernel->launches >= 2 * kernel->after &&
	       (kernel->launches - kernel->after - kernel->in_a_row) * EXCEPTIONS <=
		       kernel->launches;
}

/* Each time when the call has failed, and at no other time. */
static bool each_time(const struct other_ways *ways, size_t row, uint64_t failures,
		      struct other_way *way)
{
	for (size_t i = 0; i < ways->count; i++) {
		const struct other_way_kernel *kernel = &ways->kernels[i];
		bool pieces = in_pieces(way->error, kernel, failures);

		bool phases = in_phases(way->error, kernel);

		if (kernel->row != row || kernel->after < LAUNCHES_LEAST ||
		    (!pieces && !phases &&
		     (kernel->launches - kernel->after) * EXCEPTIONS > kernel->launches) ||
		    kernel->after * EXCEPTIONS < failures * (EXCEPTIONS - 1) ||
		    (way->kernel && way->kernel->ns >= kernel->ns))
			continue;
		way->kernel = kernel;
		way->how = pieces   ? OTHER_WAY_IN_PIECES
			   : phases ? OTHER_WAY_IN_PHASES
				    : OTHER_WAY_EACH_TIME;
	}
	return way->kernel;
}

/* A kernel, or the memory for one, is refused, and never had: what has half of the device's time and more,
 * and was launched at no time before, is there in its place. */
static bool from_then_on(const struct other_ways *ways, uint64_t failures, struct other_way *way)
{
	const struct other_way_error *error = way->error;
	uint64_t all_ns = 0;

	if ((!error->launch && !error->memory) || error->granted || failures >= LAUNCHES_LEAST)
		return false;
	for (size_t i = 0; i < ways->count; i++) {
		const struct other_way_kernel *kernel = &ways->kernels[i];

		if (kernel->process != error->process)
			continue;
		if (is_refused(error, kernel))
			return false;
		all_ns += kernel->ns;
		if (kernel->since_ns > error->since_ns && kernel->launches >= LAUNCHES_LEAST &&
		    (!way->kernel || kernel->ns > way->kernel->ns))
			way->kernel = kernel;
	}
	way->how = OTHER_WAY_FROM_THEN_ON;
	return way->kernel && 2 * way->kernel->ns >= all_ns;
}

bool other_way_find(const struct other_ways *ways, size_t row, uint64_t failures,
		    struct other_way *way)
{
	*way = (struct other_way){0};
	if (row >= ways->error_count || !ways->errors[row].api)
		return false;
	way->error = &ways->errors[row];
	return each_time(ways, row, failures, way) || from_then_on(ways, failures, way);
}

/* One launch has all units at work; each of its pieces as many as it has groups of the size that was
 * meant. */
static uint64_t idle_units_ns(const struct other_way *way, uint64_t units)
{
	const struct other_way_kernel *kernel = way->kernel;
	uint64_t each = kernel->items / kernel->launches, group = way->error->group_items;
	uint64_t groups = group ? (each + group - 1) / group : units;

	return groups < units ? kernel->ns - kernel->ns / units * groups : 0;
}

uint64_t other_way_ns(const struct other_way *way, uint64_t units)
{
	const struct other_way_kernel *kernel = way->kernel;

	if (way->how == OTHER_WAY_IN_PIECES)
		return kernel->gap_ns + idle_units_ns(way, units);
	if (way->how == OTHER_WAY_IN_PHASES)
		return kernel->gap_ns;
	return kernel->ns / 5 * SAVED_FIFTHS;
}
