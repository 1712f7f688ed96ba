/* SPDX-License-Identifier: MIT */
/* ROCTracer's functions, one by one, as its headers describe them; over OpenCL. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "../programs/world.h"
#include "check.h"
#include "roctracer/roctracer.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hip.h"
#include "roctracer/roctracer_hsa.h"
#include "roctracer/roctracer_kfd.h"
#include "roctracer/roctracer_roctx.h"
#include "tandem/opencl_args.h"

#define S(call) ((call) == ROCTRACER_STATUS_SUCCESS)
#define API ACTIVITY_DOMAIN_OPENCL_API
#define OPS ACTIVITY_DOMAIN_OPENCL_OPS

static unsigned entries, exits, wrong, external_pairs, calls, kernels, copies;
static unsigned roctx_calls[ROCTX_API_ID_NUMBER], started, stopped_count;
static char roctx_text[100];
static uint64_t roctx_range;

static const char *error_string(void)
{
	static char text[300];
	char *owned = (char *)roctracer_error_string();

	snprintf(text, sizeof(text), "%s", owned);
	free(owned);
	return text;
}

static void called(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const tandem_api_data_t *api = data;

	wrong += domain != API || arg != &entries || !api->correlation_id;
	(void)cid;
	if (api->phase == ACTIVITY_API_PHASE_ENTER) {
		*api->phase_data = api->correlation_id;
		entries++;
	} else {
		wrong += *api->phase_data != api->correlation_id;
		exits++;
	}
}

static void roctx_called(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const roctx_api_data_t *api = data;

	wrong += domain != ACTIVITY_DOMAIN_ROCTX || arg != roctx_text;
	roctx_calls[cid]++;
	if (api->args.message)
		snprintf(roctx_text, sizeof(roctx_text), "%s", api->args.message);
	if (cid == ROCTX_API_ID_roctxRangeStartA || cid == ROCTX_API_ID_roctxRangeStop)
		roctx_range = api->args.id;
}

static void delivered(const char *begin, const char *end, void *arg)
{
	const roctracer_record_t *record = (const void *)begin, *last = (const void *)end;
	uint64_t external = 0;

	wrong += arg != &wrong;
	for (; record < last; roctracer_next_record(record, &record)) {
		if (record->domain == ACTIVITY_DOMAIN_EXT_API) {
			wrong += record->op != ACTIVITY_EXT_OP_EXTERN_ID || external ||
				 record->external_id != 42;
			external = record->correlation_id;
			continue;
		}
		if (external) {
			wrong += record->correlation_id != external || record->domain != API;
			external_pairs++;
		}
		external = 0;
		if (record->domain == API) {
			calls++;
			wrong += record->process_id != (uint32_t)getpid();
		} else if (record->op == HIP_OP_ID_DISPATCH) {
			kernels++;
			wrong += strcmp(record->kernel_name, "add") || record->device_id < 0;
		} else if (record->op == HIP_OP_ID_COPY) {
			copies++;
			wrong += !record->bytes;
		}
	}
}

static unsigned allocations, frees;
static bool allocator_fails;

static void allocate(char **ptr, size_t size, void *arg)
{
	wrong += arg != &allocations;
	if (*ptr && !size) {
		free(*ptr);
		*ptr = NULL;
		frees++;
		return;
	}
	allocations++;
	if (!allocator_fails)
		*ptr = realloc(*ptr, size);
}

static struct world world;
static cl_mem numbers;

static void work(void)
{
	numbers_add(&world, numbers, 100, 1, NULL);
	CL(clFinish(world.queue));
}

static void names(void)
{
	uint32_t op = 99, kind = 99;

	OK(S(roctracer_op_code(API, "clFinish", &op, &kind)) && !kind, "op_code of a function");
	OK(!strcmp(roctracer_op_string(API, op, 0), "clFinish"), "op_string gives it back");
	OK(!strcmp(roctracer_id_string(API, op), "clFinish"), "and so does id_string");
	OK(roctracer_op_code(API, "clNothing", &op, NULL) ==
		   ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "no such function: %s", error_string());
	OK(roctracer_op_code(99, "clFinish", &op, NULL) == ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
	   "no such domain: %s", error_string());
	OK(roctracer_op_code(API, NULL, &op, NULL) == ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT &&
		   roctracer_op_code(API, "clFinish", NULL, NULL) ==
			   ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "null pointers: %s", error_string());
	OK(!roctracer_op_string(99, 0, 0), "op_string of no domain is NULL: %s", error_string());
	OK(!roctracer_op_string(API, 100000, 0), "op_string of no operation is NULL: %s",
	   error_string());
	OK(!strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HIP_OPS, HIP_OP_ID_COPY, 0x11F3),
		   "CopyDeviceToHost"),
	   "HIP's operations have names by kind");
	OK(!strcmp(roctracer_op_string(ACTIVITY_DOMAIN_ROCTX, ROCTX_API_ID_roctxRangePop, 0),
		   "roctxRangePop"),
	   "ROCTX has names");
	OK(!strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HSA_EVT, HSA_EVT_ID_CODEOBJ, 0), "CODEOBJ"),
	   "HSA's events have names");
	OK(S(roctracer_op_code(ACTIVITY_DOMAIN_KFD_API, "hsaKmtAllocMemory", &op, NULL)) &&
		   op == KFD_API_ID_hsaKmtAllocMemory && op == 23 &&
		   !strcmp(roctracer_op_string(ACTIVITY_DOMAIN_KFD_API, op, 0),
			   "hsaKmtAllocMemory") &&
		   KFD_API_ID_hsaKmtGetXNACKMode == 80 && KFD_API_ID_NUMBER == 108,
	   "KFD's functions have ROCTracer's numbers and names");
	OK(!roctracer_op_string(ACTIVITY_DOMAIN_KFD_API, KFD_API_ID_NUMBER, 0),
	   "as many as they are: %s", error_string());
	OK(S(roctracer_op_code(ACTIVITY_DOMAIN_HSA_API, "hsa_queue_create", &op, NULL)) &&
		   op == HSA_API_ID_hsa_queue_create &&
		   !strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HSA_API,
					       HSA_API_ID_hsa_amd_signal_wait_all, 0),
			   "hsa_amd_signal_wait_all") &&
		   !roctracer_op_string(ACTIVITY_DOMAIN_HSA_API, HSA_API_ID_NUMBER, 0),
	   "HSA's have those of their header");
	OK(!strcmp(roctracer_op_string(ACTIVITY_DOMAIN_EXT_API, 0, 0), "EXT_API"),
	   "external ids have one");
}

static void pools(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x2000,
					     .alloc_fun = allocate,
					     .alloc_arg = &allocations,
					     .buffer_callback_fun = delivered,
					     .buffer_callback_arg = &wrong};
	roctracer_pool_t *pool = NULL, *other = NULL;

	OK(!roctracer_default_pool(), "there is no default pool at first");
	OK(S(roctracer_close_pool()) && S(roctracer_flush_activity()),
	   "closing and flushing none succeeds");
	OK(roctracer_enable_domain_activity(API) == ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED,
	   "activity without a pool: %s", error_string());
	OK(roctracer_open_pool(NULL) == ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "a pool without properties: %s", error_string());
	OK(S(roctracer_open_pool(&properties)), "a default pool");
	OK(allocations == 1, "by the client's allocator");
	pool = roctracer_default_pool();
	OK(pool != NULL, "is the default pool");
	OK(roctracer_open_pool(&properties) == ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED,
	   "a second one is refused: %s", error_string());
	OK(S(roctracer_open_pool_expl(&properties, &other)) && other && other != pool,
	   "but another pool is not");
	OK(roctracer_default_pool() == pool, "which does not change the default");
	OK(roctracer_default_pool_expl(other) == pool && roctracer_default_pool() == other,
	   "default_pool_expl sets it, and returns the one before");
	OK(S(roctracer_close_pool()) && !roctracer_default_pool(), "closing the default");
	OK(frees == 1, "frees its memory");
	OK(roctracer_close_pool_expl(other) == ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "closing it again is refused: %s", error_string());
	OK(roctracer_flush_activity_expl(other) == ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "and so is flushing it");
	OK(roctracer_enable_domain_activity_expl(API, other) ==
		   ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "and recording into it: %s", error_string());
	OK(S(roctracer_close_pool_expl(pool)), "closing the first");
	allocator_fails = true;
	OK(roctracer_open_pool(&properties) == ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION,
	   "an allocator that fails: %s", error_string());
	OK(!roctracer_default_pool(), "leaves no pool");
	allocator_fails = false;
}

static void activities(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x2000,
					     .buffer_callback_fun = delivered,
					     .buffer_callback_arg = &wrong};
	activity_correlation_id_t id = 0;
	uint32_t launch = 0;

	OK(S(roctracer_op_code(API, "clEnqueueNDRangeKernel", &launch, NULL)), "the launch");
	OK(S(roctracer_open_pool(&properties)), "a pool");
	OK(S(roctracer_enable_op_callback(API, launch, called, &entries)), "a callback of one");
	OK(S(roctracer_enable_domain_activity(OPS)) && S(roctracer_enable_op_activity(API, launch)),
	   "activity of operations, and of one function");
	world_create(&world, 0, 0);
	numbers = numbers_create(&world, 100);
	work();
	OK(entries == 1 && exits == 1, "one entry, one exit");
	OK(S(roctracer_activity_push_external_correlation_id(7)) &&
		   S(roctracer_activity_push_external_correlation_id(42)),
	   "external ids are a stack");
	work();
	OK(S(roctracer_activity_pop_external_correlation_id(&id)) && id == 42, "pop gives 42");
	OK(S(roctracer_activity_pop_external_correlation_id(NULL)), "pop without a place");
	OK(roctracer_activity_pop_external_correlation_id(&id) ==
			   ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID &&
		   !id,
	   "pop of an empty one: %s", error_string());
	numbers_check(&world, numbers, 100, 2);
	OK(S(roctracer_flush_activity()), "flush");
	OK(calls == 2 && kernels == 2 && copies >= 1, "%u calls, %u kernels, %u copies", calls,
	   kernels, copies);
	OK(external_pairs == 1, "one with an external id before it");
	OK(S(roctracer_disable_op_activity(API, launch)) &&
		   S(roctracer_disable_domain_activity(OPS)),
	   "disabled");
	work();
	OK(S(roctracer_flush_activity()) && calls == 2 && kernels == 2, "nothing more is recorded");
	OK(entries == 3, "callbacks go on");
	OK(S(roctracer_disable_op_callback(API, launch)), "until they are disabled");
	work();
	OK(entries == 3 && exits == 3, "nothing more is called");
	OK(roctracer_enable_op_callback(API, 100000, called, NULL) ==
		   ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "an operation out of range: %s", error_string());
	OK(roctracer_enable_op_callback(99, 0, called, NULL) ==
		   ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
	   "an unknown domain: %s", error_string());
	OK(roctracer_enable_op_callback(API, launch, NULL, NULL) ==
		   ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "no callback: %s", error_string());
	OK(S(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_KFD_API, called, NULL)) &&
		   S(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HSA_API, called, NULL)),
	   "domains of which nothing is here are no error");
	OK(S(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HSA_API)), "nor to disable");
}

static void start_called(void)
{
	started++;
}

static void stop_called(void)
{
	stopped_count++;
}

static void start_stop(void)
{
	roctracer_ext_properties_t properties = {start_called, stop_called};
	unsigned before = entries;

	OK(S(roctracer_set_properties(ACTIVITY_DOMAIN_EXT_API, &properties)), "properties");
	OK(S(roctracer_set_properties(ACTIVITY_DOMAIN_HIP_API, NULL)), "HIP's are none");
	OK(roctracer_set_properties(ACTIVITY_DOMAIN_ROCTX, NULL) ==
		   ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
	   "ROCTX has none: %s", error_string());
	OK(S(roctracer_enable_domain_callback(API, called, &entries)), "all callbacks");
	roctracer_start();
	OK(!started, "it is started already");
	roctracer_stop();
	roctracer_stop();
	OK(stopped_count == 1, "stopped once");
	work();
	OK(entries == before, "nothing is called meanwhile");
	roctracer_start();
	OK(started == 1, "started again");
	work();
	OK(entries > before && entries == exits, "called again");
	OK(S(roctracer_disable_callback()), "all disabled");
	OK(S(roctracer_enable_activity()) && S(roctracer_disable_activity()), "all activity");
	OK(S(roctracer_close_pool()), "closed");
}

static void roctx(void)
{
	roctx_range_id_t range;

	OK(S(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, roctx_called, roctx_text)),
	   "callbacks of ROCTX");
	roctxMark("here");
	OK(roctx_calls[ROCTX_API_ID_roctxMarkA] == 1 && !strcmp(roctx_text, "here"), "a mark");
	OK(roctxRangePush("outer") == 0 && roctxRangePush("inner") == 1, "levels from 0");
	OK(!strcmp(roctx_text, "inner"), "with their text");
	OK(roctxRangePop() == 1 && roctxRangePop() == 0 && roctxRangePop() == -1, "and back");
	range = roctxRangeStart("long");
	OK(range && roctx_range == range && !strcmp(roctx_text, "long"), "a range has an id");
	roctx_range = 0;
	roctxRangeStop(range);
	OK(roctx_range == range, "which its end has");
	OK(S(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_ROCTX)), "disabled");
	roctxMark("there");
	OK(roctx_calls[ROCTX_API_ID_roctxMarkA] == 1, "and not called");
	OK(roctx_version_major() == 4 && roctx_version_minor() == 1, "version 4.1");
}

int main(void)
{
	roctracer_timestamp_t first = 0, second = 0;

	OK(!strcmp(error_string(), ""), "no error at first");
	OK(roctracer_version_major() == 4 && roctracer_version_minor() == 1, "version 4.1");
	names();
	pools();
	activities();
	start_stop();
	roctx();
	OK(S(roctracer_get_timestamp(&first)) && S(roctracer_get_timestamp(&second)) && first &&
		   first <= second,
	   "time stamps");
	OK(roctracer_get_timestamp(NULL) == ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	   "no place for one: %s", error_string());
	OK(roctracer_load() == 1, "load does nothing");
	roctracer_unload();
	roctracer_flush_buf();
	OK(dlvsym(RTLD_DEFAULT, "roctracer_op_string", "ROCTRACER_4.0") &&
		   dlvsym(RTLD_DEFAULT, "roctracer_open_pool", "ROCTRACER_4.1") &&
		   dlvsym(RTLD_DEFAULT, "roctxMarkA", "ROCTX_4.1"),
	   "functions are found by their versions");
	OK(!wrong, "%u wrong", wrong);
	return tap_end();
}
