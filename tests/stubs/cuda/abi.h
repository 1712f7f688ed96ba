/* SPDX-License-Identifier: MIT */
/* What CUPTI hands to a callback, by CUPTI's documentation and not by the header that
 * the domain uses. */
#ifndef TANDEM_TESTS_STUBS_CUDA_ABI_H
#define TANDEM_TESTS_STUBS_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME, DOMAIN_RESOURCE, DOMAIN_STATE = 6 };

struct call {	       /* CUpti_CallbackData */
	uint32_t site; /* 0 entry, 1 exit */
	const char *function;
	const void *arguments;
	void *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *between;
	uint32_t correlation;
};

struct resource { /* CUpti_ResourceData */
	void *context, *stream, *descriptor;
};

struct module { /* CUpti_ModuleResourceData */
	uint32_t id;
	size_t bytes;
	const char *cubin;
};

#endif
