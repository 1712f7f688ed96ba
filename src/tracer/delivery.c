/* SPDX-License-Identifier: MIT */
#include "tracer/delivery.h"

#include <stdatomic.h>
#include <string.h>

#include "schema/gen/annotation_records.h"
#include "schema/gen/core_records.h"
#include "schema/record.h"
#include "tracer/clock/device_clock.h"
#include "tracer/clock/enqueue.h"
#include "tracer/clock/time.h"
#include "tracer/enabled.h"
#include "tracer/object.h"
#include "tracer/pool/buffers.h"
#include "tracer/pool/pool.h"
#include "tracer/thread.h"

struct enqueue enqueues[ENQUEUES];

/* What a call keeps from its entry to its end (sinks/sink.h). */
enum word { WORD_DATA, WORD_CORRELATION, WORD_REGISTRATION, WORD_EXTERNAL, WORD_FLAGS };

static uint64_t correlation_of(const struct tandem_record *record, uint16_t offset)
{
	uint64_t op = 0;

	if (offset)
		memcpy(&op, (const uint8_t *)record + offset, sizeof(op));
	return op ? op : tandem_sink_next_id();
}

static inline uint64_t external_of(const struct tracer_thread *thread, uint64_t *flags)
{
	*flags &= ~(uint64_t)TANDEM_TRACER_EXTERNAL;
	if (!thread->external_count)
		return 0;
	*flags |= TANDEM_TRACER_EXTERNAL;
	return thread->external[thread->external_count - 1];
}

/* A call's entry or exit; of an exit the result is put in by the caller. */
static inline struct tandem_tracer_call call_of(const struct function *function, uint32_t phase,
						uint64_t ticks, const void *args, uint64_t *word)
{
	return (struct tandem_tracer_call){
		.struct_size = sizeof(struct tandem_tracer_call),
		.domain = function->domain,
		.op = function->op,
		.phase = phase,
		.correlation_id = word[WORD_CORRELATION],
		.time_ns = time_now_ns(ticks),
		.external_id = word[WORD_EXTERNAL],
		.args = args,
		.data = &word[WORD_DATA],
		.args_bytes = (uint32_t)word[TANDEM_SINK_ARGS_BYTES],
	};
}

static void call_begin(const struct function *function, const struct tandem_record *record,
		       const void *args, uint64_t *word)
{
	struct tracer_thread *thread = tracer_thread();
	struct registration *registration;
	uint64_t flags = 0;

	if (!thread || thread->delivers)
		return;
	registration = atomic_load_explicit(&function->registration, memory_order_acquire);
	word[WORD_CORRELATION] = correlation_of(record, function->id_offset);
	word[WORD_REGISTRATION] = (uintptr_t)registration;
	word[WORD_EXTERNAL] = external_of(thread, &flags);
	word[WORD_FLAGS] = flags;
	if (function->bounds)
		enqueue_note(word[WORD_CORRELATION], record->timestamp);
	if (registration) {
		struct tandem_tracer_call call =
			call_of(function, TANDEM_TRACER_ENTER, record->timestamp, args, word);

		registration->callback(&call, registration->arg);
		/* It may have pushed one for this call. */
		word[WORD_EXTERNAL] = external_of(thread, &flags);
		word[WORD_FLAGS] = flags;
	}
}

static void call_slot(struct pool *pool, const struct function *function,
		      const struct tandem_call_record *record, const uint64_t *word)
{
	struct pool_slot *slot = pool_take(pool, 0);

	if (!slot)
		return;
	slot->domain = function->domain;
	slot->what = SLOT_CALL;
	slot->flags = (uint8_t)word[WORD_FLAGS];
	slot->op = function->op;
	slot->correlation = word[WORD_CORRELATION];
	slot->begin = record->head.timestamp;
	slot->end = record->end;
	slot->external = word[WORD_EXTERNAL];
	slot->tid = tracer_thread_here->tid;
	slot->result = record->result;
	buffers_put(slot);
}

void delivery_end(struct tandem_sink *sink, const struct tandem_call_record *record,
		  const void *args, uint64_t *word)
{
	const struct function *function = enabled_function(sink->data, record->head.id);
	struct registration *registration;
	struct pool *pool;

	/* Its entry was not seen by this tool. */
	if (!function || !word[WORD_CORRELATION])
		return;
	registration = atomic_load_explicit(&function->registration, memory_order_acquire);
	if (registration && (uintptr_t)registration == word[WORD_REGISTRATION]) {
		struct tandem_tracer_call call =
			call_of(function, TANDEM_TRACER_EXIT, record->end, args, word);

		call.result = record->result;
		registration->callback(&call, registration->arg);
	}
	pool = atomic_load_explicit(&function->pool, memory_order_acquire);
	if (pool)
		call_slot(pool, function, record, word);
}

/* The bounds that an operation gives its device's clock: it was queued after its call had
 * begun, and has ended by now. */
static void operation_bounds(const struct tandem_rec_operation *record)
{
	uint64_t begun = enqueue_ticks(record->op);
	uint32_t clock = object_device_clock(object_queue_device(record->queue));

	if (record->time_domain != TANDEM_TIME_DOMAIN_device_ns)
		return;
	device_clock_bound(clock, record->queued, begun ? time_now_ns(begun) : 0, record->end,
			   time_now_ns(record->head.timestamp));
}

static void operation(struct tandem_tracer *client, const struct tandem_rec_operation *record)
{
	struct table *table;
	struct pool_slot *slot;
	struct pool *pool = NULL;

	operation_bounds(record);
	table = record->domain < TANDEM_DOMAINS
			? atomic_load_explicit(&client->table[record->domain], memory_order_acquire)
			: NULL;
	if (table && record->kind < OP_KINDS)
		pool = atomic_load_explicit(&table->operation[record->kind], memory_order_acquire);
	slot = pool ? pool_take(pool, 0) : NULL;
	if (!slot)
		return;
	slot->domain = record->domain;
	slot->what = SLOT_OPERATION;
	slot->flags = 0;
	slot->time_domain = record->time_domain;
	slot->op = record->kind;
	slot->correlation = record->op ? record->op : tandem_sink_next_id();
	slot->begin = record->start;
	slot->end = record->end;
	slot->kernel = record->kernel;
	slot->queue = record->queue;
	slot->tid = 0;
	slot->result = record->status;
	slot->bytes = record->bytes;
	buffers_put(slot);
}

static void clock_pair(const struct tandem_rec_clock_pair *record)
{
	device_clock_bound(object_device_clock(record->device), record->device_ns,
			   time_now_ns(record->begin), record->device_ns,
			   time_now_ns(record->until));
}

static void core_record(struct tandem_tracer *client, const struct tandem_record *record)
{
	const struct tandem_rec_queue *queue = (const void *)record;
	const struct tandem_rec_kernel *kernel = (const void *)record;
	const struct tandem_rec_device *device = (const void *)record;

	switch (record->id) {
	case TANDEM_EVENT_operation:
		operation(client, (const void *)record);
		break;
	case TANDEM_EVENT_queue:
		object_queue(queue->queue, queue->device);
		break;
	case TANDEM_EVENT_kernel:
		object_kernel(kernel->kernel, (const char *)(kernel + 1), kernel->name_count);
		break;
	case TANDEM_EVENT_device:
		object_device(device->device, device->domain, device->handle);
		break;
	case TANDEM_EVENT_clock_pair:
		clock_pair((const void *)record);
		break;
	default:
		break;
	}
}

static uint32_t annotation_op(const struct tandem_record *record, uint64_t *range)
{
	const struct tandem_annotation_range *begin = (const void *)record;
	const struct tandem_annotation_range_end *end = (const void *)record;

	if (record->id == TANDEM_ANNOTATION_EVENT_range_end) {
		*range = end->range;
		return *range ? TANDEM_TRACER_RANGE_STOP : TANDEM_TRACER_RANGE_POP;
	}
	*range = begin->range;
	return begin->kind == TANDEM_ANNOTATION_KIND_nested	 ? TANDEM_TRACER_RANGE_PUSH
	       : begin->kind == TANDEM_ANNOTATION_KIND_start_end ? TANDEM_TRACER_RANGE_START
								 : TANDEM_TRACER_MARK;
}

static void annotation_callback(const struct registration *registration,
				const struct tandem_record *record,
				const struct tracer_thread *thread, uint32_t op, uint64_t id,
				const struct tandem_tracer_range *args)
{
	uint64_t flags = 0, data = 0;
	struct tandem_tracer_call call = {
		.struct_size = sizeof(call),
		.domain = TANDEM_DOMAIN_annotation,
		.op = op,
		.phase = TANDEM_TRACER_ENTER,
		.correlation_id = id,
		.time_ns = time_now_ns(record->timestamp),
		.external_id = external_of(thread, &flags),
		.args = args,
		.data = &data,
		.args_bytes = sizeof(*args),
	};

	registration->callback(&call, registration->arg);
}

static void annotation_slot(struct pool *pool, const struct tandem_record *record,
			    const struct tracer_thread *thread, uint32_t op, uint64_t id,
			    const char *text, uint32_t bytes, uint64_t range)
{
	struct pool_slot *slot = pool_take(pool, bytes + 1);
	uint64_t flags = 0;

	if (!slot)
		return;
	slot->domain = TANDEM_DOMAIN_annotation;
	slot->what = SLOT_ANNOTATION;
	slot->op = (uint16_t)op;
	slot->text_bytes = (uint16_t)(bytes + 1);
	slot->correlation = id;
	slot->begin = record->timestamp;
	slot->end = record->timestamp;
	slot->external = external_of(thread, &flags);
	slot->flags = (uint8_t)flags;
	slot->tid = thread->tid;
	slot->result = 0;
	slot->bytes = range;
	memcpy(pool_slot_text(slot), text, bytes);
	pool_slot_text(slot)[bytes] = '\0';
	buffers_put(slot);
}

static void annotation(struct tandem_tracer *client, const struct tandem_record *record)
{
	const struct tandem_annotation_range *begin = (const void *)record;
	struct table *table = atomic_load_explicit(&client->table[TANDEM_DOMAIN_annotation],
						   memory_order_acquire);
	struct tracer_thread *thread = tracer_thread();
	bool begins = record->id == TANDEM_ANNOTATION_EVENT_range;
	const char *text = begins ? (const char *)(begin + 1) : "";
	uint32_t bytes = begins ? begin->text_count : 0, op;
	struct registration *registration;
	struct pool *pool;
	uint64_t range, id;

	if ((!begins && record->id != TANDEM_ANNOTATION_EVENT_range_end) || !table || !thread ||
	    thread->delivers)
		return;
	op = annotation_op(record, &range);
	id = tandem_sink_next_id();
	registration =
		atomic_load_explicit(&table->function[op].registration, memory_order_acquire);
	pool = atomic_load_explicit(&table->function[op].pool, memory_order_acquire);
	if (registration) {
		char terminated[1025];
		struct tandem_tracer_range args = {.text = terminated, .range = range};
		uint32_t n = bytes < sizeof(terminated) - 1 ? bytes : sizeof(terminated) - 1;

		memcpy(terminated, text, n);
		terminated[n] = '\0';
		annotation_callback(registration, record, thread, op, id, &args);
	}
	if (pool)
		annotation_slot(pool, record, thread, op, id, text, bytes, range);
}

void delivery_record(struct tandem_sink *sink, const struct tandem_record *record, const void *args,
		     uint64_t *word)
{
	const struct function *function = enabled_function(sink->data, record->id);

	word[WORD_CORRELATION] = 0;
	if (function)
		call_begin(function, record, args, word);
	else if (tandem_id_domain(record->id) == TANDEM_DOMAIN_core)
		core_record(sink->data, record);
	else if (tandem_id_domain(record->id) == TANDEM_DOMAIN_annotation)
		annotation(sink->data, record);
}
