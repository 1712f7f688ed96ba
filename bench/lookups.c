/* SPDX-License-Identifier: MIT */
/* What dlsym() takes for a function that nobody interposes.
 *
 *   lookups COUNT REPEATS      one line a repeat: nanoseconds for a lookup
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "now.h"

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long repeats = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	void *library = dlopen("libm.so.6", RTLD_NOW);

	if (!count || !repeats) {
		fprintf(stderr, "usage: lookups COUNT REPEATS\n");
		return 2;
	}
	if (!library || !dlsym(library, "cos")) {
		fprintf(stderr, "lookups: libm.so.6 has no cos()\n");
		return 1;
	}
	for (unsigned long i = 0; i < repeats; i++) {
		double begin = now_ns();

		for (unsigned long j = 0; j < count; j++)
			(void)dlsym(library, "cos");
		printf("%.2f\n", (now_ns() - begin) / (double)count);
	}
	return 0;
}
