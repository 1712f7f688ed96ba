/* Numbers that the program itself gives to what it launches, by CUPTI's external
 * correlation. CUPTI tells of them just before its own record of each call that was
 * made under one, and only with these records, which are read for nothing else: those
 * of the driver API, as every launch ends there. Called as operation.c is. */
#include "domains/cuda/cuda.h"

#define KINDS_MOST 8u

/* Told, and waiting for their call. */
static struct cupti_external numbers[KINDS_MOST];
static uint32_t count;

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
	record->op = cuda_op(external->correlation);
	record->kind = (uint8_t)external->external_kind;
	record->id = external->id;
	tandem_record_commit();
}

void cuda_external_call(const struct cupti_api *call)
{
	bool launches = call->function < cuda_driver_api_count &&
			cuda_driver_api[call->function].class == TANDEM_CLASS_ENQUEUE;

	for (uint32_t i = 0; launches && i < count; i++)
		if (numbers[i].correlation == call->correlation)
			number_write(&numbers[i]);
	count = 0;
}
