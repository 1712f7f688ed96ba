/* SPDX-License-Identifier: MIT */
/* A tool of the tracer's in a library of its own, for CUDA programs: loaded by LD_PRELOAD, it
 * counts what it gets of both of CUDA's APIs and of its devices, and says so on stderr when the
 * process ends, in the words of the programs' `expect` lines. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_counts.h"
#include "tandem/tracer.h"

static struct tandem_tracer *tracer;
static tandem_tracer_pool_t pool;
static uint32_t domains[2], cuda;
static uint64_t operations[TANDEM_TRACER_OTHER + 1], bytes[TANDEM_TRACER_OTHER + 1];
static uint64_t untimed, early;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	unsigned api = call->domain == domains[1];

	CHECK(arg == &entries && call->correlation_id && call->op < FUNCTIONS);
	CHECK(call->domain == domains[api] && tandem_tracer_id_string(call->domain, call->op));
	if (call->phase == TANDEM_TRACER_ENTER) {
		COUNT(entries[api][call->op]);
		CHECK(!*call->data);
		*call->data = call->correlation_id ^ MAGIC;
		*place(call->correlation_id) = call->correlation_id;
	} else {
		COUNT(exits[api][call->op]);
		CHECK(*call->data == (call->correlation_id ^ MAGIC));
		if (call->result)
			COUNT(failed[api][call->op]);
	}
}

static void operation(const struct tandem_tracer_record *record)
{
	operations[record->op]++;
	bytes[record->op] += record->bytes;
	untimed += !(record->flags & TANDEM_TRACER_TIMED);
	early += record->begin_ns > record->end_ns;
	/* Pages that move, and the like, are of no call. */
	strays += record->op != TANDEM_TRACER_MIGRATE && record->op != TANDEM_TRACER_OTHER &&
		  *place(record->correlation_id) != record->correlation_id;
	CHECK(record->correlation_id && record->device);
	CHECK(record->op != TANDEM_TRACER_KERNEL || record->name[0]);
}

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	CHECK(arg == &wrong);
	for (const struct tandem_tracer_record *record = begin; record < end;
	     record = (const void *)((const char *)record + record->struct_size)) {
		if (record->kind == TANDEM_TRACER_OPERATION && record->domain == cuda)
			operation(record);
		else if (record->kind == TANDEM_TRACER_API)
			records[record->domain == domains[1]][record->op % FUNCTIONS]++;
		else
			CHECK(!"of another domain");
	}
}

static void say(const char *what, const char *name, uint64_t count)
{
	fprintf(stderr, "got %s%s %lu\n", what, name, (unsigned long)count);
}

__attribute__((destructor)) static void end(void)
{
	if (!tracer)
		return;
	CHECK(!tandem_tracer_pool_close(pool));
	CHECK(!tandem_tracer_destroy(tracer));
	for (unsigned api = 0; api < 2; api++) {
		for (uint32_t op = 0; op < FUNCTIONS; op++) {
			const char *name = tandem_tracer_id_string(domains[api], op);

			/* A call that never returned, and one that a fault ended, have no exit. */
			if (!entries[api][op])
				continue;
			say("calls:", name, entries[api][op]);
			say("exits:", name, exits[api][op]);
			say("records:", name, records[api][op]);
			say("failed:", name, failed[api][op]);
		}
	}
	for (uint32_t op = 0; op <= TANDEM_TRACER_OTHER; op++) {
		const char *name = tandem_tracer_op_string(cuda, TANDEM_TRACER_OPERATION, op);

		say(op == TANDEM_TRACER_KERNEL ? "kernels" : "", op ? name : "", operations[op]);
		say("bytes:", name, bytes[op]);
	}
	say("untimed", "", untimed);
	say("early", "", early);
	say("strays", "", strays);
	say("wrong", "", wrong);
}

__attribute__((constructor)) static void begin(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered,
							   .deliver_arg = &wrong};
	const char *only = getenv("CUDA_CLIENT_PROGRAM");

	/* Not in the commands on the way to the program. */
	if (only && strcmp(only, program_invocation_short_name) != 0)
		return;
	cuda = domains[0] = (uint32_t)tandem_tracer_domain("cuda");
	domains[1] = (uint32_t)tandem_tracer_domain("cudart");
	if (tandem_tracer_create(&tracer)) {
		tracer = NULL;
		return;
	}
	CHECK(!tandem_tracer_pool_open(&properties, &pool));
	for (unsigned api = 0; api < 2; api++) {
		CHECK(!tandem_tracer_callback_enable(tracer, domains[api], TANDEM_TRACER_ALL,
						     called, &entries));
		CHECK(!tandem_tracer_activity_enable(tracer, domains[api], TANDEM_TRACER_API,
						     TANDEM_TRACER_ALL, pool));
	}
	CHECK(!tandem_tracer_activity_enable(tracer, cuda, TANDEM_TRACER_OPERATION,
					     TANDEM_TRACER_ALL, pool));
}
