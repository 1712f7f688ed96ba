/* SPDX-License-Identifier: MIT */
/* A program that uses NVTX (nvtx.h).
 *
 * Says the same as tests/hw/cuda/ranges.cu, less the kernels; with the argument `odd`
 * what a program may not say, and runs by without a tool: attributes that are NULL or
 * shorter than they were, texts and names that are NULL. With `notable` and `nomodule`
 * its NVTX has nothing to fill. With `fork` it says all in two processes. With `laps`: 200 ranges
 * of a millisecond and a few, each 50th of 200 ms. */
#include "nvtx.h"

#include <stdio.h>
#include <unistd.h>

/* All that takes attributes, a text or a name, of either width. */
static void odd(void)
{
	struct attributes attributes = {3, 8, 7, 1, 0xff00ff00, 3, 0, 0.5, 1, (void *)8};
	struct attributes unsized = {3, 0, 7, 1, 0xff00ff00, 3, 0, 0.5, 1, "unsized"};
	const struct attributes *const given[] = {NULL, &attributes, &unsized};
	void *solver = NULL;

	for (int i = 0; i < 3; i++) {
		if (core[1])
			((void (*)(const struct attributes *))core[1])(given[i]);
		if (core[4])
			end(((uint64_t(*)(const struct attributes *))core[4])(given[i]));
		if (core[8])
			((int (*)(const struct attributes *))core[8])(given[i]);
		pop();
		domain_push(solver, given[i]);
		domain_pop(solver);
	}
	mark(NULL);
	push(NULL);
	pop();
	end(start_wide(NULL));
	solver = domain(NULL);
	category(solver, 1, NULL);
	attributes = (struct attributes){.version = 3,
					 .size = sizeof(attributes),
					 .text_type = 3,
					 .text = registered(solver, NULL)};
	domain_push(solver, &attributes);
	domain_pop(solver);
	attributes.text = NULL; /* a string that could not be registered */
	domain_push(solver, &attributes);
	domain_pop(solver);
	attributes.text_type = 77;
	domain_push(solver, &attributes);
	domain_pop(solver);
	pop();
	end(0x1234);
}

static int laps(void)
{
	for (unsigned i = 1; i <= 200; i++) {
		push("lap");
		push("inner");
		pop();
		usleep(i % 50 ? 1000 : 200000);
		pop();
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct attributes attributes = {3,   sizeof(attributes), 7, 1, 0xff00ff00, 3, 0, 0.5, 3,
					NULL};
	void *solver;
	uint64_t range;

	inject(argc > 1 ? argv[1] : "");
	if (!strcmp(how, "odd"))
		odd();
	if (!strcmp(how, "laps"))
		return laps();
	if (!strcmp(how, "fork"))
		fork();
	solver = domain("solver");
	attributes.text = registered(solver, "step");
	category(solver, 7, "phase");
	push("outer");
	push("wanted");
	mark("inside");
	pop();
	domain_push(solver, &attributes);
	range = start_wide(L"fr\u00e9e \U0001F600");
	end(range);
	domain_pop(solver);
	pop();
	mark("done");
	return 0;
}
