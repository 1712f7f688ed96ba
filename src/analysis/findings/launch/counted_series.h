/* SPDX-License-Identifier: MIT */
/* Series of launches that could be one each (counted.h): how long they take on their device, and what is
 * saved. Memory grows with kernels. One thread.
 *
 *	struct counted_series rows = {0};
 *
 *	counted_series_add(&rows, series, operation);	each launch, in the order of ends
 *	counted_series_report(&rows, findings, &units);
 *	counted_series_free(&rows);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_LAUNCH_COUNTED_SERIES_H
#define TANDEM_ANALYSIS_FINDINGS_LAUNCH_COUNTED_SERIES_H

#include "analysis/findings/finding.h"
#include "analysis/operations/operation.h"
#include "util/map.h"

struct counted_row;

struct counted_series {
	struct map row_of; /* hash of device and kernel's name -> row */
	struct counted_row *rows;
	size_t count, capacity;
};

/* `series`: number, from 1, of one that may have this launch only. Returns 0 or -ENOMEM. */
int counted_series_add(struct counted_series *rows, uint64_t series,
		       const struct operation *operation);

/* `units`: row of devices -> compute units. Where a finding has the gaps between such launches, it is given the
 * cost of all. Returns 0 or -ENOMEM. */
int counted_series_report(struct counted_series *rows, struct findings *findings,
			  const struct map *units);

void counted_series_free(struct counted_series *rows);

#endif
