/* SPDX-License-Identifier: MIT */
/* Calls, as the runtime reports them before and after. In the thread that makes them. */
#ifndef TANDEM_DOMAINS_ACME_CALL_H
#define TANDEM_DOMAINS_ACME_CALL_H

#include "domains/acme/abi.h"

void acme_called(const struct acm_call *call);

#endif
