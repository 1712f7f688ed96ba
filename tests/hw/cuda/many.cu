/* SPDX-License-Identifier: MIT */
// A great many launches; how much memory the process has at the end.
#include <cstring>

#include "common.h"

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 10000000;
	char line[256];
	FILE *status;

	for (long i = 0; i < count; i++)
		nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmRSS:", 6))
			printf("rss_kib %ld\n", atol(line + 6));
	expect("kernels", count);
	return 0;
}
