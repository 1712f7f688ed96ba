/* SPDX-License-Identifier: MIT */
#include "domains/hsa/state.h"

#include "core/domain.h"

_Atomic uint32_t hsa_disabled;
__thread uint32_t hsa_in_tool __attribute__((tls_model("initial-exec")));

bool hsa_is_below(void)
{
	return domain_is_reporting(TANDEM_DOMAIN_hip);
}
