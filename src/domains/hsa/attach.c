/* SPDX-License-Identifier: MIT */
#include "domains/hsa/attach.h"

#include <errno.h>
#include <string.h>

#include "core/stream.h"
#include "domains/hip/attach.h"
#include "domains/hip/rocprofiler.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/state.h"
#include "domains/hsa/wrappers.h"
#include "schema/gen/hsa_records.h"

void (*hsa_reals[HSA_REALS])(void);

static uint32_t core_bytes, amd_bytes;
static uint8_t entered_by;
static _Atomic uint32_t generation;

uint32_t hsa_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

static bool is_wrapped(const struct arguments_function *function)
{
	return !(function->flags & ARGUMENTS_QUIET) || hsa_wanted(TANDEM_HSA_all);
}

/* All of the runtime's functions are known from now on; those that are to be recorded have
 * wrappers in their place. */
static void table_wrap(struct hsa_table_version *table, const struct hsa_wrapper *wrappers,
		       uint32_t count)
{
	uint64_t *words = (uint64_t *)(void *)table;

	for (const struct hsa_wrapper *wrapper = wrappers; wrapper < wrappers + count; wrapper++) {
		uint64_t *word = &words[wrapper->place];
		uint64_t ours;

		memcpy(&ours, &wrapper->wrapper, sizeof(ours));
		if ((wrapper->place + 1u) * sizeof(*words) > table->bytes || !*word ||
		    *word == ours)
			continue;
		memcpy(&hsa_reals[wrapper->function], word, sizeof(*word));
		if (is_wrapped(&hsa_functions[wrapper->function]))
			*word = ours;
	}
}

void hsa_attach_tables(struct hsa_api_table *tables, uint8_t entry)
{
	if (!tandem_session_dir[0] || !(tandem_control.domains & TANDEM_DOMAIN_BIT(hsa)) ||
	    !tables || !tables->core)
		return;
	entered_by = entry;
	atomic_fetch_add(&generation, 1);
	core_bytes = tables->core->bytes;
	table_wrap(tables->core, hsa_wrappers_core, hsa_wrapper_count_core);
	if (!tables->amd)
		return;
	amd_bytes = tables->amd->bytes;
	table_wrap(tables->amd, hsa_wrappers_amd, hsa_wrapper_count_amd);
	if (hsa_wanted(TANDEM_HSA_kernels) && !hsa_is_below() &&
	    hsa_has(HSA_ID_hsa_amd_profiling_async_copy_enable))
		HSA_CALL(hsa_amd_profiling_async_copy_enable, int32_t, (bool))(true);
}

void hsa_attached_describe(void)
{
	struct tandem_hsa_runtime *record =
		tandem_record_begin(TANDEM_HSA_EVENT_runtime, sizeof(*record));

	if (!record)
		return;
	record->core_bytes = core_bytes;
	record->amd_bytes = amd_bytes;
	record->entry = entered_by;
	record->interception = hsa_wanted(TANDEM_HSA_kernels) && !hsa_is_below();
	tandem_record_commit();
}

void hsa_at_fork(void)
{
	if (hsa_generation())
		atomic_store(&hsa_disabled, 1);
}

/* A HIP 5 that was loaded late initialises HSA: its calls from the next one on. */
void tandem_hsa_loaded(void *tables)
{
	int saved = errno;

	hip_attach();
	hsa_attach_tables(tables, TANDEM_HSA_ENTRY_tools);
	errno = saved;
}

void tandem_rocprofiler_table(const char *name, void *table)
{
	int saved = errno;

	if (!strcmp(name, "hip") || !strcmp(name, "hip_compiler"))
		hip_attach_table(name, table);
	else if (!strcmp(name, "hsa"))
		hsa_attach_tables(table, TANDEM_HSA_ENTRY_rocprofiler);
	errno = saved;
}
