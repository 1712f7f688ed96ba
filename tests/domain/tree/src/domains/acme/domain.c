/* SPDX-License-Identifier: MIT */
#include "core/domain.h"

#include "domains/acme/describe.h"

const struct domain domain_acme = {
	.describe = acme_describe,
};
