/* SPDX-License-Identifier: MIT */
/* Another tool that rocprofiler-register would load: says which tables it got. */
#include <stdint.h>
#include <stdio.h>

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count);

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count)
{
	printf("tool: %s %d %d %d\n", name, (int)version, (int)instance, tables && count == 1);
	return 0;
}
