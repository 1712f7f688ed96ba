/* SPDX-License-Identifier: MIT */
/* A client that is a library, and is closed while its callback is registered. */
#include "tandem/tracer.h"

int client_begin(uint32_t domain);
int client_calls(void);

static int calls;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	(void)call, (void)arg;
	calls++;
}

int client_begin(uint32_t domain)
{
	static struct tandem_tracer *tracer;
	uint32_t op;
	int error = tandem_tracer_create(&tracer);

	if (!error)
		error = tandem_tracer_op_code(domain, "clGetPlatformIDs", &op, NULL);
	return error ? error : tandem_tracer_callback_enable(tracer, domain, op, called, NULL);
}

int client_calls(void)
{
	return calls;
}
