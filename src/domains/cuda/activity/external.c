/* SPDX-License-Identifier: MIT */
/* Numbers that the program itself gives to what it launches, by CUPTI's external
 * correlation. CUPTI tells of them just before its own record of each call that was
 * made under one, and only with these records, which are read for nothing else. A
 * copy by the runtime has one of either API, with the same correlation; a launch by
 * the runtime has none of the driver's. Called as operation.c is. */
#include "domains/cuda/activity/external.h"

#include "core/stream/stream.h"
#include "domains/cuda/api.h"
#include "domains/cuda/operation_id.h"
#include "schema/gen/cuda_records.h"
#include "schema/schema.h"

#define KINDS_MOST 8u
#define LATEST 1024u

/* Told, and waiting for their call. */
static struct cupti_external numbers[KINDS_MOST];
static uint32_t count;

/* By correlation: written already. */
static uint32_t latest[LATEST];

void cuda_external_number(const struct cupti_external *external)
{
	if (count && numbers[0].correlation != external->correlation)
		count = 0;
	if (count < KINDS_MOST)
		numbers[count++] = *external;
}

static void number_write(const struct cupti_external *external)
{
	struct tandem_cuda_external *record =
		tandem_record_begin(TANDEM_CUDA_EVENT_external, sizeof(*record));

	if (!record)
		return;
	record->op = cuda_operation_id(external->correlation);
	record->kind = external->external_kind <= UINT8_MAX ? (uint8_t)external->external_kind
							    : TANDEM_EXTERNAL_KIND_unknown;
	record->id = external->id;
	tandem_record_commit();
}

static bool launches(const struct cupti_api *call)
{
	if (call->kind == CUPTI_KIND_RUNTIME)
		return call->function < cuda_runtime_api_count &&
		       cuda_runtime_api[call->function].class == TANDEM_CLASS_ENQUEUE;
	return call->function < cuda_driver_api_count &&
	       cuda_driver_api[call->function].class == TANDEM_CLASS_ENQUEUE;
}

void cuda_external_call(const struct cupti_api *call)
{
	uint32_t *known = &latest[call->correlation % LATEST];

	if (count && numbers[0].correlation == call->correlation && *known != call->correlation &&
	    launches(call)) {
		for (uint32_t i = 0; i < count; i++)
			number_write(&numbers[i]);
		*known = call->correlation;
	}
	count = 0;
}
