// SPDX-License-Identifier: MIT
/* A client that never stops: its pool is delivered at the exit, before what the client made has
 * gone, and nothing is called afterwards. */
#include <cstdio>
#include <string>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "roctracer/roctracer.h"

struct state {
	std::vector<std::string> names;
	bool gone = false;
	~state()
	{
		printf("%zu records\n", names.size());
		fflush(stdout);
		gone = true;
	}
};

/* Made by the first callback, in the pool's thread: after the pool. */
static state &late()
{
	static state made;
	return made;
}

static void delivered(const char *begin, const char *end, void *)
{
	for (const roctracer_record_t *record = (const roctracer_record_t *)begin;
	     record < (const roctracer_record_t *)end; roctracer_next_record(record, &record)) {
		if (late().gone) {
			printf("called after its end\n");
			fflush(stdout);
			return;
		}
		late().names.push_back(roctracer_op_string(record->domain, record->op, 0));
	}
}

int main()
{
	roctracer_properties_t properties{};
	cl_uint count;

	properties.buffer_size = 1 << 16;
	properties.buffer_callback_fun = delivered;
	if (roctracer_open_pool(&properties) ||
	    roctracer_enable_domain_activity(ACTIVITY_DOMAIN_OPENCL_API))
		return 1;
	for (int i = 0; i < 300; i++) {
		clGetPlatformIDs(0, NULL, &count);
		if (i == 99)
			roctracer_flush_activity();
	}
	return 0;
}
