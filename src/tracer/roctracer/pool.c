/* SPDX-License-Identifier: MIT */
#include "tracer/roctracer/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tracer/roctracer/domain.h"
#include "tracer/roctracer/status.h"

#define RECORDS_LEAST 2u /* an external id comes with its record */

_Static_assert(sizeof(activity_record_t) == 64, "ROCTracer's ABI");
_Static_assert(offsetof(activity_record_t, correlation_id) == 16, "ROCTracer's ABI");
_Static_assert(offsetof(activity_record_t, end_ns) == 32, "ROCTracer's ABI");
_Static_assert(offsetof(activity_record_t, queue_id) == 48, "ROCTracer's ABI");
_Static_assert(offsetof(activity_record_t, thread_id) == 44, "ROCTracer's ABI");
_Static_assert(offsetof(activity_record_t, bytes) == 56, "ROCTracer's ABI");
_Static_assert(sizeof(roctracer_properties_t) == 48, "ROCTracer's ABI");

/* What converts the records of a pool; kept until it is closed. */
struct face_pool {
	struct face_pool *next;
	tandem_tracer_pool_t number;
	roctracer_properties_t properties;
	size_t most;
	activity_record_t *records; /* as many as a buffer of ROCTracer's holds */
};

static struct face_pool *pools;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic tandem_tracer_pool_t default_pool;

tandem_tracer_pool_t pool_number(roctracer_pool_t *pool)
{
	return pool ? (tandem_tracer_pool_t)(uintptr_t)pool : atomic_load(&default_pool);
}

static roctracer_pool_t *pool_pointer(tandem_tracer_pool_t number)
{
	return (roctracer_pool_t *)(uintptr_t)number;
}

/* false: ROCTracer has no such operation. */
static bool convert(const struct tandem_tracer_record *from, const struct face_domain *domain,
		    activity_record_t *to)
{
	*to = (activity_record_t){.domain = domain->number};
	to->correlation_id = from->correlation_id;
	to->begin_ns = from->begin_ns;
	to->end_ns = from->end_ns;
	if (from->kind == TANDEM_TRACER_API) {
		to->op = face_op_of_call(domain, from->op);
		to->process_id = from->process_id;
		to->thread_id = from->thread_id;
		return to->op != TANDEM_TRACER_ALL;
	}
	to->op = face_op_of(from->op);
	to->kind = face_kind_of(from->op);
	to->device_id = (int)from->device - 1;
	to->queue_id = from->queue;
	if (from->op == TANDEM_TRACER_KERNEL)
		to->kernel_name = from->name;
	else
		to->bytes = from->bytes;
	return true;
}

static void external(const struct tandem_tracer_record *from, activity_record_t *to)
{
	*to = (activity_record_t){.domain = ACTIVITY_DOMAIN_EXT_API,
				  .op = ACTIVITY_EXT_OP_EXTERN_ID};
	to->correlation_id = from->correlation_id;
	to->external_id = from->external_id;
}

static void pass_on(struct face_pool *pool, size_t count)
{
	/* Clients open pools without one as well (Kineto): what comes there is discarded. */
	if (count && pool->properties.buffer_callback_fun)
		pool->properties.buffer_callback_fun((const char *)pool->records,
						     (const char *)(pool->records + count),
						     pool->properties.buffer_callback_arg);
}

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	struct face_pool *pool = arg;
	size_t count = 0;

	for (const struct tandem_tracer_record *record = begin; record < end;
	     record = (const void *)((const char *)record + record->struct_size)) {
		const struct face_domain *domain = face_domain_of(record->domain, record->kind);
		activity_record_t converted;

		if (!domain || !convert(record, domain, &converted))
			continue;
		if (count + 2 > pool->most) {
			pass_on(pool, count);
			count = 0;
		}
		if (record->flags & TANDEM_TRACER_EXTERNAL)
			external(record, &pool->records[count++]);
		pool->records[count++] = converted;
	}
	pass_on(pool, count);
}

static void pool_free(struct face_pool *pool)
{
	free(pool->records);
	free(pool);
}

static int pool_make(const roctracer_properties_t *properties, struct face_pool **made)
{
	struct tandem_tracer_pool_properties ours = {
		.struct_size = sizeof(ours),
		.buffer_bytes = properties->buffer_size ? properties->buffer_size : 1,
		.full = properties->mode == ROCTRACER_MODE_DROP ? TANDEM_TRACER_DROP
								: TANDEM_TRACER_WAIT,
		.deliver = delivered,
		.allocate = properties->alloc_fun,
		.allocate_arg = properties->alloc_arg,
	};
	struct face_pool *pool = calloc(1, sizeof(*pool));
	int error;

	if (!pool)
		return -ENOMEM;
	pool->properties = *properties;
	pool->most = properties->buffer_size / sizeof(activity_record_t);
	if (pool->most < RECORDS_LEAST)
		pool->most = RECORDS_LEAST;
	pool->records = malloc(pool->most * sizeof(activity_record_t));
	ours.deliver_arg = pool;
	error = pool->records ? tandem_tracer_pool_open(&ours, &pool->number) : -ENOMEM;
	if (error) {
		pool_free(pool);
		return error;
	}
	tandem_tracer_keep((const void *)properties->buffer_callback_fun);
	pthread_mutex_lock(&mutex);
	pool->next = pools;
	pools = pool;
	pthread_mutex_unlock(&mutex);
	*made = pool;
	return 0;
}

roctracer_status_t roctracer_open_pool_expl(const roctracer_properties_t *properties,
					    roctracer_pool_t **pool)
{
	tandem_tracer_pool_t none = 0;
	struct face_pool *made;
	int error;

	if (!properties)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
				  "a pool needs properties");
	if (!pool && atomic_load(&default_pool))
		return status_set(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED,
				  "the default pool is already defined");
	error = pool_make(properties, &made);
	if (error == -ENOMEM)
		return status_set(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "no memory for a pool");
	if (error)
		return status_of(error);
	if (pool) {
		*pool = pool_pointer(made->number);
	} else if (!atomic_compare_exchange_strong(&default_pool, &none, made->number)) {
		roctracer_close_pool_expl(pool_pointer(made->number));
		return status_set(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED,
				  "the default pool is already defined");
	}
	return ROCTRACER_STATUS_SUCCESS;
}

roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties)
{
	return roctracer_open_pool_expl(properties, NULL);
}

roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *pointer)
{
	tandem_tracer_pool_t number = pool_number(pointer), same = number;
	struct face_pool *pool = NULL;
	int error;

	if (!number)
		return ROCTRACER_STATUS_SUCCESS;
	error = tandem_tracer_pool_close(number);
	if (error == -EDEADLK)
		return status_of(error);
	atomic_compare_exchange_strong(&default_pool, &same, 0);
	pthread_mutex_lock(&mutex);
	for (struct face_pool **at = &pools; *at; at = &(*at)->next)
		if ((*at)->number == number) {
			pool = *at;
			*at = pool->next;
			break;
		}
	pthread_mutex_unlock(&mutex);
	/* Its thread has ended, unless a callback does not return. */
	if (pool && !error)
		pool_free(pool);
	return status_of(error);
}

roctracer_status_t roctracer_close_pool(void)
{
	return roctracer_close_pool_expl(NULL);
}

roctracer_pool_t *roctracer_default_pool_expl(roctracer_pool_t *pool)
{
	return pool_pointer(pool ? atomic_exchange(&default_pool, pool_number(pool))
				 : atomic_load(&default_pool));
}

roctracer_pool_t *roctracer_default_pool(void)
{
	return roctracer_default_pool_expl(NULL);
}

roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *pool)
{
	tandem_tracer_pool_t number = pool_number(pool);
	int error = number ? tandem_tracer_pool_flush(number) : 0;

	/* What is still being written comes with a later flush. */
	return status_of(error == -EAGAIN ? 0 : error);
}

roctracer_status_t roctracer_flush_activity(void)
{
	return roctracer_flush_activity_expl(NULL);
}

roctracer_status_t roctracer_next_record(const activity_record_t *record,
					 const activity_record_t **next)
{
	if (!record || !next)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
				  "no record, or no place for the next one");
	*next = record + 1;
	return ROCTRACER_STATUS_SUCCESS;
}

/* The mutex may have been another thread's, and so are the pools the parent's. */
static void forked(void)
{
	pthread_mutex_init(&mutex, NULL);
	pools = NULL;
	atomic_store(&default_pool, 0);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}
