/* SPDX-License-Identifier: MIT */
#include "domains/hsa/attach/runtime.h"

#include "core/stream/stream.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/state.h"
#include "schema/gen/hsa_records.h"

void (*hsa_reals[HSA_REALS])(void);

static uint32_t core_size, amd_size;
static uint8_t entered_by;
static _Atomic uint32_t generation;

void hsa_runtime_begins(uint32_t core_bytes, uint32_t amd_bytes, uint8_t entry)
{
	core_size = core_bytes;
	amd_size = amd_bytes;
	entered_by = entry;
	atomic_fetch_add(&generation, 1);
}

uint32_t hsa_runtime_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

void hsa_runtime_describe(void)
{
	struct tandem_hsa_runtime *record =
		tandem_record_begin(TANDEM_HSA_EVENT_runtime, sizeof(*record));

	if (!record)
		return;
	record->core_bytes = core_size;
	record->amd_bytes = amd_size;
	record->entry = entered_by;
	record->interception = hsa_wanted(TANDEM_HSA_kernels) && !hsa_is_below();
	tandem_record_commit();
}
