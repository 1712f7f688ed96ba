/* SPDX-License-Identifier: MIT */
#include "tracer/roctracer/api_data.h"

#include <stddef.h>
#include <string.h>

#include "roctracer/gen/hsa_prof_str.h"
#include "roctracer/gen/kfd_prof_str.h"

/* hip_api_data_t is as large as the largest arguments of its version, and phase_data follows
 * them: HIP 5 has room for 816 bytes of arguments, HIP 6 for 1,496. */
#define HIP_ARGS_AT 16u
#define HIP5_PHASE_DATA_AT 832u
#define HIP6_PHASE_DATA_AT 1512u

struct hip_data {
	uint64_t correlation_id;
	uint32_t phase;
	_Alignas(8) uint8_t args[HIP6_PHASE_DATA_AT - HIP_ARGS_AT];
	uint64_t *phase_data;
	uint64_t more[16]; /* larger unions of later versions */
};

_Static_assert(offsetof(struct hip_data, args) == HIP_ARGS_AT, "hip_api_data_t");
_Static_assert(offsetof(struct hip_data, phase_data) == HIP6_PHASE_DATA_AT, "hip_api_data_t");
_Static_assert(offsetof(struct hsa_api_data_t, args) == 24, "hsa_api_data_t");
_Static_assert(offsetof(struct kfd_api_data_t, args) == 16, "kfd_api_data_t");

/* A client was compiled for the HIP that is here, whichever it is. */
static void hip_fill(struct hip_data *data, const struct tandem_tracer_call *call)
{
	uint32_t bytes = call->args_bytes;

	memset(data, 0, sizeof(*data));
	data->correlation_id = call->correlation_id;
	data->phase = call->phase;
	data->phase_data = call->data;
	if (bytes > sizeof(data->args))
		bytes = sizeof(data->args);
	if (call->args)
		memcpy(data->args, call->args, bytes);
	if (bytes <= HIP5_PHASE_DATA_AT - HIP_ARGS_AT)
		memcpy(data->args + HIP5_PHASE_DATA_AT - HIP_ARGS_AT, &call->data,
		       sizeof(call->data));
}

/* The one function whose struct has what a pointer leads to, between its arguments. */
static void rect_fill(struct hsa_api_data_t *data, const uint8_t *args, uint32_t bytes)
{
	const size_t at =
		offsetof(__typeof__(data->args.hsa_amd_memory_async_copy_rect), range__val);
	const size_t after =
		offsetof(__typeof__(data->args.hsa_amd_memory_async_copy_rect), copy_agent);
	const void *range = data->args.hsa_amd_memory_async_copy_rect.range;

	if (range)
		memcpy((uint8_t *)&data->args + at, range,
		       sizeof(data->args.hsa_amd_memory_async_copy_rect.range__val));
	memcpy((uint8_t *)&data->args + after, args + at, bytes - at);
}

static void hsa_fill(struct hsa_api_data_t *data, const struct tandem_tracer_call *call,
		     uint32_t op)
{
	uint32_t bytes = call->args_bytes;

	memset(data, 0, sizeof(*data));
	data->correlation_id = call->correlation_id;
	data->phase = call->phase;
	data->uint64_t_retval = (uint32_t)call->result;
	data->phase_data = call->data;
	if (bytes > sizeof(data->args))
		bytes = sizeof(data->args);
	if (!call->args)
		return;
	if (op != HSA_API_ID_hsa_amd_memory_async_copy_rect) {
		memcpy(&data->args, call->args, bytes);
		return;
	}
	memcpy(&data->args, call->args,
	       offsetof(__typeof__(data->args.hsa_amd_memory_async_copy_rect), range__val));
	rect_fill(data, call->args, bytes);
}

static void kfd_fill(struct kfd_api_data_t *data, const struct tandem_tracer_call *call)
{
	uint32_t bytes = call->args_bytes;

	memset(data, 0, sizeof(*data));
	data->correlation_id = call->correlation_id;
	data->phase = call->phase;
	data->HSAKMT_STATUS_retval = (uint32_t)call->result;
	if (bytes > sizeof(data->args))
		bytes = sizeof(data->args);
	if (call->args)
		memcpy(&data->args, call->args, bytes);
}

void api_data_call(const struct tandem_tracer_call *call, uint32_t domain, uint32_t op,
		   activity_rtapi_callback_t function, void *arg)
{
	if (domain == ACTIVITY_DOMAIN_HIP_API) {
		struct hip_data data;

		hip_fill(&data, call);
		function(domain, op, &data, arg);
	} else if (domain == ACTIVITY_DOMAIN_HSA_API) {
		struct hsa_api_data_t data;

		hsa_fill(&data, call, op);
		function(domain, op, &data, arg);
	} else if (domain == ACTIVITY_DOMAIN_KFD_API) {
		struct kfd_api_data_t data;

		kfd_fill(&data, call);
		function(domain, op, &data, arg);
	} else {
		tandem_api_data_t data = {
			.correlation_id = call->correlation_id,
			.phase = call->phase,
			.result = call->result,
			.args = call->args,
			.phase_data = call->data,
		};

		function(domain, op, &data, arg);
	}
}
