/* SPDX-License-Identifier: MIT */
#include "tracer/client.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/annotation_records.h"
#include "schema/gen/core_records.h"
#include "sinks/sink.h"
#include "tracer/clock/time.h"
#include "tracer/delivery.h"
#include "tracer/enabled.h"
#include "tracer/error.h"
#include "tracer/keep.h"
#include "tracer/op.h"
#include "tracer/pool/pool.h"

#define WAIT_NS 1000000000u

static struct registration *registrations;
static struct tandem_tracer *clients;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct table *table_of(struct tandem_tracer *client, uint32_t domain)
{
	struct table *table = atomic_load(&client->table[domain]);

	if (table)
		return table;
	table = calloc(1, sizeof(*table) +
				  op_count(domain, TANDEM_TRACER_API) * sizeof(*table->function));
	if (!table)
		return NULL;
	table->functions = op_count(domain, TANDEM_TRACER_API);
	for (uint32_t op = 0; op < table->functions; op++) {
		const struct tandem_event *event = op_event(domain, op);

		table->function[op].op = (uint16_t)op;
		table->function[op].domain = (uint8_t)domain;
		if (event)
			table->function[op].id_offset = op_id_offset(event);
	}
	atomic_store(&client->table[domain], table);
	for (unsigned page = 0; page < TANDEM_PAGES; page++) {
		uint32_t first = tandem_pages[page].place * TANDEM_PAGE_EVENTS;

		if (domain != TANDEM_DOMAIN_annotation && tandem_pages[page].domain == domain &&
		    first < table->functions)
			atomic_store(&client->page[page], &table->function[first]);
	}
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
 * stands for the domain itself. The caller holds the mutex. */
static bool want_domain(struct tandem_tracer *client, uint32_t domain, bool *operations)
{
	struct table *table = atomic_load(&client->table[domain]);
	static uint64_t bits[TANDEM_PAGES * TANDEM_PAGE_EVENTS / 64];
	bool asks, any = false;

	if (!table)
		return false;
	asks = any_operation(table);
	*operations |= asks;
	memset(bits, 0, sizeof(bits));
	for (uint32_t op = 0; op < table->functions; op++) {
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
	tandem_sink_want_bits(&client->sink, domain, bits, sizeof(bits) / sizeof(*bits));
	return any;
}

/* The caller holds the mutex. */
static int client_update(struct tandem_tracer *client)
{
	uint64_t core = 0;
	bool any = false, operations = false;
	int error = 0;

	for (uint32_t domain = 1; domain < TANDEM_DOMAINS; domain++)
		any |= want_domain(client, domain, &operations);
	if (operations)
		core = (uint64_t)1 << TANDEM_EVENT_operation | (uint64_t)1 << TANDEM_EVENT_queue |
		       (uint64_t)1 << TANDEM_EVENT_kernel | (uint64_t)1 << TANDEM_EVENT_device |
		       (uint64_t)1 << TANDEM_EVENT_clock_pair;
	tandem_sink_want_bits(&client->sink, TANDEM_DOMAIN_core, &core, 1);
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
	client->sink.record = delivery_record;
	client->sink.end = delivery_end;
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
	for (uint32_t domain = 0; domain < TANDEM_DOMAINS; domain++)
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

static void set_registration(struct table *table, uint32_t kind, uint32_t op, void *registration)
{
	(void)kind;
	atomic_store(&table->function[op].registration, registration);
}

static void set_pool(struct table *table, uint32_t kind, uint32_t op, void *pool)
{
	atomic_store(kind == TANDEM_TRACER_API ? &table->function[op].pool : &table->operation[op],
		     pool);
}

static bool is_among(uint32_t wanted, uint32_t one)
{
	return wanted == TANDEM_TRACER_ALL || wanted == one;
}

/* Of each operation that is among these. */
static int ops_set(struct tandem_tracer *tracer, uint32_t domains, uint32_t kinds, uint32_t ops,
		   void (*set)(struct table *table, uint32_t kind, uint32_t op, void *value),
		   void *value)
{
	for (uint32_t domain = TANDEM_TRACER_ALL;
	     (domain = tandem_tracer_domain_next(domain)) != TANDEM_TRACER_ALL;) {
		struct table *table;

		if (!is_among(domains, domain))
			continue;
		table = table_of(tracer, domain);
		if (!table)
			return -ENOMEM;
		for (uint32_t kind = TANDEM_TRACER_API; kind <= TANDEM_TRACER_OPERATION; kind++) {
			if (!is_among(kinds, kind))
				continue;
			for (uint32_t op = TANDEM_TRACER_ALL;
			     (op = tandem_tracer_op_next(domain, kind, op)) != TANDEM_TRACER_ALL;)
				if (is_among(ops, op))
					set(table, kind, op, value);
		}
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
	error = registration ? ops_set(tracer, domain, TANDEM_TRACER_API, op, set_registration,
				       registration)
			     : -ENOMEM;
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
	ops_set(tracer, domain, TANDEM_TRACER_API, op, set_registration, NULL);
	pthread_mutex_unlock(&mutex);
	return callbacks_wait();
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
	error = pool ? ops_set(tracer, domain, kind, op, set_pool, pool) : -EBADF;
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
	ops_set(tracer, domain, kind, op, set_pool, NULL);
	pthread_mutex_unlock(&mutex);
	return 0;
}

static bool table_leave(struct table *table, struct pool *pool)
{
	bool left = false;

	for (uint32_t op = 0; op < table->functions; op++) {
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

		for (uint32_t domain = 0; domain < TANDEM_DOMAINS; domain++) {
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

/* Another thread may have been in client_update(): what it was about is done again. */
void clients_forked(void)
{
	pthread_mutex_init(&mutex, NULL);
	for (struct tandem_tracer *client = clients; client; client = client->next) {
		tandem_sink_remove(&client->sink);
		client->attached = false;
	}
	leave_pool(NULL);
	for (struct tandem_tracer *client = clients; client; client = client->next)
		if (!client->gone)
			client_update(client);
}
