/* SPDX-License-Identifier: MIT */
#include "analysis/operations/operation_matcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_value.h"
#include "analysis/operations/operation_ring.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/order/compare.h"

int operation_matcher_init(struct operation_matcher *matcher, struct devices *devices,
			   struct trace_session *session)
{
	memset(matcher, 0, sizeof(*matcher));
	matcher->session = session;
	matcher->devices = devices;
	matcher->latest = calloc(session->stream_count + 1, sizeof(*matcher->latest));
	return matcher->latest ? 0 : -ENOMEM;
}

static struct operation_ring *ring_make(struct operation_matcher *matcher, uint32_t process,
					uint64_t thread, uint64_t key)
{
	struct operation_ring *ring = operation_ring_create(process, thread, matcher->launch_sizes);

	if (!ring)
		return NULL;
	if (array_reserve(&matcher->rings, &matcher->ring_capacity, matcher->ring_count + 1,
			  sizeof(*matcher->rings)) ||
	    map_set(&matcher->ring_of, key, matcher->ring_count)) {
		operation_ring_destroy(ring);
		return NULL;
	}
	matcher->rings[matcher->ring_count++] = ring;
	return ring;
}

static struct operation_ring *ring_look(struct operation_matcher *matcher, uint32_t process,
					uint64_t thread, bool make)
{
	uint64_t key = (uint64_t)process << 24 | thread;
	uint64_t known = map_get(&matcher->ring_of, key);

	if (known != MAP_NONE)
		return matcher->rings[known];
	return make ? ring_make(matcher, process, thread, key) : NULL;
}

/* The ring of an id; NULL where there is none, and, if one is to be made, without
 * memory. */
static inline struct operation_ring *ring_find(struct operation_matcher *matcher,
					       struct operation_latest *latest,
					       const struct trace_event *event, uint64_t op,
					       bool make)
{
	uint64_t thread = trace_operation_thread(op);

	if (!latest->ring || latest->ring->thread != thread)
		latest->ring = ring_look(matcher, event->stream->process->index, thread, make);
	return latest->ring;
}

static void read_size(const struct trace_event *event, struct launch_size *size)
{
	struct event_launch_size launch;

	*size = (struct launch_size){.dimensions = 0};
	if (event->layout->event->traits.single) {
		size->dimensions = size->local_dimensions = 1;
		size->global[0] = size->local[0] = 1;
	}
	if (!event->layout->roles[TANDEM_ROLE_global] || !event_launch_size_read(event, &launch))
		return;
	size->dimensions = (uint8_t)launch.globals;
	size->local_dimensions = (uint8_t)launch.locals;
	memcpy(size->global, launch.global, launch.globals * sizeof(*launch.global));
	memcpy(size->local, launch.local, launch.locals * sizeof(*launch.local));
}

static inline uint32_t queue_number(const struct trace_event *event)
{
	const struct tandem_field *queue = trace_field_role(event->layout, TANDEM_ROLE_queue);

	uint32_t number;

	if (!queue || queue->variable || queue->bytes != sizeof(number))
		return 0;
	memcpy(&number, (const char *)event->record + queue->offset, sizeof(number));
	return number;
}

int operation_matcher_call(struct operation_matcher *matcher, const struct trace_event *event,
			   uint64_t number, uint32_t node)
{
	uint64_t op = trace_event_op(event);
	struct operation_ring *ring;
	struct operation_slot *slot;
	size_t place;

	/* A call that failed made no operation. */
	if (!op || trace_event_failed(event))
		return 0;
	ring = ring_find(matcher, &matcher->latest[event->stream->index], event, op, true);
	if (!ring)
		return -ENOMEM;
	place = trace_operation_number(op) & ring->mask;
	if (operation_slot_is_taken(ring, place, op)) {
		if (operation_ring_make_room(ring, op))
			return -ENOMEM;
		place = trace_operation_number(op) & ring->mask;
	}
	slot = &ring->slots[place];
	if (!slot->op || !slot->open || slot->op != op) {
		ring->open++;
		matcher->in_flight++;
	}
	*slot = (struct operation_slot){
		.op = op,
		.call = number,
		.begin_ns = event->ns,
		.end_ns = event->end_ticks ? event->end_ns : 0,
		.stream = event->stream->index,
		.queue = queue_number(event),
		.node = node,
		.api = event->record->id,
		.open = true,
		.synchronous = trace_event_synchronous(event),
	};
	if (ring->sizes)
		read_size(event, &ring->sizes[place]);
	return 0;
}

/* NULL: not known, or not any more. */
static struct operation_slot *slot_find(const struct operation_matcher *matcher, uint32_t process,
					uint64_t op)
{
	uint64_t key = (uint64_t)process << 24 | trace_operation_thread(op);
	uint64_t known = map_get(&matcher->ring_of, key);

	return known == MAP_NONE ? NULL : operation_ring_find(matcher->rings[known], op);
}

void operation_matcher_task(struct operation_matcher *matcher, uint32_t process, uint64_t op,
			    uint32_t node)
{
	struct operation_slot *slot = slot_find(matcher, process, op);

	if (slot && !slot->node)
		slot->node = node;
}

uint32_t operation_matcher_node(const struct operation_matcher *matcher, uint32_t process,
				uint64_t op)
{
	const struct operation_slot *slot = slot_find(matcher, process, op);

	return slot ? slot->node : 0;
}

/* Queue and device of an operation. `event` is where to look ahead from; NULL: what
 * is not known by now is described nowhere. */
static int queue_look(struct operation_matcher *matcher, const struct trace_event *event,
		      struct operation *operation)
{
	struct devices *devices = matcher->devices;
	uint32_t device = 0;
	int status = 0;

	if (event && operation->queue_number)
		status = trace_objects_look(&devices->objects, event, TANDEM_OBJECT_queue,
					    operation->queue_number);
	if (status)
		return status;
	operation->queue =
		trace_objects_queue(&devices->objects, operation->process, operation->queue_number);
	if (operation->queue != TRACE_NONE)
		device = devices->objects.queues[operation->queue].device;
	return event ? devices_of_number(devices, event, device, operation->domain,
					 &operation->device)
		     : devices_of_known(devices, operation->process, device, operation->domain,
					&operation->device);
}

static int find_queue(struct operation_matcher *matcher, const struct trace_event *event,
		      struct operation *operation)
{
	uint64_t key = (uint64_t)operation->process << 32 | operation->queue_number;
	uint64_t known = map_get(&matcher->queue_of, key);
	int status;

	if (known != MAP_NONE) {
		operation->device = (uint32_t)(known >> 32);
		operation->queue = (uint32_t)known;
		return 0;
	}
	status = queue_look(matcher, event, operation);
	return status ? status
		      : map_set(&matcher->queue_of, key,
				(uint64_t)operation->device << 32 | operation->queue);
}

/* The same, where a stream's records often are about one queue. */
static inline int find_latest_queue(struct operation_matcher *matcher,
				    struct operation_latest *latest,
				    const struct trace_event *event, struct operation *operation)
{
	uint64_t key = (uint64_t)operation->queue_number + 1;
	int status;

	if (latest->queue_key == key) {
		operation->device = latest->device;
		operation->queue = latest->queue;
		return 0;
	}
	status = find_queue(matcher, event, operation);
	latest->queue_key = key;
	latest->device = operation->device;
	latest->queue = operation->queue;
	return status;
}

static inline int find_kernel(struct operation_matcher *matcher, struct operation_latest *latest,
			      const struct trace_event *event, struct operation *operation,
			      uint32_t kernel)
{
	struct trace_objects *objects = &matcher->devices->objects;
	uint32_t name;
	int status;

	if (latest->kernel_key == kernel) {
		operation->name = latest->kernel;
		return 0;
	}
	status = trace_objects_look(objects, event, TANDEM_OBJECT_kernel, kernel);
	name = trace_objects_kernel(objects, operation->process, kernel);
	operation->name =
		name == TRACE_NONE ? "unknown kernel" : intern_text(&objects->names, name);
	latest->kernel_key = kernel;
	latest->kernel = operation->name;
	return status;
}

/* After its call, as it is no kernel's. */
static inline void find_name(struct operation_matcher *matcher, struct operation_latest *latest,
			     struct operation *operation)
{
	uint64_t key = (uint64_t)operation->api << 8 | operation->kind | UINT64_C(1) << 32;

	if (latest->name_key != key) {
		latest->name_key = key;
		latest->name = operation_name(matcher->session, operation->api, operation->kind);
	}
	operation->name = latest->name;
}

static inline void take_slot(struct operation *operation, const struct operation_slot *slot,
			     const struct launch_size *size)
{
	operation->op = slot->op;
	operation->further = slot->ended;
	operation->call = slot->call;
	operation->stream = slot->stream;
	operation->call_begin_ns = slot->begin_ns;
	operation->call_end_ns = slot->end_ns;
	operation->api = slot->api;
	operation->node = slot->node;
	operation->synchronous = slot->synchronous;
	operation->queue_number = slot->queue;
	if (size)
		operation->size = *size;
}

/* Times in the session's ticks, as ns. A runtime that does not say when an operation
 * was queued and submitted does both within the call. */
static void take_host_times(struct operation_matcher *matcher, struct operation *operation)
{
	struct trace_operation_times *times = &operation->device_times;
	struct tandem_rec_operation *ended = &matcher->ended;

	trace_operation_times(matcher->session, operation->record, times);
	*ended = *operation->record;
	ended->start = times->start;
	ended->end = times->end;
	ended->queued = ended->submitted = times->start;
	if (times->waits) {
		ended->queued = times->queued;
		ended->submitted = times->submitted;
	} else if (operation->call && !operation->further && operation->call_begin_ns >= 0 &&
		   (uint64_t)operation->call_begin_ns < times->start) {
		ended->queued = ended->submitted = (uint64_t)operation->call_begin_ns;
	}
	operation->record = ended;
	operation->on_host = true;
}

/* What has an end and no start did not run: Intel's driver for CPUs says so of a command that another one's
 * error kept back. */
static inline void take_times(struct operation_matcher *matcher, struct operation *operation)
{
	const struct tandem_rec_operation *record = operation->record;

	if (record->time_domain == TANDEM_TIME_DOMAIN_session_ticks) {
		take_host_times(matcher, operation);
		return;
	}
	if (record->time_domain && !record->start) {
		matcher->ended = *record;
		matcher->ended.time_domain = TANDEM_TIME_DOMAIN_no;
		record = operation->record = &matcher->ended;
	}
	operation->device_times = (struct trace_operation_times){
		.queued = record->queued,
		.submitted = record->submitted,
		.start = record->start,
		.end = record->end,
		.waits = record->time_domain && record->queued && record->submitted,
	};
	if (!record->time_domain || operation->device_times.waits)
		return;
	/* The runtime does not say when it was queued: no later than it began. */
	matcher->ended = *record;
	matcher->ended.queued = matcher->ended.submitted = record->start;
	operation->record = &matcher->ended;
}

static inline void slot_end(struct operation_matcher *matcher, struct operation_ring *ring,
			    struct operation_slot *slot)
{
	if (slot->open) {
		slot->open = false;
		ring->open--;
		matcher->in_flight--;
	}
	slot->ended = true;
	slot->ended_at = ring->ended;
}

static void take_displaced(struct operation_matcher *matcher, struct operation_ring *ring,
			   uint64_t op, struct operation *operation)
{
	uint64_t address = map_get(&ring->displaced, op);
	struct operation_displaced *displaced = (void *)(uintptr_t)address;

	if (address == MAP_NONE || !operation_slot_is_known(ring, &displaced->slot))
		return;
	take_slot(operation, &displaced->slot, ring->sizes ? &displaced->size : NULL);
	slot_end(matcher, ring, &displaced->slot);
	if (ring->repeats)
		return;
	map_remove(&ring->displaced, op);
	free(displaced);
}

/* What is known of it from its call, if anything is. */
static inline void take_call(struct operation_matcher *matcher, struct operation_latest *latest,
			     const struct trace_event *event, uint64_t op,
			     struct operation *operation)
{
	struct operation_ring *ring = op ? ring_find(matcher, latest, event, op, false) : NULL;
	struct operation_slot *slot;
	size_t place;

	if (!ring)
		return;
	place = trace_operation_number(op) & ring->mask;
	slot = &ring->slots[place];
	ring->ended++;
	if (slot->op == op && operation_slot_is_known(ring, slot)) {
		take_slot(operation, slot, ring->sizes ? &ring->sizes[place] : NULL);
		slot_end(matcher, ring, slot);
		if (!ring->repeats)
			slot->op = 0;
	} else if (ring->displaced.count) {
		take_displaced(matcher, ring, op, operation);
	}
	if (ring->repeats && ring->ended % OPERATIONS_KEPT == 0)
		operation_ring_trim(ring);
}

int operation_matcher_end(struct operation_matcher *matcher, const struct trace_event *event,
			  struct operation *operation)
{
	const struct tandem_rec_operation *record = (const void *)event->record;
	struct operation_latest *latest = &matcher->latest[event->stream->index];
	int status;

	/* As of an operation without a call; `times` and sizes count only where others
	 * say that there are any. */
	operation->process = event->stream->process->index;
	operation->stream = TRACE_NONE;
	operation->call = 0;
	operation->call_begin_ns = operation->call_end_ns = 0;
	operation->size.dimensions = operation->size.local_dimensions = 0;
	operation->api = 0;
	operation->further = operation->synchronous = operation->placed = false;
	operation->on_host = false;
	take_call(matcher, latest, event, record->op, operation);
	operation->op = record->op;
	if (record->api)
		operation->api = record->api;
	operation->domain = record->domain;
	operation->queue_number = record->queue;
	operation->record = record;
	operation->seen_ns = event->ns;
	operation->kind = record->kind > TANDEM_OPERATION_KIND_other ? TANDEM_OPERATION_KIND_other
								     : record->kind;
	take_times(matcher, operation);
	operation->timed =
		record->time_domain && operation->record->start <= operation->record->end;
	status = find_latest_queue(matcher, latest, event, operation);
	if (status)
		return status;
	if (operation->kind == TANDEM_OPERATION_KIND_kernel && record->kernel)
		return find_kernel(matcher, latest, event, operation, record->kernel);
	find_name(matcher, latest, operation);
	return 0;
}

static int call_compare(const void *a, const void *b)
{
	const struct operation_open *left = a, *right = b;

	return COMPARE(left->slot->call, right->slot->call);
}

/* A call that never returned may have enqueued nothing. */
static int list_unfinished(void *user, const struct operation_open *open)
{
	struct operation_matcher *matcher = user;

	if (open->slot->end_ns)
		matcher->unfinished[matcher->unfinished_count++] = *open;
	return 0;
}

static int make_list(struct operation_matcher *matcher)
{
	matcher->unfinished = calloc(matcher->in_flight + 1, sizeof(*matcher->unfinished));
	if (!matcher->unfinished)
		return -ENOMEM;
	for (size_t i = 0; i < matcher->ring_count; i++)
		operation_ring_open(matcher->rings[i], list_unfinished, matcher);
	qsort(matcher->unfinished, matcher->unfinished_count, sizeof(*matcher->unfinished),
	      call_compare);
	return 0;
}

int operation_matcher_unfinished(struct operation_matcher *matcher, struct operation *operation)
{
	const struct operation_open *open;
	int status;

	if (!matcher->unfinished && make_list(matcher))
		return -ENOMEM;
	if (matcher->unfinished_at == matcher->unfinished_count)
		return 0;
	open = &matcher->unfinished[matcher->unfinished_at++];
	*operation = (struct operation){.kind = TANDEM_OPERATION_KIND_other};
	take_slot(operation, open->slot, open->size);
	operation->domain = (uint8_t)trace_session_domain_of(matcher->session, open->slot->api);
	operation->process = open->ring->process;
	operation->name = operation_name(matcher->session, operation->api, operation->kind);
	status = find_queue(matcher, NULL, operation);
	return status ? status : 1;
}

struct open_ops {
	int (*each)(void *user, uint64_t op);
	void *user;
};

static int open_op(void *user, const struct operation_open *open)
{
	const struct open_ops *ops = user;

	return ops->each(ops->user, open->slot->op);
}

int operation_matcher_open(const struct operation_matcher *matcher, uint32_t process,
			   int (*each)(void *user, uint64_t op), void *user)
{
	struct open_ops ops = {each, user};
	int status = 0;

	for (size_t i = 0; !status && i < matcher->ring_count; i++)
		if (matcher->rings[i]->process == process)
			status = operation_ring_open(matcher->rings[i], open_op, &ops);
	return status;
}

void operation_matcher_free(struct operation_matcher *matcher)
{
	for (size_t i = 0; i < matcher->ring_count; i++)
		operation_ring_destroy(matcher->rings[i]);
	free(matcher->rings);
	free(matcher->latest);
	free(matcher->unfinished);
	map_free(&matcher->ring_of);
	map_free(&matcher->queue_of);
	memset(matcher, 0, sizeof(*matcher));
}
