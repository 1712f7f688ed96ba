/* SPDX-License-Identifier: MIT */
#include "domains/opencl/shared.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "core/call/content_hash.h"
#include "core/control.h"
#include "core/process.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/content.h"
#include "schema/gen/core_records.h"

#define SHARED_MOST 256u

static struct {
	atomic_flag busy;  /* whoever finds it so goes without */
	_Atomic bool lost; /* not all that are there are known */
	uint32_t
		statedump; /* in which they were made: what was made while nothing was recorded is not */
	unsigned count;
	struct {
		uintptr_t from, to;
	} ranges[SHARED_MOST];
} shared = {.busy = ATOMIC_FLAG_INIT};

static bool ranges_lock(void)
{
	return !atomic_flag_test_and_set_explicit(&shared.busy, memory_order_acquire);
}

static void ranges_unlock(void)
{
	atomic_flag_clear_explicit(&shared.busy, memory_order_release);
}

static void range_lose(void)
{
	atomic_store_explicit(&shared.lost, true, memory_order_relaxed);
}

void opencl_shared_made(const void *pointer, uint64_t bytes)
{
	if (!ranges_lock()) {
		range_lose();
		return;
	}
	if (!shared.count)
		shared.statedump = tandem_process_statedump();
	if (shared.count == SHARED_MOST || shared.statedump != tandem_process_statedump()) {
		range_lose();
	} else {
		shared.ranges[shared.count].from = (uintptr_t)pointer;
		shared.ranges[shared.count++].to = (uintptr_t)pointer + bytes;
	}
	ranges_unlock();
}

void opencl_shared_freed(const void *pointer)
{
	if (!ranges_lock()) {
		range_lose();
		return;
	}
	for (unsigned i = 0; i < shared.count; i++) {
		if (shared.ranges[i].from == (uintptr_t)pointer) {
			shared.ranges[i] = shared.ranges[--shared.count];
			break;
		}
	}
	ranges_unlock();
}

static bool is_shared(const void *pointer)
{
	bool found = false;

	for (unsigned i = 0; !found && i < shared.count; i++)
		found = (uintptr_t)pointer >= shared.ranges[i].from &&
			(uintptr_t)pointer < shared.ranges[i].to;
	return found;
}

unsigned opencl_shared_kind(const void *to, const void *from)
{
	unsigned kind = TANDEM_OPERATION_KIND_copy_d2d;
	bool shared_to, shared_from;

	if (atomic_load_explicit(&shared.lost, memory_order_relaxed) || !ranges_lock())
		return kind;
	shared_to = is_shared(to);
	shared_from = is_shared(from);
	if (shared_to != shared_from && shared.statedump == tandem_process_statedump())
		kind = shared_to ? TANDEM_OPERATION_KIND_copy_h2d : TANDEM_OPERATION_KIND_copy_d2h;
	ranges_unlock();
	return kind;
}

void opencl_shared_content(const struct opencl_command *command, const void *to, const void *from,
			   uint64_t bytes, uint32_t blocking, int32_t result)
{
	unsigned kind = TANDEM_OPERATION_KIND_copy_d2d;
	uint64_t words;

	if (tandem_control.args_level == TANDEM_ARGS_FULL)
		kind = opencl_shared_kind(to, from);
	/* It may be memory that the host cannot read, after all. */
	if (kind == TANDEM_OPERATION_KIND_copy_h2d && content_words_safely(from, bytes, &words))
		opencl_content(command, from, 0, bytes, result);
	if (kind == TANDEM_OPERATION_KIND_copy_d2h && content_words_safely(to, bytes, &words))
		opencl_content_read(command, to, 0, bytes, blocking, result);
}
