/* SPDX-License-Identifier: MIT */
/* Asynchronous copies: with a signal of ours, by which their times are asked for. */
#include <string.h>

#include "domains/hsa/custom.h"
#include "domains/hsa/flight.h"
#include "domains/hsa/gen/args.h"
#include "domains/hsa/object.h"
#include "domains/hsa/state.h"
#include "schema/gen/core_records.h"

static uint64_t handle_of(const uint8_t *bytes)
{
	uint64_t handle;

	memcpy(&handle, bytes, sizeof(handle));
	return handle;
}

static uint8_t kind_of(bool to_gpu, bool from_gpu)
{
	if (to_gpu && from_gpu)
		return TANDEM_OPERATION_KIND_copy_d2d;
	return to_gpu	  ? TANDEM_OPERATION_KIND_copy_h2d
	       : from_gpu ? TANDEM_OPERATION_KIND_copy_d2h
			  : TANDEM_OPERATION_KIND_other;
}

static struct hsa_flight *flight_begin(const struct hsa_call *call, uint64_t original, uint8_t kind,
				       uint64_t agent, uint64_t bytes)
{
	struct hsa_flight *flight = NULL;

	if (!call->op)
		return NULL;
	hsa_in_tool++;
	flight = hsa_flight_begin(original);
	if (flight) {
		flight->op = call->op;
		flight->agent = agent;
		flight->bytes = bytes;
		flight->queue = hsa_copy_queue(agent);
		flight->kernel = 0;
		flight->launch_config = 0;
		flight->kind = kind;
		flight->is_copy = true;
		if (!hsa_flight_watch(flight))
			flight = NULL;
	}
	hsa_in_tool--;
	return flight;
}

static int32_t finish(struct hsa_flight *flight, int32_t status)
{
	if (flight && status)
		hsa_flight_cancel(flight);
	return status;
}

/* Where it goes to or comes from, whichever is a GPU. */
static struct hsa_flight *linear_begin(const struct hsa_call *call, uint64_t signal, uint64_t to,
				       uint64_t from, uint64_t bytes)
{
	bool to_gpu = hsa_agent_is_gpu(to), from_gpu = hsa_agent_is_gpu(from);

	return flight_begin(call, signal, kind_of(to_gpu, from_gpu),
			    from_gpu && !to_gpu ? from : to, bytes);
}

int32_t hsa_custom_hsa_amd_memory_async_copy(void (*real)(void), struct hsa_call *call,
					     const struct hsa_args_hsa_amd_memory_async_copy *args)
{
	uint64_t to = handle_of(args->dst_agent), from = handle_of(args->src_agent);
	uint64_t signal = handle_of(args->completion_signal);
	struct hsa_flight *flight = linear_begin(call, signal, to, from, args->size);

	return finish(flight,
		      ((int32_t(*)(void *, uint64_t, const void *, uint64_t, uint64_t, uint32_t,
				   const void *, uint64_t))real)(
			      args->dst, to, args->src, from, args->size, args->num_dep_signals,
			      args->dep_signals, flight ? flight->signal : signal));
}

int32_t hsa_custom_hsa_amd_memory_async_copy_on_engine(
	void (*real)(void), struct hsa_call *call,
	const struct hsa_args_hsa_amd_memory_async_copy_on_engine *args)
{
	uint64_t to = handle_of(args->dst_agent), from = handle_of(args->src_agent);
	uint64_t signal = handle_of(args->completion_signal);
	struct hsa_flight *flight = linear_begin(call, signal, to, from, args->size);

	return finish(flight,
		      ((int32_t(*)(void *, uint64_t, const void *, uint64_t, uint64_t, uint32_t,
				   const void *, uint64_t, int32_t, bool))real)(
			      args->dst, to, args->src, from, args->size, args->num_dep_signals,
			      args->dep_signals, flight ? flight->signal : signal, args->engine_id,
			      args->force_copy_on_sdma));
}

/* hsa_amd_copy_direction_t: from and to the host, in two bits each. */
int32_t hsa_custom_hsa_amd_memory_async_copy_rect(
	void (*real)(void), struct hsa_call *call,
	const struct hsa_args_hsa_amd_memory_async_copy_rect *args)
{
	static const uint8_t kinds[] = {
		TANDEM_OPERATION_KIND_other,
		TANDEM_OPERATION_KIND_copy_h2d,
		TANDEM_OPERATION_KIND_copy_d2h,
		TANDEM_OPERATION_KIND_copy_d2d,
	};
	uint64_t agent = handle_of(args->copy_agent), signal = handle_of(args->completion_signal);
	const uint32_t *range = args->range;
	uint64_t bytes = range ? (uint64_t)range[0] * range[1] * range[2] : 0;
	struct hsa_flight *flight =
		flight_begin(call, signal, kinds[(uint32_t)args->dir & 3], agent, bytes);

	return finish(flight, ((int32_t(*)(const void *, const void *, const void *, const void *,
					   const void *, uint64_t, int32_t, uint32_t, const void *,
					   uint64_t))real)(
				      args->dst, args->dst_offset, args->src, args->src_offset,
				      args->range, agent, args->dir, args->num_dep_signals,
				      args->dep_signals, flight ? flight->signal : signal));
}
