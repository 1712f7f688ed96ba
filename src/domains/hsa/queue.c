/* SPDX-License-Identifier: MIT */
/* Queues: the program gets one that can be intercepted, and each packet that it writes into
 * it is handed to us on its way to the device. */
#include <string.h>

#include "core/call/launch_config.h"
#include "core/pool.h"
#include "core/stream/stream.h"
#include "domains/hsa/abi.h"
#include "domains/hsa/custom.h"
#include "domains/hsa/flight.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/args.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/kernel.h"
#include "domains/hsa/object.h"
#include "domains/hsa/state.h"
#include "schema/gen/core_records.h"
#include "schema/gen/hsa_records.h"

typedef void packet_writer(const void *packets, uint64_t count);

struct queue { /* what a handler gets; for the process's life */
	uint64_t agent;
	const void *queue;
	uint32_t gfx, wave_items; /* of the agent */
};

static struct tandem_pool queues = TANDEM_POOL(sizeof(struct queue));

static void dispatch_record(struct tandem_call *call, const struct hsa_packet *packet, uint64_t op,
			    uint32_t queue, uint32_t kernel)
{
	struct tandem_hsa_dispatch *record =
		tandem_call_begin(call, TANDEM_HSA_EVENT_dispatch, sizeof(*record));

	if (!record)
		return;
	record->op = op;
	record->queue = queue;
	record->kernel = kernel;
	record->grid_x = packet->grid[0];
	record->grid_y = packet->grid[1];
	record->grid_z = packet->grid[2];
	record->workgroup_x = packet->workgroup[0];
	record->workgroup_y = packet->workgroup[1];
	record->workgroup_z = packet->workgroup[2];
	record->private_bytes = packet->private_bytes;
	record->group_bytes = packet->group_bytes;
	tandem_call_commit(call);
}

/* A grid is in work-items, and its last groups may be smaller. */
static uint32_t config_of(const struct hsa_packet *packet, uint32_t kernel, uint32_t registers)
{
	struct tandem_rec_launch_config config;
	uint32_t groups[3];

	memset(&config, 0, sizeof(config));
	for (int i = 0; i < 3; i++)
		groups[i] = packet->workgroup[i] ? (uint32_t)(((uint64_t)packet->grid[i] +
							       packet->workgroup[i] - 1) /
							      packet->workgroup[i])
						 : 0;
	config.domain = TANDEM_DOMAIN_hsa;
	config.kernel = kernel;
	config.groups_x = groups[0];
	config.groups_y = groups[1];
	config.groups_z = groups[2];
	config.items_x = packet->workgroup[0];
	config.items_y = packet->workgroup[1];
	config.items_z = packet->workgroup[2];
	config.registers = registers;
	config.dynamic_local_bytes = packet->group_bytes;
	config.private_bytes = packet->private_bytes;
	return launch_config_number(TANDEM_EVENT_launch_config, &config, sizeof(config));
}

static struct hsa_flight *flight_begin(const struct queue *queue, const struct hsa_packet *packet)
{
	struct hsa_flight *flight;

	if (tandem_stream_open())
		return NULL;
	flight = hsa_flight_begin(packet->signal);
	if (!flight)
		return NULL;
	flight->op = tandem_operation_next();
	flight->agent = queue->agent;
	flight->bytes = 0;
	flight->queue = hsa_queue_described(queue->queue, queue->agent);
	flight->kernel = hsa_kernel(packet->kernel_object);
	flight->launch_config = config_of(
		packet, flight->kernel,
		hsa_kernel_registers(packet->kernel_object, queue->gfx, queue->wave_items));
	flight->kind = TANDEM_OPERATION_KIND_kernel;
	flight->is_copy = false;
	return hsa_flight_watch(flight) ? flight : NULL;
}

static void dispatch(const struct queue *queue, const struct hsa_packet *packet,
		     packet_writer *writer)
{
	struct hsa_packet ours = *packet;
	struct hsa_flight *flight;
	struct tandem_call call;

	hsa_in_tool++;
	hsa_objects_describe();
	flight = flight_begin(queue, packet);
	hsa_in_tool--;
	if (!flight) {
		writer(packet, 1);
		return;
	}
	ours.signal = flight->signal;
	dispatch_record(&call, packet, flight->op, flight->queue, flight->kernel);
	writer(&ours, 1);
	tandem_call_end(&call, 0);
}

/* In the thread that rings the queue's doorbell. */
static void intercepted(const void *packets, uint64_t count, uint64_t index, void *data,
			packet_writer *writer)
{
	const struct hsa_packet *packet = packets;

	(void)index;
	if (!hsa_recording()) {
		writer(packets, count);
		return;
	}
	for (uint64_t i = 0; i < count; i++, packet++) {
		if ((packet->header & 0xff) == HSA_PACKET_KERNEL_DISPATCH)
			dispatch(data, packet, writer);
		else
			writer(packet, 1);
	}
}

typedef int32_t queue_create(uint64_t agent, uint32_t size, uint32_t type, void *callback,
			     void *data, uint32_t private_bytes, uint32_t group_bytes,
			     void **queue);

static bool can_intercept(void)
{
	return hsa_wanted(TANDEM_HSA_kernels) && !hsa_is_below() && !hsa_in_tool &&
	       hsa_has(HSA_ID_hsa_amd_queue_intercept_create) &&
	       hsa_has(HSA_ID_hsa_amd_queue_intercept_register);
}

static bool intercept(void *queue, uint64_t agent)
{
	struct queue *state = tandem_pool_take(&queues);

	if (!state)
		return false;
	state->agent = agent;
	state->queue = queue;
	state->gfx = hsa_agent_gfx(agent);
	state->wave_items = hsa_agent_wave_items(agent);
	if (HSA_CALL(hsa_amd_queue_intercept_register, int32_t,
		     (void *, void (*)(const void *, uint64_t, uint64_t, void *, packet_writer *),
		      void *))(queue, intercepted, state))
		return false;
	if (hsa_has(HSA_ID_hsa_amd_profiling_set_profiler_enabled))
		HSA_CALL(hsa_amd_profiling_set_profiler_enabled, int32_t, (void *, int32_t))
	(queue, 1);
	return true;
}

int32_t hsa_custom_hsa_queue_create(void (*real)(void), struct hsa_call *call,
				    const struct hsa_args_hsa_queue_create *args)
{
	queue_create *create = (queue_create *)real;
	uint64_t agent;
	int32_t status;

	(void)call;
	memcpy(&agent, args->agent, sizeof(agent));
	if (can_intercept() && args->queue) {
		hsa_in_tool++;
		status = HSA_CALL(hsa_amd_queue_intercept_create, int32_t,
				  (uint64_t, uint32_t, uint32_t, void *, void *, uint32_t, uint32_t,
				   void **))(agent, args->size, args->type, args->callback,
					     args->data, args->private_segment_size,
					     args->group_segment_size, args->queue);
		if (!status && !intercept(*(void **)args->queue, agent))
			tandem_notice(TANDEM_DOMAIN_hsa, TANDEM_HSA_NOTICE_no_interception);
		hsa_in_tool--;
		if (!status && hsa_recording())
			hsa_queue_described(*(void **)args->queue, agent);
		/* What can't be intercepted is made as the program asked. */
		if (!status)
			return status;
		tandem_notice(TANDEM_DOMAIN_hsa, TANDEM_HSA_NOTICE_no_interception);
	}
	status = create(agent, args->size, args->type, args->callback, args->data,
			args->private_segment_size, args->group_segment_size, args->queue);
	if (!status && args->queue && hsa_recording())
		hsa_queue_described(*(void **)args->queue, agent);
	return status;
}
