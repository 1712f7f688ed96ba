/* SPDX-License-Identifier: MIT */
#include "domains/sycl/graph/node.h"

#include <stdatomic.h>

#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/sycl/buffer.h"
#include "domains/sycl/graph/construct.h"
#include "domains/sycl/operation.h"
#include "domains/sycl/table.h"
#include "schema/gen/sycl_records.h"

/* Of an event: its latest node, as node << 32 | BEGUN | the low bits of the instance; under
 * the next address, which no event has, the node before that. */
static struct sycl_table latest;
/* Where an event has several nodes whose tasks have not begun: by event and instance. */
static struct sycl_table earlier;
/* By the handle of an event of the runtime below its node; under the next address, which no
 * event has, the operation that it was then. */
static struct sycl_table signalled;
static _Atomic uint32_t numbers;

#define BEGUN ((uint64_t)1 << 31)
#define INSTANCE (BEGUN - 1)
#define EARLIER_MOST 256u /* of one event */

static uint64_t event_key(const xpti_event_data_t *event)
{
	return (uint64_t)(uintptr_t)event;
}

static uint64_t earlier_key(const xpti_event_data_t *event, uint64_t instance)
{
	return event_key(event) << 8 | (instance % EARLIER_MOST);
}

static uint32_t node_number(uint64_t value)
{
	return (uint32_t)(value >> 32);
}

/* The event is the node's from here on. */
static void node_keep(const xpti_event_data_t *event, uint64_t instance, uint32_t node)
{
	uint64_t before = sycl_table_get(&latest, event_key(event));

	if (before && !(before & BEGUN))
		sycl_table_set(&earlier, earlier_key(event, before & INSTANCE), before);
	sycl_table_set(&latest, event_key(event) + 1, before);
	sycl_table_set(&latest, event_key(event), (uint64_t)node << 32 | (instance & INSTANCE));
}

static void node_write(uint32_t node, uint32_t construct, const xpti_event_data_t *event,
		       uint64_t instance, const struct sycl_metadata *metadata)
{
	uint64_t queue = sycl_metadata_number(metadata, SYCL_KEY_queue_id, 0);
	uint64_t bytes = sycl_metadata_number(metadata, SYCL_KEY_memory_size, 0);
	uint64_t to = sycl_metadata_number(metadata, SYCL_KEY_dest_memory_ptr, 0);
	uint64_t from = sycl_metadata_number(metadata, SYCL_KEY_src_memory_ptr, 0);
	uint32_t buffer = sycl_buffer_of(sycl_metadata_number(metadata, SYCL_KEY_memory_object, 0));
	struct tandem_sycl_node_create *record;

	if (!to)
		to = sycl_metadata_number(metadata, SYCL_KEY_memory_ptr, 0);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_node_create, sizeof(*record));
	if (!record)
		return;
	record->node = node;
	record->construct = construct;
	record->uid = event->unique_id;
	record->instance = instance;
	record->queue = queue;
	record->bytes = bytes;
	record->to = to;
	record->from = from;
	record->buffer = buffer;
	tandem_record_commit();
}

static void launch_write(uint32_t node, const struct sycl_metadata *metadata)
{
	xpti_offload_kernel_enqueue_data_t ranges;
	struct tandem_sycl_launch *record;

	if (!sycl_metadata_struct(metadata, SYCL_KEY_enqueue_kernel_data, &ranges, sizeof(ranges)))
		return;
	record = tandem_record_begin(TANDEM_SYCL_EVENT_launch, sizeof(*record));
	if (!record)
		return;
	record->node = node;
	record->arguments = (uint32_t)ranges.args_num;
	record->global_x = ranges.global_size[0];
	record->global_y = ranges.global_size[1];
	record->global_z = ranges.global_size[2];
	record->local_x = ranges.local_size[0];
	record->local_y = ranges.local_size[1];
	record->local_z = ranges.local_size[2];
	tandem_record_commit();
}

/* Their values lie where the runtime will read them too: it hands over that address. */
static void arguments_write(uint32_t node, const struct sycl_metadata *metadata)
{
	xpti_offload_kernel_arg_data_t argument;

	for (unsigned i = 0; sycl_metadata_argument(metadata, i, &argument); i++) {
		uint32_t bytes =
			argument.pointer && argument.size > 0 ? (uint32_t)argument.size : 0;
		struct tandem_sycl_argument *record;

		if (bytes > tandem_control.max_string_bytes || bytes > SYCL_TEXT_MOST)
			bytes = 0;
		record = tandem_record_begin(TANDEM_SYCL_EVENT_argument,
					     (uint32_t)sizeof(*record) + bytes);
		if (!record)
			return;
		record->node = node;
		record->index = (uint32_t)argument.index;
		record->type = (uint32_t)argument.type;
		record->size = (uint32_t)argument.size;
		record->value_count = (uint16_t)bytes;
		if (bytes)
			memcpy(record + 1, argument.pointer, bytes);
		tandem_record_commit();
	}
}

void sycl_node_create(xpti_event_data_t *event, uint64_t instance, const char *what)
{
	uint32_t node = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
	struct sycl_metadata metadata;

	sycl_metadata_read(&metadata, event);
	node_write(node, sycl_construct_of(event, &metadata, what), event, instance, &metadata);
	launch_write(node, &metadata);
	if (tandem_control.args_level == TANDEM_ARGS_FULL)
		arguments_write(node, &metadata);
	node_keep(event, instance, node);
}

uint32_t sycl_node_of(const xpti_event_data_t *event, uint64_t instance)
{
	uint64_t value = event ? sycl_table_get(&latest, event_key(event)) : 0, kept;

	/* Copies by the queue's own functions have a number of their own for the task: the
	 * event is theirs alone. */
	if (!value || (value & INSTANCE) == (instance & INSTANCE))
		return node_number(value);
	kept = sycl_table_get(&earlier, earlier_key(event, instance));
	if (kept && (kept & INSTANCE) == (instance & INSTANCE))
		return node_number(kept);
	return node_number(value);
}

uint32_t sycl_node_begin(const xpti_event_data_t *event, uint64_t instance)
{
	uint64_t value = event ? sycl_table_get(&latest, event_key(event)) : 0;
	uint32_t node = sycl_node_of(event, instance);

	if (node && node == node_number(value))
		sycl_table_set(&latest, event_key(event), value | BEGUN);
	return node;
}

void sycl_node_signals(uint64_t handle, uint64_t op, uint32_t node)
{
	if (!handle || !node)
		return;
	sycl_table_set(&signalled, handle + 1, op);
	sycl_table_set(&signalled, handle, node);
}

uint32_t sycl_node_of_handle(uint64_t handle, uint64_t op)
{
	uint32_t node = (uint32_t)sycl_table_get(&signalled, handle);

	return node && sycl_table_get(&signalled, handle + 1) == op ? node : 0;
}

uint32_t sycl_node_waited(const xpti_event_data_t *event, uint64_t instance, uint64_t handle)
{
	uint32_t node = (uint32_t)sycl_table_get(&signalled, handle);

	return node ? node : sycl_node_of(event, instance);
}

void sycl_edge_create(xpti_event_data_t *edge)
{
	const xpti_event_data_t *from = xptiFindEvent(edge->source_id);
	const xpti_event_data_t *to = xptiFindEvent(edge->target_id);
	struct tandem_sycl_edge_create *record;
	uint64_t source, target, handle, op;
	struct sycl_metadata metadata;
	uint32_t buffer, real;

	sycl_metadata_read(&metadata, edge);
	handle = sycl_metadata_number(&metadata, SYCL_KEY_event, 0);
	buffer = sycl_buffer_of(sycl_metadata_number(&metadata, SYCL_KEY_memory_object, 0));
	op = sycl_operation_of((void *)(uintptr_t)handle);
	real = sycl_node_of_handle(handle, op);
	target = to ? sycl_table_get(&latest, event_key(to)) : 0;
	/* A visit that waits for the visit before it. */
	source = from ? sycl_table_get(&latest, event_key(from) + (from == to)) : 0;

	record = tandem_record_begin(TANDEM_SYCL_EVENT_edge_create, sizeof(*record));
	if (!record)
		return;
	record->from = real ? real : node_number(source);
	record->to = node_number(target);
	record->access = sycl_access(sycl_metadata_number(&metadata, SYCL_KEY_access_mode, 0));
	record->buffer = buffer;
	record->through = real ? node_number(source) : 0;
	record->op = real ? 0 : op;
	tandem_record_commit();
}
