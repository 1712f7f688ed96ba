/* SPDX-License-Identifier: MIT */
/* A client that is a library, and is closed while its callback is registered, or its pool open. */
#include <stdlib.h>

#include "tandem/tracer.h"

int client_begin(uint32_t domain);
int client_calls(void);
uint64_t client_pool(void);
int client_records(void);

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

static _Atomic int records;

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	records += (int)(end - begin);
}

static void allocate(char **ptr, size_t bytes, void *arg)
{
	(void)arg;
	if (*ptr)
		free(*ptr);
	else
		*ptr = malloc(bytes);
}

uint64_t client_pool(void)
{
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .deliver = delivered, .allocate = allocate};
	tandem_tracer_pool_t pool = 0;

	return tandem_tracer_pool_open(&properties, &pool) ? 0 : pool;
}

int client_records(void)
{
	return records;
}
