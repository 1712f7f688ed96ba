/* SPDX-License-Identifier: MIT */
#include "core/domain.h"
#include "domains/nvrtc/program.h"

const struct domain domain_nvrtc = {
	.describe = nvrtc_describe,
};
