/* SPDX-License-Identifier: MIT */
/* A client of ROCTracer's for the kernel driver's API, loaded into a program of libhsakmt's: what
 * it got, on stderr when the process ends. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "roctracer/roctracer.h"
#include "roctracer/roctracer_kfd.h"

static unsigned entries[KFD_API_ID_NUMBER], exits[KFD_API_ID_NUMBER], records[KFD_API_ID_NUMBER];
static unsigned wrong, failed;

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition) && wrong++ < 10)                                      \
			fprintf(stderr, "wrong: line %d: %s\n", __LINE__, #condition); \
	} while (0)

static void called(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const kfd_api_data_t *api = data;

	CHECK(domain == ACTIVITY_DOMAIN_KFD_API && cid < KFD_API_ID_NUMBER && arg == &entries);
	CHECK(api->correlation_id && api->phase <= ACTIVITY_API_PHASE_EXIT);
	if (cid >= KFD_API_ID_NUMBER)
		return;
	if (api->phase == ACTIVITY_API_PHASE_ENTER) {
		entries[cid]++;
	} else {
		exits[cid]++;
		failed += api->HSAKMT_STATUS_retval != 0;
	}
	if (cid == KFD_API_ID_hsaKmtAllocMemory) {
		uint32_t flags;

		memcpy(&flags, api->args.hsaKmtAllocMemory.MemFlags, sizeof(flags));
		CHECK(api->args.hsaKmtAllocMemory.PreferredNode == 1 && flags == 0x80000001u &&
		      api->args.hsaKmtAllocMemory.SizeInBytes >= 8192);
		CHECK(api->phase == ACTIVITY_API_PHASE_ENTER || api->HSAKMT_STATUS_retval ||
		      *(void **)api->args.hsaKmtAllocMemory.MemoryAddress);
	} else if (cid == KFD_API_ID_hsaKmtCreateQueue) {
		CHECK(api->args.hsaKmtCreateQueue.NodeId == 1 &&
		      api->args.hsaKmtCreateQueue.Priority == -3 &&
		      api->args.hsaKmtCreateQueue.QueueSizeInBytes == 4096);
	}
}

static void delivered(const char *begin, const char *end, void *arg)
{
	const roctracer_record_t *record = (const void *)begin, *last = (const void *)end;

	(void)arg;
	while (record < last) {
		CHECK(record->domain == ACTIVITY_DOMAIN_KFD_API && record->correlation_id &&
		      record->begin_ns && record->begin_ns <= record->end_ns);
		CHECK(record->op < KFD_API_ID_NUMBER);
		if (record->op < KFD_API_ID_NUMBER)
			records[record->op]++;
		CHECK(roctracer_next_record(record, &record) == ROCTRACER_STATUS_SUCCESS);
	}
}

__attribute__((constructor)) static void begin(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x4000,
					     .buffer_callback_fun = delivered};

	CHECK(!roctracer_open_pool(&properties));
	CHECK(!roctracer_enable_domain_callback(ACTIVITY_DOMAIN_KFD_API, called, &entries));
	CHECK(!roctracer_enable_domain_activity(ACTIVITY_DOMAIN_KFD_API));
}

__attribute__((destructor)) static void end(void)
{
	CHECK(!roctracer_disable_domain_callback(ACTIVITY_DOMAIN_KFD_API));
	CHECK(!roctracer_disable_domain_activity(ACTIVITY_DOMAIN_KFD_API));
	CHECK(!roctracer_close_pool());
	if (strncmp(program_invocation_short_name, "kfd-", 4) != 0)
		return; /* a command on the way to the program */
	for (uint32_t i = 0; i < KFD_API_ID_NUMBER; i++) {
		CHECK(entries[i] == exits[i] && entries[i] == records[i]);
		if (entries[i])
			fprintf(stderr, "got %s %u\n",
				roctracer_op_string(ACTIVITY_DOMAIN_KFD_API, i, 0), entries[i]);
	}
	fprintf(stderr, "got failed %u\ngot wrong %u\n", failed, wrong);
}
