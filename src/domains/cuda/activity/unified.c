/* SPDX-License-Identifier: MIT */
/* Unified memory: pages that move are operations of the device, in a queue of
 * their own; faults are records beside them. */
#include "domains/cuda/activity/unified.h"

#include "core/stream/stream.h"
#include "domains/cuda/activity/launch_config.h"
#include "domains/cuda/activity/operation.h"
#include "domains/cuda/device.h"
#include "domains/cuda/queue.h"
#include "schema/gen/cuda_records.h"

static void migration_write(const struct cupti_unified *unified, uint32_t device, uint8_t kind)
{
	struct tandem_rec_transfer_config config = {
		.source = kind == TANDEM_OPERATION_KIND_copy_h2d
				  ? TANDEM_TRANSFER_MEMORY_KIND_pageable
				  : TANDEM_TRANSFER_MEMORY_KIND_managed,
		.destination = kind == TANDEM_OPERATION_KIND_copy_d2h
				       ? TANDEM_TRANSFER_MEMORY_KIND_pageable
				       : TANDEM_TRANSFER_MEMORY_KIND_managed,
		.asynchronous = 1,
		.from = unified->source == CUPTI_HOST ? 0 : cuda_device(unified->source),
		.to = unified->destination == CUPTI_HOST ? 0 : cuda_device(unified->destination),
	};
	struct cuda_operation operation = {
		.queue = cuda_unified_queue(device),
		.config = cuda_transfer_config(&config),
		.kind = TANDEM_OPERATION_KIND_migrate,
		.bytes = unified->value,
		.start = unified->start,
		.end = unified->end,
	};

	cuda_operation_write(&operation);
}

static void fault_write(const struct cupti_unified *unified, uint8_t kind)
{
	uint32_t device = unified->source == CUPTI_HOST ? 0 : cuda_device(unified->source);
	struct tandem_cuda_fault *record =
		tandem_record_begin(TANDEM_CUDA_EVENT_fault, sizeof(*record));

	if (!record)
		return;
	record->kind = kind;
	record->begin = unified->start;
	record->end = unified->end;
	record->address = unified->address;
	record->value = unified->value;
	record->device = kind == TANDEM_FAULT_KIND_cpu_page ? 0 : device;
	record->flags = unified->flags;
	tandem_record_commit();
}

void cuda_unified_write(const struct cupti_unified *unified)
{
	switch (unified->counter) {
	case CUPTI_UNIFIED_HTOD:
		migration_write(unified, unified->destination, TANDEM_OPERATION_KIND_copy_h2d);
		break;
	case CUPTI_UNIFIED_DTOH:
		migration_write(unified, unified->source, TANDEM_OPERATION_KIND_copy_d2h);
		break;
	case CUPTI_UNIFIED_DTOD:
		migration_write(unified, unified->source, TANDEM_OPERATION_KIND_copy_d2d);
		break;
	case CUPTI_UNIFIED_CPU_FAULTS:
		fault_write(unified, TANDEM_FAULT_KIND_cpu_page);
		break;
	case CUPTI_UNIFIED_GPU_FAULTS:
		fault_write(unified, TANDEM_FAULT_KIND_gpu_page);
		break;
	case CUPTI_UNIFIED_THRASHING:
		fault_write(unified, TANDEM_FAULT_KIND_thrashing);
		break;
	case CUPTI_UNIFIED_THROTTLING:
		fault_write(unified, TANDEM_FAULT_KIND_throttling);
		break;
	case CUPTI_UNIFIED_REMOTE_MAP:
		fault_write(unified, TANDEM_FAULT_KIND_remote_map);
		break;
	default:
		break;
	}
}
