/* SPDX-License-Identifier: MIT */
#include "tracer/client.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/annotation_records.h"
#include "schema/gen/core_records.h"
#include "schema/record.h"
#include "sinks/sink.h"
#include "tracer/device_clock.h"
#include "tracer/enqueue.h"
#include "tracer/error.h"
#include "tracer/keep.h"
#include "tracer/object.h"
#include "tracer/op.h"
#include "tracer/pool.h"
#include "tracer/thread.h"
#include "tracer/time.h"

#define WAIT_NS 1000000000u
#define DOMAINS 64u

struct enqueue enqueues[ENQUEUES];

/* What is to be called: made once, and kept, so that who has it may use it. */
struct registration {
	struct registration *next;
	tandem_tracer_callback_t callback;
	void *arg;
};

static struct registration *_Atomic registrations;

struct function {
	struct registration *_Atomic registration;
	struct pool *_Atomic pool;
	_Atomic uint16_t id_offset; /* of the operation id in its record; 0: it has none */
	_Atomic uint16_t bounds;    /* its begin bounds a device's clock */
};

/* Of a domain. */
struct table {
	struct function function[OP_FUNCTIONS];
	struct pool *_Atomic operation[OP_KINDS];
};

struct tandem_tracer {
	struct tandem_tracer *next;
	struct tandem_sink sink;
	struct table *_Atomic table[DOMAINS];
	bool started, attached, gone;
};

static struct tandem_tracer *clients;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* What a call keeps from its entry to its end (sinks/sink.h). */
enum word { WORD_DATA, WORD_CORRELATION, WORD_REGISTRATION, WORD_EXTERNAL, WORD_FLAGS };

/* --- in traced calls ------------------------------------------------------------------------ */

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

static void call_begin(struct tandem_tracer *client, const struct tandem_record *record,
		       const void *args, uint64_t *word)
{
	struct table *table = atomic_load_explicit(&client->table[op_domain_of(record->id)],
						   memory_order_acquire);
	struct tracer_thread *thread = tracer_thread();
	struct registration *registration;
	struct function *function;
	uint64_t flags = 0;

	if (!table || !thread || thread->delivers)
		return;
	function = &table->function[op_of(record->id)];
	registration = atomic_load_explicit(&function->registration, memory_order_acquire);
	word[WORD_CORRELATION] = correlation_of(record, function->id_offset);
	word[WORD_REGISTRATION] = (uintptr_t)registration;
	word[WORD_EXTERNAL] = external_of(thread, &flags);
	word[WORD_FLAGS] = flags;
	if (function->bounds)
		enqueue_note(word[WORD_CORRELATION], record->timestamp);
	if (registration) {
		struct tandem_tracer_call call = {
			.struct_size = sizeof(call),
			.domain = op_domain_of(record->id),
			.op = op_of(record->id),
			.phase = TANDEM_TRACER_ENTER,
			.correlation_id = word[WORD_CORRELATION],
			.time_ns = time_now_ns(record->timestamp),
			.external_id = word[WORD_EXTERNAL],
			.args = args,
			.data = &word[WORD_DATA],
		};

		registration->callback(&call, registration->arg);
		/* It may have pushed one for this call. */
		word[WORD_EXTERNAL] = external_of(thread, &flags);
		word[WORD_FLAGS] = flags;
	}
}

static void call_end(struct tandem_sink *sink, const struct tandem_call_record *record,
		     const void *args, uint64_t *word)
{
	struct tandem_tracer *client = sink->data;
	struct table *table = atomic_load_explicit(&client->table[op_domain_of(record->head.id)],
						   memory_order_acquire);
	struct registration *registration;
	struct function *function;
	struct pool *pool;

	/* Its entry was not seen by this tool. */
	if (!table || !word[WORD_CORRELATION])
		return;
	function = &table->function[op_of(record->head.id)];
	registration = atomic_load_explicit(&function->registration, memory_order_acquire);
	if (registration && (uintptr_t)registration == word[WORD_REGISTRATION]) {
		struct tandem_tracer_call call = {
			.struct_size = sizeof(call),
			.domain = op_domain_of(record->head.id),
			.op = op_of(record->head.id),
			.phase = TANDEM_TRACER_EXIT,
			.result = record->result,
			.correlation_id = word[WORD_CORRELATION],
			.time_ns = time_now_ns(record->end),
			.external_id = word[WORD_EXTERNAL],
			.args = args,
			.data = &word[WORD_DATA],
		};

		registration->callback(&call, registration->arg);
	}
	pool = atomic_load_explicit(&function->pool, memory_order_acquire);
	if (pool) {
		struct pool_slot *slot = pool_take(pool, 0);

		if (!slot)
			return;
		slot->domain = (uint8_t)op_domain_of(record->head.id);
		slot->what = SLOT_CALL;
		slot->flags = (uint8_t)word[WORD_FLAGS];
		slot->op = (uint16_t)op_of(record->head.id);
		slot->correlation = word[WORD_CORRELATION];
		slot->begin = record->head.timestamp;
		slot->end = record->end;
		slot->external = word[WORD_EXTERNAL];
		slot->tid = tracer_thread_here->tid;
		slot->result = record->result;
		pool_put(slot);
	}
}

/* The bounds that an operation gives its device's clock: it was queued after its call had
 * begun, and has ended by now. */
static void operation_bounds(const struct tandem_rec_operation *record)
{
	uint64_t begun = enqueue_ticks(record->op);
	uint32_t clock = object_device_clock(object_queue_device(record->queue));

	if (record->timed != TANDEM_TIMED_device_ns)
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
	table = record->domain < DOMAINS
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
	slot->timed = record->timed;
	slot->op = record->kind;
	slot->correlation = record->op;
	slot->begin = record->start;
	slot->end = record->end;
	slot->kernel = record->kernel;
	slot->queue = record->queue;
	slot->tid = 0;
	slot->result = record->status;
	slot->bytes = record->bytes;
	pool_put(slot);
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
	pool_put(slot);
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

static void record_begin(struct tandem_sink *sink, const struct tandem_record *record,
			 const void *args, uint64_t *word)
{
	struct tandem_tracer *client = sink->data;

	word[WORD_CORRELATION] = 0;
	if (TANDEM_ID_DOMAIN(record->id) == TANDEM_DOMAIN_core)
		core_record(client, record);
	else if (TANDEM_ID_DOMAIN(record->id) == TANDEM_DOMAIN_annotation)
		annotation(client, record);
	else
		call_begin(client, record, args, word);
}

/* --- the tool ------------------------------------------------------------------------------- */

static struct table *table_of(struct tandem_tracer *client, uint32_t domain)
{
	struct table *table = atomic_load(&client->table[domain]);

	if (table)
		return table;
	table = calloc(1, sizeof(*table));
	for (uint32_t op = 0; table && op < OP_FUNCTIONS; op++) {
		const struct tandem_event *event = op_event(domain, op);

		if (event)
			table->function[op].id_offset = op_id_offset(event);
	}
	atomic_store(&client->table[domain], table);
	return table;
}

static bool any_operation(const struct table *table)
{
	for (uint32_t kind = 0; kind < OP_KINDS; kind++)
		if (atomic_load(&table->operation[kind]))
			return true;
	return false;
}

/* The sink's wishes for one domain, from its table. Operations are asked for by calls: those
 * that enqueue some bound the device's clock. The first number of a domain is no event, and
 * stands for the domain itself. */
static bool want_domain(struct tandem_tracer *client, uint32_t domain, bool *operations)
{
	struct table *table = atomic_load(&client->table[domain]);
	uint64_t bits[TANDEM_SINK_EVENTS / 64] = {0};
	bool asks, any = false;

	if (!table)
		return false;
	asks = any_operation(table);
	*operations |= asks;
	for (uint32_t op = 0; op < OP_FUNCTIONS; op++) {
		struct function *function = &table->function[op];
		const struct tandem_event *event = op_event(domain, op);
		bool bounds = asks && event && event->class == TANDEM_CLASS_ENQUEUE;
		bool wanted = bounds || atomic_load(&function->registration) ||
			      atomic_load(&function->pool);

		atomic_store(&function->bounds, bounds);
		any |= wanted;
		if (wanted)
			bits[op / 64] |= (uint64_t)1 << (op % 64);
	}
	any |= asks;
	if (domain == TANDEM_DOMAIN_annotation && any) {
		memset(bits, 0, sizeof(bits));
		bits[0] = (uint64_t)1 << TANDEM_ID_EVENT(TANDEM_ANNOTATION_EVENT_range) |
			  (uint64_t)1 << TANDEM_ID_EVENT(TANDEM_ANNOTATION_EVENT_range_end);
	}
	bits[0] |= any;
	tandem_sink_want_bits(&client->sink, domain, bits);
	return any;
}

/* The caller holds the mutex. */
static int client_update(struct tandem_tracer *client)
{
	uint64_t core[TANDEM_SINK_EVENTS / 64] = {0};
	bool any = false, operations = false;
	int error = 0;

	for (uint32_t domain = 1; domain < DOMAINS; domain++)
		any |= want_domain(client, domain, &operations);
	if (operations)
		core[0] = (uint64_t)1 << TANDEM_EVENT_operation |
			  (uint64_t)1 << TANDEM_EVENT_queue | (uint64_t)1 << TANDEM_EVENT_kernel |
			  (uint64_t)1 << TANDEM_EVENT_device |
			  (uint64_t)1 << TANDEM_EVENT_clock_pair;
	tandem_sink_want_bits(&client->sink, TANDEM_DOMAIN_core, core);
	if (any && client->started && !client->attached)
		error = tandem_sink_attach(&client->sink);
	else if ((!any || !client->started) && client->attached)
		tandem_sink_remove(&client->sink);
	client->attached = any && client->started && !error;
	time_refresh();
	return error;
}

int tandem_tracer_create(struct tandem_tracer **tracer)
{
	struct tandem_tracer *client;
	unsigned count = 0;

	if (!tracer)
		return error_set(-EINVAL, "no place for the tracer");
	client = calloc(1, sizeof(*client));
	if (!client)
		return error_set(-ENOMEM, "no memory for a tracer");
	client->sink.name = "tracer";
	client->sink.data = client;
	client->sink.record = record_begin;
	client->sink.end = call_end;
	client->started = true;
	pthread_mutex_lock(&mutex);
	for (struct tandem_tracer *other = clients; other; other = other->next)
		count += !other->gone;
	if (count < TANDEM_SINKS - 1) {
		client->next = clients;
		clients = client;
	}
	pthread_mutex_unlock(&mutex);
	if (count >= TANDEM_SINKS - 1) {
		free(client);
		return error_set(-ENOSPC, "%u tracers exist", count);
	}
	*tracer = client;
	return 0;
}

static bool client_exists(const struct tandem_tracer *client)
{
	for (struct tandem_tracer *other = clients; other; other = other->next)
		if (other == client && !other->gone)
			return true;
	return false;
}

/* Locks. */
static int client_take(struct tandem_tracer *client)
{
	pthread_mutex_lock(&mutex);
	if (client_exists(client))
		return 0;
	pthread_mutex_unlock(&mutex);
	return error_set(-EINVAL, "there is no such tracer");
}

/* For callbacks in other threads, in whatever tool. */
static int callbacks_wait(void)
{
	if (tandem_sink_in_here() || !tandem_sinks_wait(WAIT_NS))
		return 0;
	return error_set(-EBUSY, "done; another thread is in a callback still");
}

int tandem_tracer_destroy(struct tandem_tracer *tracer)
{
	int error;

	if (!tracer)
		return 0;
	error = client_take(tracer);
	if (error)
		return error;
	tracer->gone = true;
	if (tracer->attached)
		tandem_sink_remove(&tracer->sink);
	tracer->attached = false;
	pthread_mutex_unlock(&mutex);
	if (tandem_sink_in_here() || tandem_sinks_wait(WAIT_NS))
		return error_set(-EBUSY, "done; a thread is in a callback still");
	pthread_mutex_lock(&mutex);
	for (struct tandem_tracer **at = &clients; *at; at = &(*at)->next)
		if (*at == tracer) {
			*at = tracer->next;
			break;
		}
	pthread_mutex_unlock(&mutex);
	for (uint32_t domain = 0; domain < DOMAINS; domain++)
		free(atomic_load(&tracer->table[domain]));
	free(tracer);
	return 0;
}

static int client_switch(struct tandem_tracer *tracer, bool started)
{
	int error = client_take(tracer);

	if (error)
		return error;
	tracer->started = started;
	error = client_update(tracer);
	pthread_mutex_unlock(&mutex);
	return error ? error_set(error, "the tracer can't start here") : 0;
}

int tandem_tracer_start(struct tandem_tracer *tracer)
{
	return client_switch(tracer, true);
}

int tandem_tracer_stop(struct tandem_tracer *tracer)
{
	return client_switch(tracer, false);
}

static struct registration *registration_make(tandem_tracer_callback_t callback, void *arg)
{
	struct registration *registration;

	for (registration = registrations; registration; registration = registration->next)
		if (registration->callback == callback && registration->arg == arg)
			return registration;
	registration = malloc(sizeof(*registration));
	if (!registration)
		return NULL;
	*registration = (struct registration){registrations, callback, arg};
	registrations = registration;
	return registration;
}

/* Which domains and operations are meant: 0, -ENODEV, -EINVAL. */
static int check_op(uint32_t domain, uint32_t kind, uint32_t op)
{
	if (domain == TANDEM_TRACER_ALL) {
		if (op != TANDEM_TRACER_ALL)
			return error_set(-EINVAL, "an operation of all domains");
		return 0;
	}
	if (!op_domain_exists(domain))
		return error_set(-ENODEV, "no domain %u", domain);
	if (kind > TANDEM_TRACER_OPERATION && kind != TANDEM_TRACER_ALL)
		return error_set(-EINVAL, "no kind %u", kind);
	if (op == TANDEM_TRACER_ALL)
		return 0;
	if (kind == TANDEM_TRACER_ALL)
		return error_set(-EINVAL, "an operation of all kinds");
	if (!op_exists(domain, kind, op))
		return error_set(-EINVAL, "domain %u has no operation %u of kind %u", domain, op,
				 kind);
	return 0;
}

static int functions_set(struct tandem_tracer *tracer, uint32_t domain, uint32_t op,
			 struct registration *registration)
{
	uint32_t only = domain;

	for (domain = TANDEM_TRACER_ALL;
	     (domain = tandem_tracer_domain_next(domain)) != TANDEM_TRACER_ALL;) {
		struct table *table;

		if (only != TANDEM_TRACER_ALL && only != domain)
			continue;
		table = table_of(tracer, domain);
		if (!table)
			return -ENOMEM;
		for (uint32_t i = TANDEM_TRACER_ALL;
		     (i = tandem_tracer_op_next(domain, TANDEM_TRACER_API, i)) !=
		     TANDEM_TRACER_ALL;)
			if (op == TANDEM_TRACER_ALL || op == i)
				atomic_store(&table->function[i].registration, registration);
	}
	return client_update(tracer);
}

int tandem_tracer_callback_enable(struct tandem_tracer *tracer, uint32_t domain, uint32_t op,
				  tandem_tracer_callback_t callback, void *arg)
{
	struct registration *registration;
	int error = check_op(domain, TANDEM_TRACER_API, op);

	if (error)
		return error;
	if (!callback)
		return error_set(-EINVAL, "no callback");
	error = client_take(tracer);
	if (error)
		return error;
	registration = registration_make(callback, arg);
	error = registration ? functions_set(tracer, domain, op, registration) : -ENOMEM;
	pthread_mutex_unlock(&mutex);
	keep_library((const void *)callback);
	return error ? error_set(error, "callbacks can't be enabled here") : 0;
}

int tandem_tracer_callback_disable(struct tandem_tracer *tracer, uint32_t domain, uint32_t op)
{
	int error = check_op(domain, TANDEM_TRACER_API, op);

	if (error)
		return error;
	error = client_take(tracer);
	if (error)
		return error;
	functions_set(tracer, domain, op, NULL);
	pthread_mutex_unlock(&mutex);
	return callbacks_wait();
}

static int pools_set(struct tandem_tracer *tracer, uint32_t domain, uint32_t kind, uint32_t op,
		     struct pool *pool)
{
	uint32_t only = domain;

	for (domain = TANDEM_TRACER_ALL;
	     (domain = tandem_tracer_domain_next(domain)) != TANDEM_TRACER_ALL;) {
		struct table *table;

		if (only != TANDEM_TRACER_ALL && only != domain)
			continue;
		table = table_of(tracer, domain);
		if (!table)
			return -ENOMEM;
		for (uint32_t of = TANDEM_TRACER_API; of <= TANDEM_TRACER_OPERATION; of++) {
			if (kind != TANDEM_TRACER_ALL && kind != of)
				continue;
			for (uint32_t i = TANDEM_TRACER_ALL;
			     (i = tandem_tracer_op_next(domain, of, i)) != TANDEM_TRACER_ALL;)
				if (op == TANDEM_TRACER_ALL || op == i)
					atomic_store(of == TANDEM_TRACER_API
							     ? &table->function[i].pool
							     : &table->operation[i],
						     pool);
		}
	}
	return client_update(tracer);
}

int tandem_tracer_activity_enable(struct tandem_tracer *tracer, uint32_t domain, uint32_t kind,
				  uint32_t op, tandem_tracer_pool_t number)
{
	int error = check_op(domain, kind, op);
	struct pool *pool;

	if (error)
		return error;
	error = client_take(tracer);
	if (error)
		return error;
	pool = pool_find(number);
	error = pool ? pools_set(tracer, domain, kind, op, pool) : -EBADF;
	pthread_mutex_unlock(&mutex);
	return error ? error_set(error, error == -EBADF ? "that pool is not open"
							: "activity can't be enabled here")
		     : 0;
}

int tandem_tracer_activity_disable(struct tandem_tracer *tracer, uint32_t domain, uint32_t kind,
				   uint32_t op)
{
	int error = check_op(domain, kind, op);

	if (error)
		return error;
	error = client_take(tracer);
	if (error)
		return error;
	pools_set(tracer, domain, kind, op, NULL);
	pthread_mutex_unlock(&mutex);
	return 0;
}

static bool table_leave(struct table *table, struct pool *pool)
{
	bool left = false;

	for (uint32_t op = 0; op < OP_FUNCTIONS; op++) {
		struct pool *mine = pool ? pool : atomic_load(&table->function[op].pool);

		left |= mine &&
			atomic_compare_exchange_strong(&table->function[op].pool, &mine, NULL);
	}
	for (uint32_t kind = 0; kind < OP_KINDS; kind++) {
		struct pool *mine = pool ? pool : atomic_load(&table->operation[kind]);

		left |= mine &&
			atomic_compare_exchange_strong(&table->operation[kind], &mine, NULL);
	}
	return left;
}

/* NULL: any pool. */
static void leave_pool(struct pool *pool)
{
	for (struct tandem_tracer *client = clients; client; client = client->next) {
		bool left = false;

		for (uint32_t domain = 0; domain < DOMAINS; domain++) {
			struct table *table = atomic_load(&client->table[domain]);

			left |= table && table_leave(table, pool);
		}
		if (left && !client->gone)
			client_update(client);
	}
}

static void clients_leave_pool(struct pool *pool)
{
	pthread_mutex_lock(&mutex);
	leave_pool(pool);
	pthread_mutex_unlock(&mutex);
}

void clients_begin(void)
{
	pool_at_close(clients_leave_pool);
}

void clients_forked(void)
{
	pthread_mutex_init(&mutex, NULL);
	leave_pool(NULL);
}
