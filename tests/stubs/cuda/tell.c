/* SPDX-License-Identifier: MIT */
#include "tell.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int cuInit(unsigned flags);

const struct stub_cupti *tell_cupti;
uint32_t tell_correlation;
uint64_t tell_between;
static int32_t success;

struct call tell_make(const char *function, const void *arguments)
{
	tell_between = 0;
	tell_correlation++;
	return (struct call){.function = function,
			     .arguments = arguments,
			     .result = &success,
			     .context = CONTEXT,
			     .context_id = 1,
			     .between = &tell_between,
			     .correlation = tell_correlation};
}

void tell_enter(uint32_t domain, uint32_t id, struct call *call)
{
	call->site = 0;
	tell_cupti->callback(domain, id, call);
}

void tell_leave(uint32_t domain, uint32_t id, struct call *call)
{
	call->site = 1;
	tell_cupti->callback(domain, id, call);
}

void tell_both(uint32_t domain, uint32_t id, struct call *call)
{
	tell_enter(domain, id, call);
	tell_leave(domain, id, call);
}

int tell_begin(void)
{
	void *library = dlopen(STUB_CUPTI, RTLD_LAZY);
	const struct stub_cupti *(*get)(void) = NULL;
	const struct stub_cuda *cuda = stub_cuda_get();

	if (library)
		*(void **)&get = dlsym(library, "stub_cupti_get");
	if (!get)
		return 2;
	tell_cupti = get();
	cuda->device(0, "STUB");
	cuda->attribute(0, 16, 132);
	tell_cupti->context(CONTEXT, 1, 0);
	tell_cupti->stream(CONTEXT, STREAM, 0, 7);
	return cuInit(0);
}

int tell_begin_case(int argc, char **argv, const struct tell_case *cases, void (**run)(void))
{
	*run = NULL;
	for (; cases->name; cases++) {
		if (argc < 2)
			puts(cases->name);
		else if (!strcmp(argv[1], cases->name))
			*run = cases->run;
	}
	if (!*run)
		return argc < 2 ? 0 : 2;
	if (tell_begin()) {
		*run = NULL;
		return 2;
	}
	return 0;
}
