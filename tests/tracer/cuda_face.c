/* SPDX-License-Identifier: MIT */
/* A client of ROCTracer's in CUDA programs, by the domains that Tandem's libroctracer64.so.4 has for
 * them: loaded by LD_PRELOAD, it counts what it gets and says so on stderr when the process ends, in
 * the words of the programs' `expect` lines, as cuda_client.c does by the tracer's own interface. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_counts.h"
#include "roctracer/roctracer.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hip.h"

static const uint32_t apis[2] = {ACTIVITY_DOMAIN_CUDA_API, ACTIVITY_DOMAIN_CUDART_API};
static bool began;
static uint64_t kernels, barriers;

static struct {
	const char *name, *word;
	uint64_t count, bytes;
} copies[] = {{"CopyHostToDevice", "copy_h2d", 0, 0},
	      {"CopyDeviceToHost", "copy_d2h", 0, 0},
	      {"CopyDeviceToDevice", "copy_d2d", 0, 0},
	      {"FillBuffer", "fill", 0, 0}};

#define COPIES (sizeof(copies) / sizeof(copies[0]))

static void called(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const tandem_api_data_t *call = data;
	unsigned api = domain == apis[1];

	CHECK(arg == &entries && domain == apis[api] && cid < FUNCTIONS && call->correlation_id);
	cid %= FUNCTIONS;
	if (call->phase == ACTIVITY_API_PHASE_ENTER) {
		COUNT(entries[api][cid]);
		CHECK(!*call->phase_data);
		*call->phase_data = call->correlation_id ^ MAGIC;
		*place(call->correlation_id) = call->correlation_id;
	} else {
		COUNT(exits[api][cid]);
		CHECK(*call->phase_data == (call->correlation_id ^ MAGIC));
		if (call->result)
			COUNT(failed[api][cid]);
	}
}

static void operation(const roctracer_record_t *record)
{
	const char *kind = roctracer_op_string(record->domain, record->op, record->kind);

	CHECK(record->begin_ns <= record->end_ns && record->correlation_id && kind);
	CHECK(record->device_id >= 0);
	if (record->op == HIP_OP_ID_DISPATCH) {
		kernels++;
		CHECK(!strcmp(kind, "KernelExecution") && record->kernel_name[0]);
		strays += *place(record->correlation_id) != record->correlation_id;
	} else if (record->op == HIP_OP_ID_BARRIER) {
		barriers++;
	}
	for (unsigned i = 0; i < COPIES; i++) {
		if (record->op != HIP_OP_ID_COPY || strcmp(kind, copies[i].name) != 0)
			continue;
		copies[i].count++;
		copies[i].bytes += record->bytes;
		strays += *place(record->correlation_id) != record->correlation_id;
	}
}

static void delivered(const char *begin, const char *end, void *arg)
{
	const roctracer_record_t *record = (const void *)begin, *last = (const void *)end;

	CHECK(arg == &wrong);
	while (record < last) {
		if (record->domain == ACTIVITY_DOMAIN_CUDA_OPS)
			operation(record);
		else if (record->domain == apis[0] || record->domain == apis[1])
			records[record->domain == apis[1]][record->op % FUNCTIONS]++;
		else
			CHECK(!"of another domain");
		CHECK(!roctracer_next_record(record, &record));
	}
}

static void say(const char *what, const char *name, uint64_t count)
{
	fprintf(stderr, "got %s%s %lu\n", what, name, (unsigned long)count);
}

__attribute__((destructor)) static void end(void)
{
	if (!began)
		return;
	CHECK(!roctracer_close_pool());
	CHECK(!roctracer_disable_callback());
	for (unsigned api = 0; api < 2; api++) {
		for (uint32_t cid = 0; cid < FUNCTIONS; cid++) {
			const char *name = roctracer_op_string(apis[api], cid, 0);

			if (!entries[api][cid])
				continue;
			say("calls:", name, entries[api][cid]);
			say("exits:", name, exits[api][cid]);
			say("records:", name, records[api][cid]);
			say("failed:", name, failed[api][cid]);
		}
	}
	say("kernels", "", kernels);
	for (unsigned i = 0; i < COPIES; i++) {
		say(copies[i].word, "", copies[i].count);
		say("bytes:", copies[i].word, copies[i].bytes);
	}
	say("strays", "", strays);
	say("wrong", "", wrong);
}

__attribute__((constructor)) static void begin(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x10000,
					     .buffer_callback_fun = delivered,
					     .buffer_callback_arg = &wrong};
	const char *only = getenv("CUDA_CLIENT_PROGRAM");

	/* Not in the commands on the way to the program. */
	if (only && strcmp(only, program_invocation_short_name) != 0)
		return;
	began = true;
	CHECK(!roctracer_open_pool(&properties));
	for (unsigned api = 0; api < 2; api++) {
		CHECK(!roctracer_enable_domain_callback(apis[api], called, &entries));
		CHECK(!roctracer_enable_domain_activity(apis[api]));
	}
	CHECK(!roctracer_enable_domain_activity(ACTIVITY_DOMAIN_CUDA_OPS));
	roctracer_start();
}
