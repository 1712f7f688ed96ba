/* SPDX-License-Identifier: MIT */
/* A client of ROCTracer's that is a library, and is closed while its callback is registered. */
#include "roctracer/roctracer.h"

int face_begin(void);
unsigned face_calls(void);

static unsigned calls;

static void called(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	(void)domain, (void)cid, (void)data, (void)arg;
	calls++;
}

int face_begin(void)
{
	uint32_t cid = 0;

	if (roctracer_op_code(ACTIVITY_DOMAIN_OPENCL_API, "clGetPlatformIDs", &cid, NULL))
		return 1;
	return roctracer_enable_op_callback(ACTIVITY_DOMAIN_OPENCL_API, cid, called, NULL);
}

unsigned face_calls(void)
{
	return calls;
}
