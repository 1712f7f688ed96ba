/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/carried.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "util/keyed_row.h"

struct carried_use { /* in a cycle */
	uint64_t cycle;
	bool filled;  /* by a transfer, before a kernel used it */
	bool written; /* by a kernel, as far as is known */
	bool taken;   /* by a kernel that only reads it */
	bool result;  /* by the host */
};

struct carried_row {
	struct carried_use now, before;
};

void carried_cycle(struct carried *carried)
{
	carried->cycle++;
}

static struct carried_row *row_find(struct carried *carried, size_t lane, uint32_t memory)
{
	static const struct carried_row fresh;
	struct carried_row *row =
		keyed_row(&carried->row_of, (uint64_t)lane << 32 | memory, &carried->rows,
			  &carried->capacity, &carried->count, &fresh, sizeof(fresh));

	if (row && row->now.cycle != carried->cycle) {
		row->before = row->now;
		row->now = (struct carried_use){.cycle = carried->cycle};
	}
	return row;
}

/* `keeps`: what the kernel writes, it reads before: of two that take turns each has a queue of its own.
 * `alone`: it uses nothing else that it could be made of. */
static bool is_carried(const struct carried_row *row, bool reads, bool keeps, bool alone)
{
	if (row->now.filled || row->now.written || !row->before.written)
		return false;
	return reads || (keeps && row->before.cycle + 1 == row->now.cycle) ||
	       (!row->before.result && (alone || !row->before.taken));
}

static void use(struct carried_row *row, bool reads, bool keeps, bool alone, bool *is)
{
	*is |= is_carried(row, reads, keeps, alone);
	if (!reads)
		row->now.written = true;
	else if (row->now.written)
		row->now.taken = true;
}

int carried_command(struct carried *carried, size_t lane, uint8_t kind,
		    const struct used_memory_list *memory, bool *is)
{
	if (memory->unknown)
		return 0;
	for (unsigned i = 0; i < memory->count; i++) {
		struct carried_row *row = row_find(carried, lane, memory->whole[i]);

		if (!row)
			return -ENOMEM;
		switch (kind) {
		case TANDEM_OPERATION_KIND_kernel:
			use(row, memory->reads >> i & 1, memory->keeps >> i & 1, memory->count == 1,
			    is);
			break;
		case TANDEM_OPERATION_KIND_copy_d2h:
			row->now.result = true;
			break;
		case TANDEM_OPERATION_KIND_copy_d2d:
			if (i == 0)
				use(row, true, false, false, is);
			else
				row->now.filled = true;
			break;
		default:
			row->now.filled = true;
			break;
		}
	}
	return 0;
}

void carried_free(struct carried *carried)
{
	map_free(&carried->row_of);
	free(carried->rows);
	memset(carried, 0, sizeof(*carried));
}
