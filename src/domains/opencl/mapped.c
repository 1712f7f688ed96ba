/* SPDX-License-Identifier: MIT */
#include "domains/opencl/mapped.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "core/call/content.h"
#include "core/call/content_hash.h"
#include "core/control.h"
#include "core/process.h"
#include "core/ticks.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/content.h"

#define MAPPED_MOST 64u

/* Of what need not be written as a whole no more is looked at: it could take longer than the program's work. */
#define PART_MOST (UINT64_C(16) << 20)

/* So much of cached memory is read in a microsecond; word by word by way of a bus it takes hundreds. */
#define QUICK_BYTES 4096u
#define QUICK_NS 100000u
#define SLOW_MOST 3u

struct mapped {
	const void *memory, *data; /* data NULL: a free row */
	struct content_rows rows;  /* width 0: not to be looked at */
	uint64_t offset;
	uint32_t statedump;  /* in which it was mapped: others are not known to be mapped still */
	_Atomic bool looked; /* it is being unmapped, and its thread's: */
	struct tandem_content_look look;
};

static struct {
	atomic_flag busy; /* whoever finds it so goes without */
	unsigned next;
	struct mapped rows[MAPPED_MOST];
} mapped = {.busy = ATOMIC_FLAG_INIT};

static bool rows_lock(void)
{
	return !atomic_flag_test_and_set_explicit(&mapped.busy, memory_order_acquire);
}

static void rows_unlock(void)
{
	atomic_flag_clear_explicit(&mapped.busy, memory_order_release);
}

static bool is_free(struct mapped *row)
{
	return !atomic_load_explicit(&row->looked, memory_order_acquire);
}

static void note_mapped(const void *memory, const struct content_rows *rows, uint64_t offset)
{
	struct mapped *row;

	if (!rows_lock())
		return;
	row = &mapped.rows[mapped.next++ % MAPPED_MOST];
	if (is_free(row)) {
		row->memory = memory;
		row->data = rows->data;
		row->rows = *rows;
		row->offset = offset;
		row->statedump = tandem_process_statedump();
	}
	rows_unlock();
}

static void rows_mapped(const struct opencl_command *command, const void *memory,
			struct content_rows rows, uint64_t flags, uint64_t offset, bool blocking)
{
	uint64_t bytes = content_rows_join(&rows);

	if (flags & CL_MAP_READ && blocking)
		opencl_content_rows_read(command, rows, offset, true);
	if (!(flags & CL_MAP_WRITE_INVALIDATE_REGION) &&
	    !(flags & CL_MAP_WRITE && bytes <= PART_MOST))
		rows.width = 0;
	note_mapped(memory, &rows, offset);
}

void opencl_mapped(const struct opencl_command *command, const void *memory, const void *data,
		   uint64_t flags, uint64_t offset, uint64_t bytes, uint32_t blocking,
		   int32_t result)
{
	if (result == CL_SUCCESS && tandem_control.args_level == TANDEM_ARGS_FULL && data)
		rows_mapped(command, memory, content_rows_one(data, bytes), flags, offset,
			    blocking);
}

void opencl_image_mapped(const struct opencl_command *command, void *image, const void *data,
			 uint64_t flags, const void *origin, const void *region,
			 const void *row_pitch, const void *slice_pitch, uint32_t blocking,
			 int32_t result)
{
	const size_t *row = row_pitch, *slice = slice_pitch;
	struct content_rows rows;
	uint64_t offset;

	if (result != CL_SUCCESS || tandem_control.args_level != TANDEM_ARGS_FULL || !image ||
	    !origin || !region || !data)
		return;
	offset = opencl_image_rows(image, data, origin, region, row ? *row : 0, slice ? *slice : 0,
				   &rows);
	rows_mapped(command, image, rows, flags, offset, blocking);
}

/* The latest. It is this thread's from then on. */
static struct mapped *take(const void *memory, const void *data)
{
	struct mapped *found = NULL;

	if (!rows_lock())
		return NULL;
	for (unsigned i = 1; !found && i <= MAPPED_MOST; i++) {
		struct mapped *row = &mapped.rows[(mapped.next - i) % MAPPED_MOST];

		if (row->data == data && row->memory == memory && is_free(row))
			found = row;
	}
	if (found) {
		found->data = NULL;
		atomic_store_explicit(&found->looked, true, memory_order_relaxed);
	}
	rows_unlock();
	return found;
}

static void give_back(struct mapped *row)
{
	atomic_store_explicit(&row->looked, false, memory_order_release);
}

/* Memory of a device can be slow to read, as where it is not cached: that would take the program's time. Where it
 * was a few times, no more is looked at; once it may be that another thread had the CPU. */
static bool is_quick(const struct content_rows *rows)
{
	static _Atomic unsigned slow;
	volatile uint64_t hash; /* nobody asks for it */
	uint64_t begin_ns;

	if (atomic_load_explicit(&slow, memory_order_relaxed) >= SLOW_MOST)
		return false;
	begin_ns = tandem_monotonic_ns();
	hash = content_hash(rows->data, rows->width < QUICK_BYTES ? rows->width : QUICK_BYTES,
			    false);
	(void)hash;
	if (tandem_monotonic_ns() - begin_ns < QUICK_NS)
		return true;
	atomic_fetch_add_explicit(&slow, 1, memory_order_relaxed);
	return false;
}

/* A call that did not wait may have nothing mapped yet: then a read by the system fails. */
static bool look(struct mapped *row)
{
	const struct content_rows *rows = &row->rows;
	uint64_t words, extent = (rows->slices - 1) * rows->slice_pitch +
				 (rows->rows - 1) * rows->pitch + rows->width;

	return rows->width && extent >= CONTENT_LEAST &&
	       row->statedump == tandem_process_statedump() &&
	       content_words_safely(rows->data, extent, &words) && is_quick(rows) &&
	       tandem_content_look(&row->look, *rows, row->offset);
}

uint64_t opencl_unmapping(const void *memory, const void *data)
{
	struct mapped *row = NULL;

	if (tandem_control.args_level == TANDEM_ARGS_FULL && data)
		row = take(memory, data);
	if (!row)
		return 0;
	if (look(row))
		return (uint64_t)(uintptr_t)row;
	give_back(row);
	return 0;
}

void opencl_unmapped(const struct opencl_command *command, uint64_t looked, int32_t result)
{
	struct mapped *row = (void *)(uintptr_t)looked;

	if (!row)
		return;
	if (result == CL_SUCCESS)
		tandem_content_look_record(&row->look, command->op);
	give_back(row);
}
