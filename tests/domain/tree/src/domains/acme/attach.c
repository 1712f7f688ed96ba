/* SPDX-License-Identifier: MIT */
#include "domains/acme/attach.h"

#include <errno.h>

#include "core/local.h"
#include "core/process.h"
#include "domains/acme/call.h"
#include "domains/acme/describe.h"
#include "domains/acme/operation.h"
#include "schema/domain/acme.h"

#define VERSION_MOST 1u

int tandem_acme_begin(const struct acm_runtime *runtime, struct acm_tool *tool)
{
	int saved = errno;

	if (!tandem_in_use() || !(tandem_control.domains & TANDEM_DOMAIN_BIT(acme)))
		return -1;
	if (runtime->version > VERSION_MOST) {
		tandem_notice(TANDEM_DOMAIN_acme, TANDEM_ACME_NOTICE_version);
		return -1;
	}
	tandem_process_uses(TANDEM_DOMAIN_acme);
	acme_device_begin(runtime);
	if (tandem_choices(TANDEM_DOMAIN_acme) & TANDEM_ACME_BIT(calls))
		tool->call = acme_called;
	tool->done = acme_operation_done;
	errno = saved;
	return 0;
}
