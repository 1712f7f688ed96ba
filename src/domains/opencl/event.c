/* SPDX-License-Identifier: MIT */
#include "domains/opencl/event.h"

#include "core/call/call.h"
#include "domains/opencl/cl.h"

uint64_t opencl_created_event(void *event, enum opencl_fn fn, const void *context)
{
	uint64_t op;
	(void)fn;
	(void)context;

	if (!event || tandem_stream_open())
		return 0;
	op = tandem_operation_next();
	tandem_event_assign(TANDEM_KIND(opencl, event), event, op);
	return op;
}
