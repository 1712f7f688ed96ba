/* SPDX-License-Identifier: MIT */
/* A tool in the program: how many calls of the function ACME_FUNCTION it was called back for,
 * and how many of them its pool got. */
#include <stdio.h>
#include <stdlib.h>

#include "tandem/tracer.h"

static _Atomic unsigned entered, returned, filed, others;
static tandem_tracer_pool_t pool;
static uint32_t domain, function;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	others += call->op != function || call->domain != domain;
	if (call->phase == TANDEM_TRACER_ENTER)
		entered++;
	else
		returned++;
}

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	for (; begin < end; begin = (const void *)((const char *)begin + begin->struct_size))
		if (begin->op == function && begin->domain == domain)
			filed++;
		else
			others++;
}

__attribute__((constructor)) static void begin(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .deliver = delivered};
	struct tandem_tracer *tracer;
	uint32_t kind;

	domain = (uint32_t)tandem_tracer_domain("acme");
	if (tandem_tracer_op_code(domain, getenv("ACME_FUNCTION"), &function, &kind) ||
	    tandem_tracer_create(&tracer) || tandem_tracer_pool_open(&properties, &pool) ||
	    tandem_tracer_callback_enable(tracer, domain, function, called, NULL) ||
	    tandem_tracer_activity_enable(tracer, domain, TANDEM_TRACER_API, function, pool)) {
		fprintf(stderr, "tool: %s\n", tandem_tracer_error());
		exit(3);
	}
}

__attribute__((destructor)) static void end(void)
{
	tandem_tracer_pool_close(pool);
	fprintf(stderr, "tool: %u entered, %u returned, %u filed, %u others\n", entered, returned,
		filed, others);
}
