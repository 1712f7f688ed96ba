/* SPDX-License-Identifier: MIT */
/* Callbacks and activities by ROCTracer's domains. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hip.h"
#include "roctracer/roctracer_hsa.h"
#include "roctracer/roctracer_roctx.h"
#include "tracer/roctracer/api_data.h"
#include "tracer/roctracer/domain.h"
#include "tracer/roctracer/hip_number.h"
#include "tracer/roctracer/pool.h"
#include "tracer/roctracer/status.h"

#define ALL TANDEM_TRACER_ALL

/* A client's callback and its argument: made once, and kept. */
struct callback {
	struct callback *next;
	activity_rtapi_callback_t function;
	void *arg;
};

static struct callback *callbacks;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct tandem_tracer *tracer;
static _Atomic bool stopped;
static roctracer_start_cb_t start_callback;
static roctracer_stop_cb_t stop_callback;
static struct callback *_Atomic roctx_callback[ROCTX_API_ID_NUMBER];

static int tracer_get(struct tandem_tracer **got)
{
	int error = 0;

	pthread_mutex_lock(&mutex);
	if (!tracer)
		error = tandem_tracer_create(&tracer);
	*got = tracer;
	pthread_mutex_unlock(&mutex);
	return error;
}

static struct callback *callback_get(activity_rtapi_callback_t function, void *arg)
{
	struct callback *callback;

	pthread_mutex_lock(&mutex);
	for (callback = callbacks; callback; callback = callback->next)
		if (callback->function == function && callback->arg == arg)
			break;
	if (!callback && (callback = malloc(sizeof(*callback)))) {
		*callback = (struct callback){callbacks, function, arg};
		callbacks = callback;
	}
	pthread_mutex_unlock(&mutex);
	tandem_tracer_keep((const void *)function);
	return callback;
}

/* --- in traced calls ------------------------------------------------------------------------ */

static void called(const struct tandem_tracer_call *call, void *arg)
{
	const struct face_domain *domain = face_domain_of(call->domain, TANDEM_TRACER_API);
	const struct callback *callback = arg;
	uint32_t op = domain ? face_op_of_call(domain, call->op) : ALL;

	if (op != ALL)
		api_data_call(call, domain->number, op, callback->function, callback->arg);
}

/* What libroctx64.so.4 calls, ROCm's or Tandem's. 0: it has been reported. */
static int roctx_called(activity_domain_t domain, uint32_t op, void *data)
{
	const struct callback *callback =
		op < ROCTX_API_ID_NUMBER ? atomic_load(&roctx_callback[op]) : NULL;

	if (!callback)
		return -1;
	callback->function(domain, op, data, callback->arg);
	return 0;
}

/* --- the client ----------------------------------------------------------------------------- */

/* Whoever has ROCTX in this process calls us from now on. */
static void roctx_register(void)
{
	void (*set)(int (*)(activity_domain_t, uint32_t, void *)) = NULL;
	void *library = dlopen("libroctx64.so.4", RTLD_LAZY);

	if (library)
		*(void **)&set = dlsym(library, "roctxRegisterTracerCallback");
	if (set)
		set(roctx_called);
}

static void roctx_set(uint32_t op, struct callback *callback)
{
	for (uint32_t i = 0; i < ROCTX_API_ID_NUMBER; i++)
		if (op == ALL || op == i)
			atomic_store(&roctx_callback[i], callback);
	if (callback)
		roctx_register();
}

/* op ALL: every operation. */
static roctracer_status_t check(uint32_t number, uint32_t op, const struct face_domain **domain)
{
	*domain = face_domain(number);
	if (!*domain)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "invalid domain %u",
				  number);
	if (op != ALL && !face_op_exists(*domain, op))
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
				  "domain %u has no operation %u", number, op);
	return ROCTRACER_STATUS_SUCCESS;
}

/* Operations of devices have no callbacks, and a runtime that this build does not know has
 * no calls: as in ROCTracer, that is no error. */
static roctracer_status_t callback_set(uint32_t number, uint32_t op, struct callback *callback)
{
	const struct face_domain *domain;
	struct tandem_tracer *own;
	roctracer_status_t status = check(number, op, &domain);
	uint32_t ours;
	int error;

	if (status)
		return status;
	if (domain->what == FACE_ROCTX)
		roctx_set(op, callback);
	if (number == ACTIVITY_DOMAIN_HIP_API)
		hip_number_begin();
	ours = face_tracer_domain(domain);
	if (domain->what != FACE_API || ours == ALL)
		return ROCTRACER_STATUS_SUCCESS;
	error = tracer_get(&own);
	if (error)
		return status_of(error);
	op = face_call_of_op(domain, op);
	if (callback)
		return status_of(tandem_tracer_callback_enable(own, ours, op, called, callback));
	return status_of(tandem_tracer_callback_disable(own, ours, op));
}

static roctracer_status_t callback_enable(uint32_t number, uint32_t op,
					  activity_rtapi_callback_t function, void *arg)
{
	struct callback *callback;

	if (!function)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no callback");
	callback = callback_get(function, arg);
	if (!callback)
		return status_set(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION,
				  "no memory for a callback");
	return callback_set(number, op, callback);
}

roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op,
						activity_rtapi_callback_t callback, void *arg)
{
	return callback_enable(domain, op, callback, arg);
}

roctracer_status_t roctracer_enable_domain_callback(activity_domain_t domain,
						    activity_rtapi_callback_t callback, void *arg)
{
	return callback_enable(domain, ALL, callback, arg);
}

/* What "all domains" are: HSA's only where its tables were brought here, as in ROCTracer, whose
 * clients end the program at a record of a domain that they do not know. */
static _Atomic bool hsa_brought;

static bool is_among_all(const struct face_domain *domain)
{
	return (domain->number != ACTIVITY_DOMAIN_HSA_API &&
		domain->number != ACTIVITY_DOMAIN_HSA_OPS) ||
	       atomic_load(&hsa_brought);
}

roctracer_status_t roctracer_enable_callback(activity_rtapi_callback_t callback, void *arg)
{
	for (const struct face_domain *domain = NULL; (domain = face_domain_next(domain));) {
		roctracer_status_t status =
			is_among_all(domain) ? callback_enable(domain->number, ALL, callback, arg)
					     : ROCTRACER_STATUS_SUCCESS;

		if (status)
			return status;
	}
	return ROCTRACER_STATUS_SUCCESS;
}

roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain, uint32_t op)
{
	return callback_set(domain, op, NULL);
}

roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain)
{
	return callback_set(domain, ALL, NULL);
}

roctracer_status_t roctracer_disable_callback(void)
{
	for (const struct face_domain *domain = NULL; (domain = face_domain_next(domain));) {
		roctracer_status_t status = callback_set(domain->number, ALL, NULL);

		if (status)
			return status;
	}
	return ROCTRACER_STATUS_SUCCESS;
}

/* One of the tracer's operations, of which ROCTracer's has several. pool 0: disabled. */
static int operation_set(struct tandem_tracer *own, uint32_t ours, uint32_t op,
			 tandem_tracer_pool_t pool)
{
	int error = 0;

	for (uint32_t i = 0; i <= TANDEM_TRACER_OTHER && !error; i++) {
		if (op != ALL && face_op_of(i) != op)
			continue;
		error = pool ? tandem_tracer_activity_enable(own, ours, TANDEM_TRACER_OPERATION, i,
							     pool)
			     : tandem_tracer_activity_disable(own, ours, TANDEM_TRACER_OPERATION,
							      i);
	}
	return error;
}

static roctracer_status_t activity_set(uint32_t number, uint32_t op, tandem_tracer_pool_t pool)
{
	const struct face_domain *domain;
	struct tandem_tracer *own;
	roctracer_status_t status = check(number, op, &domain);
	uint32_t ours;
	int error;

	if (status)
		return status;
	ours = face_tracer_domain(domain);
	if ((domain->what != FACE_API && domain->what != FACE_OPERATIONS) || ours == ALL)
		return ROCTRACER_STATUS_SUCCESS;
	if (number == ACTIVITY_DOMAIN_HIP_API)
		hip_number_begin();
	error = tracer_get(&own);
	if (error)
		return status_of(error);
	if (domain->what == FACE_OPERATIONS)
		return status_of(operation_set(own, ours, op, pool));
	op = face_call_of_op(domain, op);
	if (pool)
		return status_of(
			tandem_tracer_activity_enable(own, ours, TANDEM_TRACER_API, op, pool));
	return status_of(tandem_tracer_activity_disable(own, ours, TANDEM_TRACER_API, op));
}

static roctracer_status_t activity_enable(uint32_t domain, uint32_t op, roctracer_pool_t *pool)
{
	tandem_tracer_pool_t number = pool_number(pool);

	if (!number)
		return status_set(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED,
				  "no default pool is defined");
	return activity_set(domain, op, number);
}

roctracer_status_t roctracer_enable_op_activity_expl(activity_domain_t domain, uint32_t op,
						     roctracer_pool_t *pool)
{
	return activity_enable(domain, op, pool);
}

roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain, uint32_t op)
{
	return activity_enable(domain, op, NULL);
}

roctracer_status_t roctracer_enable_domain_activity_expl(activity_domain_t domain,
							 roctracer_pool_t *pool)
{
	return activity_enable(domain, ALL, pool);
}

roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain)
{
	return activity_enable(domain, ALL, NULL);
}

roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool)
{
	for (const struct face_domain *domain = NULL; (domain = face_domain_next(domain));) {
		roctracer_status_t status = is_among_all(domain)
						    ? activity_enable(domain->number, ALL, pool)
						    : ROCTRACER_STATUS_SUCCESS;

		if (status)
			return status;
	}
	return ROCTRACER_STATUS_SUCCESS;
}

roctracer_status_t roctracer_enable_activity(void)
{
	return roctracer_enable_activity_expl(NULL);
}

roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain, uint32_t op)
{
	return activity_set(domain, op, 0);
}

roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain)
{
	return activity_set(domain, ALL, 0);
}

roctracer_status_t roctracer_disable_activity(void)
{
	for (const struct face_domain *domain = NULL; (domain = face_domain_next(domain));) {
		roctracer_status_t status = activity_set(domain->number, ALL, 0);

		if (status)
			return status;
	}
	return ROCTRACER_STATUS_SUCCESS;
}

/* --- start, stop, and what belongs to no domain --------------------------------------------- */

void roctracer_start(void)
{
	struct tandem_tracer *own;

	if (!atomic_exchange(&stopped, false) || tracer_get(&own))
		return;
	tandem_tracer_start(own);
	if (start_callback)
		start_callback();
}

void roctracer_stop(void)
{
	struct tandem_tracer *own;

	if (atomic_exchange(&stopped, true) || tracer_get(&own))
		return;
	tandem_tracer_stop(own);
	if (stop_callback)
		stop_callback();
}

/* The runtime's tables, which a tool of HSA_TOOLS_LIB has before libtandem-hsa.so is asked. */
extern void tandem_hsa_loaded(void *tables) __attribute__((weak));

static void hsa_tables(void *tables)
{
	if (!tables || !tandem_hsa_loaded)
		return;
	atomic_store(&hsa_brought, true);
	tandem_hsa_loaded(tables);
}

roctracer_status_t roctracer_set_properties(roctracer_domain_t number, void *properties)
{
	const struct face_domain *domain = face_domain(number);
	const roctracer_ext_properties_t *external = properties;

	if (!domain || domain->number == ACTIVITY_DOMAIN_KFD_API ||
	    domain->number == ACTIVITY_DOMAIN_ROCTX)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
				  "domain %d has no properties", (int)number);
	/* Up to 5.2 a tool passes on what its OnLoad() got. */
	if (domain->number == ACTIVITY_DOMAIN_HSA_API)
		hsa_tables(properties);
	else if (domain->number == ACTIVITY_DOMAIN_HSA_OPS && properties)
		hsa_tables(((struct hsa_ops_properties_t *)properties)->table);
	if (domain->what != FACE_EXTERNAL)
		return ROCTRACER_STATUS_SUCCESS;
	if (!external)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no properties");
	start_callback = external->start_cb;
	stop_callback = external->stop_cb;
	tandem_tracer_keep((const void *)start_callback);
	tandem_tracer_keep((const void *)stop_callback);
	return ROCTRACER_STATUS_SUCCESS;
}

roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id)
{
	return status_of(tandem_tracer_external_push(id));
}

roctracer_status_t
roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id)
{
	uint64_t id = 0;
	int error = tandem_tracer_external_pop(&id);

	if (last_id)
		*last_id = id;
	if (error == -ENOENT)
		return status_set(ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID,
				  "no external correlation id was pushed");
	return status_of(error);
}

roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp)
{
	return status_of(tandem_tracer_timestamp(timestamp));
}

uint32_t roctracer_version_major(void)
{
	return ROCTRACER_VERSION_MAJOR;
}

uint32_t roctracer_version_minor(void)
{
	return ROCTRACER_VERSION_MINOR;
}

int roctracer_load(void)
{
	return 1;
}

void roctracer_unload(void)
{
}

void roctracer_flush_buf(void)
{
}

void roctracer_mark(const char *message)
{
	tandem_tracer_mark(message);
}

/* HSA loads its tools by these. */
__attribute__((visibility("default"))) extern const uint32_t HSA_AMD_TOOL_PRIORITY;
const uint32_t HSA_AMD_TOOL_PRIORITY = 50;

__attribute__((visibility("default"))) bool OnLoad(void *table, uint64_t runtime_version,
						   uint64_t failed_count,
						   const char *const *failed_names);
__attribute__((visibility("default"))) void OnUnload(void);

bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_count,
	    const char *const *failed_names)
{
	(void)runtime_version, (void)failed_count, (void)failed_names;
	hsa_tables(table);
	return true;
}

void OnUnload(void)
{
}

static void forked(void)
{
	pthread_mutex_init(&mutex, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}
