/* SPDX-License-Identifier: MIT */
#include "tracer/pool/record.h"

#include <unistd.h>

#include "schema/gen/core_records.h"
#include "tracer/clock/device_clock.h"
#include "tracer/clock/time.h"
#include "tracer/object.h"
#include "tracer/op.h"

void record_begin_delivery(struct record_delivery *delivery)
{
	time_refresh();
	*delivery = (struct record_delivery){.process = (uint32_t)getpid()};
}

static void call_convert(struct record_delivery *delivery, struct pool_slot *slot,
			 struct tandem_tracer_record *record)
{
	record->kind = TANDEM_TRACER_API;
	record->flags |= TANDEM_TRACER_TIMED;
	record->external_id = slot->external;
	record->begin_ns = time_ns(&delivery->stretch, slot->begin);
	record->end_ns = time_ns(&delivery->stretch, slot->end);
	record->process_id = delivery->process;
	record->thread_id = slot->tid;
	record->name = slot->what == SLOT_CALL ? op_function_name(slot->domain, slot->op)
					       : pool_slot_text(slot);
}

static void operation_convert(struct record_delivery *delivery, struct pool_slot *slot,
			      struct tandem_tracer_record *record)
{
	record->kind = TANDEM_TRACER_OPERATION;
	record->queue = slot->queue;
	record->device = object_queue_device(slot->queue);
	record->bytes = slot->bytes;
	record->name = slot->kernel ? object_kernel_name(slot->kernel) : "";
	record->error_ns = UINT32_MAX;
	if (slot->time_domain == TANDEM_TIME_DOMAIN_no)
		return;
	record->flags |= TANDEM_TRACER_TIMED;
	if (slot->time_domain == TANDEM_TIME_DOMAIN_session_ticks) {
		record->begin_ns = time_ns(&delivery->stretch, slot->begin);
		record->end_ns = time_ns(&delivery->stretch, slot->end);
		record->error_ns = 0;
		return;
	}
	record->begin_ns = device_clock_host(object_device_clock(record->device), slot->begin,
					     &record->error_ns);
	record->end_ns = record->begin_ns + (slot->end - slot->begin);
}

void record_convert(struct record_delivery *delivery, struct pool_slot *slot,
		    struct tandem_tracer_record *record)
{
	*record = (struct tandem_tracer_record){
		.struct_size = sizeof(*record),
		.domain = slot->domain,
		.op = slot->op,
		.flags = slot->flags,
		.correlation_id = slot->correlation,
		.result = slot->result,
		.name = "",
	};
	if (slot->what == SLOT_OPERATION) {
		operation_convert(delivery, slot, record);
		return;
	}
	call_convert(delivery, slot, record);
	if (slot->what == SLOT_ANNOTATION) {
		record->flags |= TANDEM_TRACER_INSTANT;
		record->bytes = slot->bytes;
	}
}
