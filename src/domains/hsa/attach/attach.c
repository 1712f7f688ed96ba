/* SPDX-License-Identifier: MIT */
#include "domains/hsa/attach/attach.h"

#include <errno.h>
#include <string.h>

#include "core/domain.h"
#include "core/local.h"
#include "domains/hsa/abi.h"
#include "domains/hsa/attach/runtime.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/state.h"
#include "domains/hsa/wrappers.h"
#include "schema/gen/hsa_records.h"

static bool is_wrapped(const struct arguments_function *function)
{
	return !(function->flags & ARGUMENTS_QUIET) || hsa_wants_all();
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

/* An older runtime's table of tables may end before it. */
static bool has_amd(const struct hsa_api_table *tables)
{
	return tables->version.bytes >= sizeof(*tables) && tables->amd;
}

static void tables_wrap(const struct hsa_api_table *tables, uint8_t entry)
{
	if (!tandem_in_use() || !(tandem_control.domains & TANDEM_DOMAIN_BIT(hsa)) || !tables ||
	    !tables->core)
		return;
	hsa_runtime_begins(tables->core->bytes, has_amd(tables) ? tables->amd->bytes : 0, entry);
	table_wrap(tables->core, hsa_wrappers_core, hsa_wrapper_count_core);
	if (!has_amd(tables))
		return;
	table_wrap(tables->amd, hsa_wrappers_amd, hsa_wrapper_count_amd);
	if (hsa_wanted(TANDEM_HSA_kernels) && !hsa_is_below() &&
	    hsa_has(HSA_ID_hsa_amd_profiling_async_copy_enable))
		HSA_CALL(hsa_amd_profiling_async_copy_enable, int32_t, (bool))(true);
}

void hsa_offered(const char *name, void *tables)
{
	if (!strcmp(name, HSA_TOOLS))
		tables_wrap(tables, TANDEM_HSA_ENTRY_tools);
	else if (!strcmp(name, "hsa"))
		tables_wrap(tables, TANDEM_HSA_ENTRY_rocprofiler);
}

void hsa_at_fork(void)
{
	if (hsa_runtime_generation())
		atomic_store(&hsa_disabled, 1);
}

/* Domains by their numbers: a HIP 5 that was loaded late, and initialises HSA now, is
 * attached before HSA asks whether it reports what devices do. */
void tandem_hsa_loaded(void *tables)
{
	int saved = errno;

	domains_offered(HSA_TOOLS, tables);
	errno = saved;
}
