/* SPDX-License-Identifier: MIT */
/* What the device did, activity by activity, as operation records. Runs where
 * CUPTI delivers its buffers, one at a time (activity.c). */
#include "domains/cuda/activity/operation.h"

#include "core/call/kernel_name.h"
#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/cuda/activity/launch_config.h"
#include "domains/cuda/device.h"
#include "domains/cuda/operation_id.h"
#include "domains/cuda/queue.h"

bool cuda_operation_own_clock;

/* CUpti_ActivityMemcpyKind. */
enum { HTOD = 1, DTOH, HTOA, ATOH, ATOA, ATOD, DTOA, DTOD, HTOH, PTOP };

void cuda_operation_write(const struct cuda_operation *operation)
{
	/* Delivered by force at the exit, before it ended. */
	bool ended = operation->start && operation->end;
	struct tandem_rec_operation *record =
		tandem_record_begin(TANDEM_EVENT_operation, sizeof(*record));

	if (tandem_unlikely(!ended))
		atomic_fetch_add(&tandem_session->unfinished, 1);
	if (!record)
		return;
	record->op = cuda_operation_id(operation->correlation);
	record->queued = operation->queued;
	record->submitted = operation->submitted;
	record->start = ended ? operation->start : 0;
	record->end = ended ? operation->end : 0;
	record->queue = operation->queue;
	record->kernel = operation->kernel;
	record->bytes = operation->bytes;
	record->status = 0;
	record->api = 0; /* CUPTI does not say: the call with this operation id does */
	record->kind = operation->kind;
	record->domain = TANDEM_DOMAIN_cuda;
	record->completion_source =
		ended ? TANDEM_COMPLETION_SOURCE_delivered : TANDEM_COMPLETION_SOURCE_never;
	record->time_domain = !ended			 ? TANDEM_TIME_DOMAIN_no
			      : cuda_operation_own_clock ? TANDEM_TIME_DOMAIN_device_ns
							 : TANDEM_TIME_DOMAIN_session_ticks;
	record->launch_config = operation->config;
	tandem_record_commit();
}

void cuda_operation_kernel(const struct cupti_kernel *kernel)
{
	struct cuda_operation operation = {
		.correlation = kernel->correlation,
		.queue = cuda_queue(kernel->device, kernel->context, kernel->stream),
		.kernel = tandem_kernel_named(TANDEM_DOMAIN_cuda, kernel->name),
		.kind = TANDEM_OPERATION_KIND_kernel,
		.queued = kernel->queued,
		.submitted = kernel->submitted,
		.start = kernel->start,
		.end = kernel->end,
	};

	operation.config = cuda_launch_config(kernel, operation.kernel);
	cuda_operation_write(&operation);
}

static uint8_t copy_kind(uint8_t kind)
{
	switch (kind) {
	case HTOD:
	case HTOA:
		return TANDEM_OPERATION_KIND_copy_h2d;
	case DTOH:
	case ATOH:
		return TANDEM_OPERATION_KIND_copy_d2h;
	case ATOA:
	case ATOD:
	case DTOA:
	case DTOD:
	case PTOP:
		return TANDEM_OPERATION_KIND_copy_d2d;
	default:
		return TANDEM_OPERATION_KIND_other;
	}
}

/* CUpti_ActivityMemoryKind has our numbers. */
static uint8_t memory_kind_of(uint32_t kind)
{
	return kind <= TANDEM_TRANSFER_MEMORY_KIND_managed_static
		       ? (uint8_t)kind
		       : TANDEM_TRANSFER_MEMORY_KIND_unknown;
}

void cuda_operation_copy(const struct cupti_copy *copy)
{
	struct tandem_rec_transfer_config config = {
		.source = memory_kind_of(copy->source),
		.destination = memory_kind_of(copy->destination),
		.asynchronous = copy->flags & 1,
		.graph = copy->graph,
		.node = copy->node,
	};
	struct cuda_operation operation = {
		.correlation = copy->correlation,
		.queue = cuda_queue(copy->device, copy->context, copy->stream),
		.config = cuda_transfer_config(&config),
		.kind = copy_kind(copy->copy_kind),
		.bytes = copy->bytes,
		.start = copy->start,
		.end = copy->end,
	};

	cuda_operation_write(&operation);
}

void cuda_operation_peer_copy(const struct cupti_peer_copy *copy)
{
	struct tandem_rec_transfer_config config = {
		.source = memory_kind_of(copy->source),
		.destination = memory_kind_of(copy->destination),
		.asynchronous = copy->flags & 1,
		.from = cuda_device(copy->source_device),
		.to = cuda_device(copy->destination_device),
		.graph = copy->graph,
		.node = copy->node,
	};
	struct cuda_operation operation = {
		.correlation = copy->correlation,
		.queue = cuda_queue(copy->device, copy->context, copy->stream),
		.config = cuda_transfer_config(&config),
		.kind = TANDEM_OPERATION_KIND_copy_d2d,
		.bytes = copy->bytes,
		.start = copy->start,
		.end = copy->end,
	};

	cuda_operation_write(&operation);
}

void cuda_operation_memset(const struct cupti_memset *fill)
{
	struct tandem_rec_transfer_config config = {
		.destination = memory_kind_of(fill->memory_kind),
		.asynchronous = fill->flags & 1,
		.graph = fill->graph,
		.node = fill->node,
	};
	struct cuda_operation operation = {
		.correlation = fill->correlation,
		.queue = cuda_queue(fill->device, fill->context, fill->stream),
		.config = cuda_transfer_config(&config),
		.kind = TANDEM_OPERATION_KIND_fill,
		.bytes = fill->bytes,
		.start = fill->start,
		.end = fill->end,
	};

	cuda_operation_write(&operation);
}

void cuda_operation_graph(const struct cupti_graph *graph)
{
	struct tandem_rec_transfer_config config = {.graph = graph->graph, .asynchronous = 1};
	struct cuda_operation operation = {
		.correlation = graph->correlation,
		.queue = cuda_queue(graph->device, graph->context, graph->stream),
		.config = cuda_transfer_config(&config),
		.kind = TANDEM_OPERATION_KIND_other,
		.start = graph->start,
		.end = graph->end,
	};

	cuda_operation_write(&operation);
}
