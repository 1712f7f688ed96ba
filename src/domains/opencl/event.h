/* SPDX-License-Identifier: MIT */
/* Events that no command made (a user's, GL's) get an operation id too. Any thread. */
#ifndef TANDEM_OPENCL_EVENT_H
#define TANDEM_OPENCL_EVENT_H

#include <stdint.h>

#include "domains/opencl/gen/next.h"

uint64_t opencl_created_event(void *event, enum opencl_fn fn, const void *context);

#endif
