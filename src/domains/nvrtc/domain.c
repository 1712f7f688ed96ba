/* SPDX-License-Identifier: MIT */
#include "core/domain.h"
#include "domains/nvrtc/program.h"
#include "domains/nvrtc/symbol.h"

const struct domain domain_nvrtc = {
	.describe = nvrtc_describe,
	.interposes = "nvrtc",
	.looked_up = nvrtc_looked_up,
};
