/* SPDX-License-Identifier: MIT */
/* The record of one call, filled by the steps of gen/api.c. */
#include "domains/cuda/calls/call.h"

#include <string.h>

#include "core/call/kernel_name.h"
#include "core/control.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/device.h"
#include "domains/cuda/operation_id.h"
#include "domains/cuda/queue.h"
#include "domains/cuda/state.h"
#include "schema/record.h"
#include "schema/schema.h"

#define TEXTS_MOST 2u
#define ARGS_BYTES 256u

_Atomic uint32_t cuda_captures;

/* The fixed part is made beside the record: what it names may have to be
 * described first, in a record of its own. */
struct args {
	uint8_t bytes[ARGS_BYTES];
	uint32_t at;
	const char *text[TEXTS_MOST];
	uint16_t text_bytes[TEXTS_MOST];
	uint32_t texts, all_text_bytes;
};

static void put_u32(struct args *args, uint32_t value)
{
	memcpy(args->bytes + args->at, &value, sizeof(value));
}

static void put_text(struct args *args, const char *text)
{
	uint16_t bytes = text && args->texts < TEXTS_MOST
				 ? (uint16_t)strnlen(text, tandem_control.max_string_bytes)
				 : 0;

	memcpy(args->bytes + args->at, &bytes, sizeof(bytes));
	if (!bytes)
		return;
	args->text[args->texts] = text;
	args->text_bytes[args->texts++] = bytes;
	args->all_text_bytes += bytes;
}

static uint32_t event_number(const void *event)
{
	return tandem_object_find(TANDEM_KIND(cuda, event), event)
		       ?: tandem_object_assign(TANDEM_KIND(cuda, event), event);
}

/* Where the step's value lies; NULL behind a null pointer, and where CUPTI hands over
 * no arguments. */
static const void *step_source(const struct cuda_step *step, const struct cupti_call *data)
{
	const uint8_t *at = (const uint8_t *)data->arguments + step->at;
	const uint8_t *behind;

	if (tandem_unlikely(!data->arguments))
		return NULL;
	if (tandem_likely(step->inside == CUDA_STEP_DIRECT))
		return at;
	behind = *(const uint8_t *const *)(const void *)at;
	return behind ? behind + step->inside : NULL;
}

static void step_take(struct args *args, const struct cuda_step *step, const struct cuda_api *api,
		      const struct cupti_call *data)
{
	const void *source = step_source(step, data), *handle = NULL;

	switch (step->kind) {
	case CUDA_STEP_COPY:
		if (source)
			memcpy(args->bytes + args->at, source, step->bytes);
		else
			memset(args->bytes + args->at, 0, step->bytes);
		break;
	case CUDA_STEP_QUEUE:
		if (source)
			memcpy(&handle, source, sizeof(handle));
		put_u32(args, cuda_queue_of(data->context, data->context_id, handle,
					    api->flags & CUDA_PER_THREAD));
		break;
	case CUDA_STEP_EVENT:
		if (source)
			memcpy(&handle, source, sizeof(handle));
		put_u32(args, handle ? event_number(handle) : 0);
		break;
	case CUDA_STEP_KERNEL:
		put_u32(args, tandem_kernel_named(TANDEM_DOMAIN_cuda, data->symbol));
		break;
	case CUDA_STEP_TEXT:
		if (source)
			memcpy(&handle, source, sizeof(handle));
		put_text(args, handle);
		break;
	default:
		memset(args->bytes + args->at, 0, step->bytes);
		break;
	}
	args->at += step->bytes;
}

/* While some stream is being captured, the driver knows which: the first stream
 * argument says whether this call makes an operation or a node of a graph. */
static bool is_captured(const struct cuda_api *api, const struct cupti_call *data)
{
	for (uint32_t i = 0; i < api->level[TANDEM_ARGS_FULL].count; i++) {
		const struct cuda_step *step = &cuda_steps[api->level[TANDEM_ARGS_FULL].first + i];
		const void *source;
		void *stream;

		if (step->kind != CUDA_STEP_QUEUE)
			continue;
		source = step_source(step, data);
		if (!source)
			return false;
		memcpy(&stream, source, sizeof(stream));
		return cuda_driver_is_capturing(stream);
	}
	return false;
}

/* A copy of no bytes: the driver gives it to no device. */
static bool is_empty(const struct cuda_api *api, const struct cupti_call *data)
{
	if (tandem_unlikely(!data->arguments))
		return false;
	for (size_t i = 0; i < sizeof(api->sizes) / sizeof(api->sizes[0]) && api->sizes[i]; i++)
		if (!CUDA_ARGUMENT(data, uint64_t, api->sizes[i]))
			return true;
	return false;
}

static uint64_t operation_id(const struct cuda_api *api, const struct cupti_call *data)
{
	if (tandem_unlikely(!cuda_wanted(TANDEM_CUDA_kernels)))
		return 0; /* nobody would ever hear of its end */
	if (tandem_unlikely(atomic_load_explicit(&cuda_captures, memory_order_relaxed)) &&
	    is_captured(api, data))
		return 0;
	if (tandem_unlikely(is_empty(api, data)))
		return 0;
	return cuda_operation_id(data->correlation);
}

/* A call of which nothing but itself is recorded. */
static void plain_begin(struct tandem_call *call, uint16_t id, const void *arguments)
{
	if (tandem_likely(tandem_call_begin(call, id, sizeof(struct tandem_call_record))))
		tandem_call_commit_at(call, arguments, 0);
}

static __attribute__((noinline)) void full_begin(struct tandem_call *call,
						 const struct cuda_api *api,
						 const struct cupti_call *data, unsigned level)
{
	const struct cuda_step *step = &cuda_steps[api->level[level].first];
	const struct cuda_step *end = step + api->level[level].count;
	struct args args;
	uint8_t *record;

	args.at = 0;
	args.texts = 0;
	args.all_text_bytes = 0;
	cuda_devices_describe();
	if (api->class == TANDEM_CLASS_ENQUEUE) {
		uint64_t op = operation_id(api, data);

		memcpy(args.bytes, &op, sizeof(op));
		args.at = sizeof(op);
	}
	for (; step < end; step++)
		step_take(&args, step, api, data);

	record = tandem_call_begin(call, api->id,
				   (uint32_t)sizeof(struct tandem_call_record) + args.at +
					   args.all_text_bytes);
	if (tandem_unlikely(!record))
		return;
	record += sizeof(struct tandem_call_record);
	memcpy(record, args.bytes, args.at);
	record += args.at;
	for (uint32_t i = 0; i < args.texts; i++) {
		memcpy(record, args.text[i], args.text_bytes[i]);
		record += args.text_bytes[i];
	}
	tandem_call_commit_at(call, data->arguments, 0);
}

void cuda_call_begin(struct tandem_call *call, const struct cuda_api *api,
		     const struct cupti_call *data)
{
	unsigned level = tandem_control.args_level;
	struct call_prepared before;

	/* The struct of arguments is in the function's own frame. */
	tandem_call_prepare(&before, api->id, 0, data->arguments ? data->arguments : data);
	if (tandem_likely(!api->level[level].bytes))
		plain_begin(call, api->id, data->arguments);
	else
		full_begin(call, api, data, level);
	tandem_call_restore(&before);
}
