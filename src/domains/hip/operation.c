/* SPDX-License-Identifier: MIT */
/* The runtime reports an operation with the id that its call gave it, and with a queue of
 * the hardware. Which stream that is, the call knew: a table of the latest calls says so.
 * Where a call has dropped out of it, the stream that was last seen on the same queue of
 * the hardware is taken. */
#include "domains/hip/operation.h"

#include <stdatomic.h>

#include "core/call/call.h"
#include "core/call/kernel_name.h"
#include "core/stream/stream.h"
#include "domains/hip/queue.h"
#include "schema/gen/core_records.h"

#define EXPECTED 65536u
#define HARDWARE 256u

struct expected {
	_Atomic uint64_t op;
	_Atomic uint64_t queue_kernel; /* queue << 32 | kernel */
	_Atomic uint32_t launch_config;
};

static struct expected expected[EXPECTED];
static _Atomic uint32_t hardware[HARDWARE];

static struct expected *expected_slot(uint64_t op)
{
	return &expected[(op * 0x9e3779b97f4a7c15u) >> 48 & (EXPECTED - 1)];
}

void hip_operation_expect(uint64_t op, uint32_t queue, uint32_t kernel, uint32_t launch_config)
{
	struct expected *slot = expected_slot(op);

	atomic_store(&slot->op, 0);
	atomic_store(&slot->queue_kernel, (uint64_t)queue << 32 | kernel);
	atomic_store(&slot->launch_config, launch_config);
	atomic_store(&slot->op, op);
}

static uint64_t expected_find(uint64_t op, uint32_t *launch_config)
{
	struct expected *slot = expected_slot(op);
	uint64_t found;

	if (!op || atomic_load(&slot->op) != op)
		return 0;
	found = atomic_load(&slot->queue_kernel);
	*launch_config = atomic_load(&slot->launch_config);
	return atomic_load(&slot->op) == op ? found : 0;
}

static struct {
	_Atomic uint64_t number, op;
} numbered[EXPECTED];

void hip_operation_number(uint64_t number, uint64_t op)
{
	atomic_store(&numbered[number % EXPECTED].number, 0);
	atomic_store(&numbered[number % EXPECTED].op, op);
	atomic_store(&numbered[number % EXPECTED].number, number);
}

uint64_t hip_operation_of(uint64_t number)
{
	uint64_t op;

	if (!number || atomic_load(&numbered[number % EXPECTED].number) != number)
		return 0;
	op = atomic_load(&numbered[number % EXPECTED].op);
	return atomic_load(&numbered[number % EXPECTED].number) == number ? op : 0;
}

static uint32_t queue_of(const struct hip_activity *activity, uint32_t expected_queue)
{
	_Atomic uint32_t *latest =
		&hardware[((uint32_t)activity->device * 32u + activity->queue) % HARDWARE];

	if (expected_queue) {
		atomic_store_explicit(latest, expected_queue, memory_order_relaxed);
		return expected_queue;
	}
	return atomic_load_explicit(latest, memory_order_relaxed)
		       ?: hip_queue_hardware((uint32_t)activity->device, activity->queue);
}

static uint8_t kind_of(const struct hip_activity *activity)
{
	switch (activity->kind) {
	case HIP_COMMAND_KERNEL:
	case HIP_COMMAND_TASK:
		return TANDEM_OPERATION_KIND_kernel;
	case HIP_COMMAND_READ_BUFFER:
	case HIP_COMMAND_READ_BUFFER_RECT:
	case HIP_COMMAND_READ_IMAGE:
		return TANDEM_OPERATION_KIND_copy_d2h;
	case HIP_COMMAND_WRITE_BUFFER:
	case HIP_COMMAND_WRITE_BUFFER_RECT:
	case HIP_COMMAND_WRITE_IMAGE:
		return TANDEM_OPERATION_KIND_copy_h2d;
	case HIP_COMMAND_COPY_BUFFER:
	case HIP_COMMAND_COPY_BUFFER_RECT:
	case HIP_COMMAND_COPY_IMAGE:
	case HIP_COMMAND_COPY_IMAGE_TO_BUFFER:
	case HIP_COMMAND_COPY_BUFFER_TO_IMAGE:
		return TANDEM_OPERATION_KIND_copy_d2d;
	case HIP_COMMAND_FILL_BUFFER:
	case HIP_COMMAND_FILL_IMAGE:
		return TANDEM_OPERATION_KIND_fill;
	case HIP_COMMAND_MARKER:
		return TANDEM_OPERATION_KIND_barrier;
	default:
		break;
	}
	switch (activity->operation) {
	case HIP_OPERATION_DISPATCH:
		return TANDEM_OPERATION_KIND_kernel;
	case HIP_OPERATION_BARRIER:
		return TANDEM_OPERATION_KIND_barrier;
	default:
		return TANDEM_OPERATION_KIND_other;
	}
}

void hip_operation_write(const struct hip_activity *activity, uint64_t op, bool has_name)
{
	bool timed = activity->begin_ns && activity->end_ns >= activity->begin_ns;
	uint32_t launch_config = 0;
	uint64_t known = expected_find(op, &launch_config);
	uint32_t queue = queue_of(activity, (uint32_t)(known >> 32));
	uint32_t kernel = (uint32_t)known;
	uint8_t kind = kind_of(activity);
	struct tandem_rec_operation *record;
	struct call_prepared before;

	if (kind == TANDEM_OPERATION_KIND_kernel && has_name && activity->kernel)
		kernel = tandem_kernel_named(TANDEM_DOMAIN_hip, activity->kernel);
	/* The first record of the runtime's own thread has an id too. */
	if (tandem_unlikely(!tandem_thread.tap))
		tandem_tap_open(&tandem_thread);
	tandem_call_prepare(&before, TANDEM_EVENT_operation, op & ~HIP_NO_OPERATION, NULL);
	record = tandem_record_begin(TANDEM_EVENT_operation, sizeof(*record));
	if (!record) {
		tandem_call_restore(&before);
		return;
	}
	record->op = op & HIP_NO_OPERATION ? 0 : op;
	record->queued = 0;
	record->submitted = 0;
	record->start = timed ? activity->begin_ns : 0;
	record->end = timed ? activity->end_ns : 0;
	record->queue = queue;
	record->kernel = kind == TANDEM_OPERATION_KIND_kernel ? kernel : 0;
	record->bytes =
		kind == TANDEM_OPERATION_KIND_kernel || kind == TANDEM_OPERATION_KIND_barrier
			? 0
			: activity->bytes;
	record->status = 0;
	record->api = 0; /* the call with this operation id says */
	record->kind = kind;
	record->domain = TANDEM_DOMAIN_hip;
	record->completion_source = TANDEM_COMPLETION_SOURCE_delivered;
	record->time_domain = timed ? TANDEM_TIME_DOMAIN_device_ns : TANDEM_TIME_DOMAIN_no;
	record->launch_config = kind == TANDEM_OPERATION_KIND_kernel && known ? launch_config : 0;
	tandem_record_commit();
	tandem_call_restore(&before);
}
