/* SPDX-License-Identifier: MIT */
#include "analysis/operations/operation_matcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_value.h"
#include "trace/field.h"
#include "util/array.h"

#define RING_FIRST 16u
#define RING_MOST (1u << 20)
/* Where calls can have several operations, they stay known until so many others have
 * ended since the latest of theirs. */
#define KEPT 16384u

struct operation_slot {	   /* an enqueued operation */
	uint64_t op, call; /* op is 0: the slot is free */
	int64_t begin_ns, end_ns;
	uint32_t stream, queue;
	uint32_t node;
	uint16_t api;
	bool open;  /* not seen to end yet */
	bool ended; /* an operation of its call was */
	bool synchronous;
	uint64_t ended_at; /* the ring's count then, of the latest */
};

/* One whose number's place another one has. */
struct operation_displaced {
	struct operation_slot slot;
	struct launch_size size;
};

struct operation_ring { /* of one thread's ids, or of the runtime's of one process */
	struct operation_slot *slots;
	struct launch_size *sizes; /* of the same; NULL: nobody asks */
	size_t mask, open;
	uint64_t thread, ended;
	uint32_t process;
	bool repeats;	      /* several records can have an id */
	struct map displaced; /* op -> the address of an operation_displaced */
};

struct operation_open {
	const struct operation_ring *ring;
	const struct operation_slot *slot;
	const struct launch_size *size; /* or NULL */
};

int operation_matcher_init(struct operation_matcher *matcher, struct devices *devices,
			   struct trace_session *session)
{
	memset(matcher, 0, sizeof(*matcher));
	matcher->session = session;
	matcher->devices = devices;
	matcher->latest = calloc(session->stream_count + 1, sizeof(*matcher->latest));
	return matcher->latest ? 0 : -ENOMEM;
}

static void ring_free(struct operation_ring *ring)
{
	uint64_t op, address;
	size_t at = 0;

	while (map_next(&ring->displaced, &at, &op, &address))
		free((void *)(uintptr_t)address);
	map_free(&ring->displaced);
	free(ring->slots);
	free(ring->sizes);
	free(ring);
}

static struct operation_ring *ring_make(struct operation_matcher *matcher, uint32_t process,
					uint64_t thread, uint64_t key)
{
	struct operation_ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->process = process;
	ring->thread = thread;
	ring->repeats = trace_operation_thread_is_runtime(thread);
	ring->mask = RING_FIRST - 1;
	ring->slots = calloc(RING_FIRST, sizeof(*ring->slots));
	if (matcher->launch_sizes)
		ring->sizes = calloc(RING_FIRST, sizeof(*ring->sizes));
	if (!ring->slots || (matcher->launch_sizes && !ring->sizes) ||
	    array_reserve(&matcher->rings, &matcher->ring_capacity, matcher->ring_count + 1,
			  sizeof(*matcher->rings)) ||
	    map_set(&matcher->ring_of, key, matcher->ring_count)) {
		ring_free(ring);
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

/* Twice as many slots: each number that is there has a place of its own again. */
static int ring_grow(struct operation_ring *ring)
{
	size_t mask = ring->mask * 2 + 1;
	struct operation_slot *slots = calloc(mask + 1, sizeof(*slots));
	struct launch_size *sizes = ring->sizes ? calloc(mask + 1, sizeof(*sizes)) : NULL;

	if (!slots || (ring->sizes && !sizes)) {
		free(slots);
		free(sizes);
		return -ENOMEM;
	}
	for (size_t i = 0; i <= ring->mask; i++) {
		size_t place = trace_operation_number(ring->slots[i].op) & mask;

		if (!ring->slots[i].op)
			continue;
		slots[place] = ring->slots[i];
		if (sizes)
			sizes[place] = ring->sizes[i];
	}
	free(ring->slots);
	free(ring->sizes);
	ring->slots = slots;
	ring->sizes = sizes;
	ring->mask = mask;
	return 0;
}

static int slot_displace(struct operation_ring *ring, size_t place)
{
	struct operation_displaced *displaced = malloc(sizeof(*displaced));

	if (!displaced)
		return -ENOMEM;
	displaced->slot = ring->slots[place];
	if (ring->sizes)
		displaced->size = ring->sizes[place];
	if (map_set(&ring->displaced, displaced->slot.op, (uint64_t)(uintptr_t)displaced)) {
		free(displaced);
		return -ENOMEM;
	}
	return 0;
}

/* Whether records of more operations may come. */
static inline bool slot_is_known(const struct operation_ring *ring,
				 const struct operation_slot *slot)
{
	return slot->open || (ring->repeats && ring->ended - slot->ended_at < KEPT);
}

static inline bool slot_is_taken(const struct operation_ring *ring, size_t place, uint64_t op)
{
	const struct operation_slot *slot = &ring->slots[place];

	return slot->op && slot->op != op && slot_is_known(ring, slot);
}

/* Makes room for an id: by more slots if many are in flight, else another one moves.
 * Returns 0 or -ENOMEM. */
static int slot_make_room(struct operation_ring *ring, uint64_t op)
{
	uint64_t number = trace_operation_number(op);

	while (slot_is_taken(ring, number & ring->mask, op)) {
		size_t place = number & ring->mask;
		bool crowded =
			ring->open > ring->mask / 4 || (ring->repeats && ring->mask + 1 < 2 * KEPT);

		if (!crowded || ring->mask + 1 >= RING_MOST)
			return slot_displace(ring, place);
		if (ring_grow(ring))
			return -ENOMEM;
	}
	return 0;
}

static void read_size(const struct trace_event *event, struct launch_size *size)
{
	struct event_launch_size launch;

	*size = (struct launch_size){.dimensions = 0};
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

static inline bool is_synchronous(const struct trace_event *event)
{
	const struct tandem_field *blocking;

	switch (event->layout->event->traits.synchronous) {
	case TANDEM_WHEN_always:
		return true;
	case TANDEM_WHEN_argument:
		blocking = trace_field_role(event->layout, TANDEM_ROLE_blocking);
		return blocking && trace_field_unsigned(event, blocking);
	default:
		return false;
	}
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
	if (slot_is_taken(ring, place, op)) {
		if (slot_make_room(ring, op))
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
		.synchronous = is_synchronous(event),
	};
	if (ring->sizes)
		read_size(event, &ring->sizes[place]);
	return 0;
}

/* NULL: not known, or not any more. */
static struct operation_slot *slot_find(const struct operation_matcher *matcher, uint32_t process,
					uint64_t op)
{
	uint64_t key = (uint64_t)process << 24 | trace_operation_thread(op), address;
	uint64_t known = map_get(&matcher->ring_of, key);
	struct operation_ring *ring = known == MAP_NONE ? NULL : matcher->rings[known];
	struct operation_slot *slot;

	if (!ring)
		return NULL;
	slot = &ring->slots[trace_operation_number(op) & ring->mask];
	if (slot->op == op)
		return slot;
	address = map_get(&ring->displaced, op);
	if (address == MAP_NONE)
		return NULL;
	return &((struct operation_displaced *)(uintptr_t)address)->slot;
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

static inline void take_times(struct operation_matcher *matcher, struct operation *operation)
{
	const struct tandem_rec_operation *record = operation->record;

	if (record->time_domain == TANDEM_TIME_DOMAIN_session_ticks) {
		take_host_times(matcher, operation);
		return;
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

/* Calls that had no more operations for long. */
static void displaced_trim(struct operation_ring *ring)
{
	uint64_t op, address;
	size_t at = 0;

	while (map_next(&ring->displaced, &at, &op, &address)) {
		struct operation_displaced *displaced = (void *)(uintptr_t)address;

		if (slot_is_known(ring, &displaced->slot))
			continue;
		map_remove(&ring->displaced, op);
		free(displaced);
		at--; /* another may have come to its place */
	}
}

static void take_displaced(struct operation_matcher *matcher, struct operation_ring *ring,
			   uint64_t op, struct operation *operation)
{
	uint64_t address = map_get(&ring->displaced, op);
	struct operation_displaced *displaced = (void *)(uintptr_t)address;

	if (address == MAP_NONE || !slot_is_known(ring, &displaced->slot))
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
	if (slot->op == op && slot_is_known(ring, slot)) {
		take_slot(operation, slot, ring->sizes ? &ring->sizes[place] : NULL);
		slot_end(matcher, ring, slot);
		if (!ring->repeats)
			slot->op = 0;
	} else if (ring->displaced.count) {
		take_displaced(matcher, ring, op, operation);
	}
	if (ring->repeats && ring->ended % KEPT == 0)
		displaced_trim(ring);
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
	operation->name = operation_name(matcher->session, operation->api, operation->kind);
	return 0;
}

static int call_compare(const void *a, const void *b)
{
	const struct operation_open *left = a, *right = b;

	return left->slot->call < right->slot->call ? -1 : left->slot->call > right->slot->call;
}

typedef int open_fn(void *user, const struct operation_open *open);

static int ring_open(const struct operation_ring *ring, open_fn *each, void *user)
{
	uint64_t op, address;
	size_t at = 0;
	int status = 0;

	for (size_t i = 0; !status && ring->open && i <= ring->mask; i++) {
		struct operation_open open = {ring, &ring->slots[i],
					      ring->sizes ? &ring->sizes[i] : NULL};

		if (open.slot->op && open.slot->open)
			status = each(user, &open);
	}
	while (!status && map_next(&ring->displaced, &at, &op, &address)) {
		const struct operation_displaced *displaced = (const void *)(uintptr_t)address;
		struct operation_open open = {ring, &displaced->slot,
					      ring->sizes ? &displaced->size : NULL};

		if (open.slot->open)
			status = each(user, &open);
	}
	return status;
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
		ring_open(matcher->rings[i], list_unfinished, matcher);
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
			status = ring_open(matcher->rings[i], open_op, &ops);
	return status;
}

void operation_matcher_free(struct operation_matcher *matcher)
{
	for (size_t i = 0; i < matcher->ring_count; i++)
		ring_free(matcher->rings[i]);
	free(matcher->rings);
	free(matcher->latest);
	free(matcher->unfinished);
	map_free(&matcher->ring_of);
	map_free(&matcher->queue_of);
	memset(matcher, 0, sizeof(*matcher));
}
