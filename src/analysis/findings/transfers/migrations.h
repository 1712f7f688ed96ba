/* SPDX-License-Identifier: MIT */
/* Pages of managed memory that move as they are touched (CUDA's unified memory), as part of the finding
 * `transfers`: the device's kernel, or the host's thread, waits for each such page fault. Memory grows
 * with processes and devices. One thread.
 *
 *	struct migrations migrations = {0};
 *
 *	migrations_fault(&migrations, findings, item);			each ITEM_OTHER
 *	migrations_command(&migrations, &item->operation, to_host);	each that is a migration
 *	migrations_add(&migrations, findings, &places);
 *	migrations_free(&migrations);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_TRANSFERS_MIGRATIONS_H
#define TANDEM_ANALYSIS_FINDINGS_TRANSFERS_MIGRATIONS_H

#include "analysis/findings/finding.h"
#include "analysis/findings/transfers/places.h"
#include "analysis/stats/histogram.h"
#include "util/map.h"

struct migration_side {
	uint64_t bytes, ns;
};

struct migration_row { /* a process and a device */
	uint32_t process, device;
	struct migration_side to_device, to_host;
	int64_t to_host_until_ns;
	uint64_t stretches;	   /* of migrations to the host, one right after another */
	struct histogram between;  /* times between two of these */
	uint64_t faults, fault_ns; /* the device's, in groups; once where they overlap */
	int64_t fault_until_ns;
	int64_t begin_ns, end_ns; /* of the longest */
};

struct migrations {
	struct map row_of; /* process and device */
	struct migration_row *rows;
	size_t count, capacity;
	struct map host_faults; /* process -> how many */
};

/* Return 0 or -ENOMEM; after an error migrations_free() is called as well. */
int migrations_fault(struct migrations *migrations, struct findings *findings,
		     const struct event_item *item);
int migrations_command(struct migrations *migrations, const struct operation *operation,
		       bool to_host);
int migrations_add(const struct migrations *migrations, struct findings *findings,
		   const struct places *places);
void migrations_free(struct migrations *migrations);

#endif
