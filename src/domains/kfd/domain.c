/* SPDX-License-Identifier: MIT */
#include "core/domain.h"

const struct domain domain_kfd = {0};
