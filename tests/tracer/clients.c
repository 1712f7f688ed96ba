/* SPDX-License-Identifier: MIT */
/* Clients of ROCTracer in their order of calls, as their public sources have it (written anew),
 * with OpenCL's domains in the place of HIP's:
 *
 *   kineto      libkineto/src/RoctracerLogger.cpp: a default pool without a callback, another
 *               for operations, a whole domain but for some functions, start and stop
 *   hpctoolkit  src/tool/hpcrun/gpu/amd/roctracer-api.c: the library opened by name, one pool,
 *               everything enabled, an external id pushed at each entry and popped at its exit
 */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "../programs/world.h"
#include "check.h"
#include "roctracer/roctracer.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hip.h"

#define API ACTIVITY_DOMAIN_OPENCL_API
#define OPS ACTIVITY_DOMAIN_OPENCL_OPS
#define LAUNCHES 50u

static struct world world;
static cl_mem numbers;
static _Atomic uint64_t max_id, max_completed;
static _Atomic unsigned launches, ignored_calls, kernels, wrong;
static uint32_t launch, ignored;

/* --- Kineto -------------------------------------------------------------------------------- */

static void kineto_api(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const hip_api_data_t *api = data;

	wrong += arg != NULL || domain != API;
	ignored_calls += cid == ignored;
	if (api->phase == ACTIVITY_API_PHASE_EXIT && cid == launch) {
		launches++;
		if (api->correlation_id > max_id)
			max_id = api->correlation_id;
	}
}

static void kineto_activity(const char *begin, const char *end, void *arg)
{
	const roctracer_record_t *record = (const void *)begin;

	(void)arg;
	while (record < (const roctracer_record_t *)(const void *)end) {
		if (record->correlation_id > max_completed)
			max_completed = record->correlation_id;
		if (record->kind == 0x11F0) {
			kernels++;
			wrong += strcmp(record->kernel_name, "add") != 0 ||
				 record->end_ns < record->begin_ns;
		}
		roctracer_next_record(record, &record);
	}
}

static roctracer_pool_t *kineto_pool;

static void kineto_start(bool first)
{
	roctracer_properties_t properties;

	if (first) {
		roctracer_set_properties(ACTIVITY_DOMAIN_HIP_API, NULL);
		OK(!roctracer_op_code(API, "clGetPlatformIDs", &ignored, NULL), "a function's id");
		OK(!roctracer_enable_domain_callback(API, kineto_api, NULL), "the whole domain");
		OK(!roctracer_disable_op_callback(API, ignored), "but for one");
		memset(&properties, 0, sizeof(properties));
		properties.buffer_size = 0x1000;
		OK(!roctracer_open_pool(&properties), "a default pool without a callback");
		memset(&properties, 0, sizeof(properties));
		properties.buffer_size = 0x4000;
		properties.buffer_callback_fun = kineto_activity;
		OK(!roctracer_open_pool_expl(&properties, &kineto_pool), "and another one");
		OK(!roctracer_enable_domain_activity_expl(OPS, kineto_pool), "for operations");
	}
	roctracer_start();
}

static void kineto_stop(void)
{
	int timeout = 5000;

	clFinish(world.queue);
	roctracer_flush_activity_expl(kineto_pool);
	while (max_completed < max_id && --timeout) {
		roctracer_flush_activity_expl(kineto_pool);
		usleep(1000);
	}
	OK(timeout, "what was launched last has come");
	roctracer_stop();
}

static void kineto_end(void)
{
	OK(!roctracer_disable_domain_callback(API), "callbacks disabled");
	OK(!roctracer_disable_domain_activity(OPS), "activity disabled");
	OK(!roctracer_close_pool_expl(kineto_pool), "the pool closed");
}

static void work(void)
{
	cl_uint count;

	for (unsigned i = 0; i < LAUNCHES; i++) {
		numbers_add(&world, numbers, 100, 1, NULL);
		clGetPlatformIDs(0, NULL, &count);
	}
}

static void kineto(void)
{
	kineto_start(true);
	world_create(&world, 0, 0);
	numbers = numbers_create(&world, 100);
	work();
	kineto_stop();
	OK(launches == LAUNCHES && kernels == LAUNCHES, "%u launches, %u kernels", launches,
	   kernels);
	OK(!ignored_calls, "what is ignored is not called");
	work();
	clFinish(world.queue);
	OK(launches == LAUNCHES, "nothing while it is stopped");
	kineto_start(false);
	work();
	kineto_stop();
	OK(launches == 2 * LAUNCHES && kernels == 2 * LAUNCHES, "again: %u launches, %u kernels",
	   launches, kernels);
	kineto_end();
	OK(!roctracer_close_pool(), "the default pool closed");
}

/* --- HPCToolkit ------------------------------------------------------------------------------ */

/* By their names, as the tool finds them. */
static struct {
	roctracer_status_t (*open_pool_expl)(const roctracer_properties_t *, roctracer_pool_t **);
	roctracer_status_t (*flush_activity_expl)(roctracer_pool_t *);
	roctracer_status_t (*push)(activity_correlation_id_t);
	roctracer_status_t (*pop)(activity_correlation_id_t *);
	roctracer_status_t (*enable_callback)(roctracer_rtapi_callback_t, void *);
	roctracer_status_t (*enable_activity_expl)(roctracer_pool_t *);
	roctracer_status_t (*disable_callback)(void);
	roctracer_status_t (*disable_activity)(void);
} hpc;

static uint64_t next_external = 1000, external_of[4 * LAUNCHES], correlation_of[4 * LAUNCHES];
static unsigned externals, matched;

static void hpc_callback(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const hip_api_data_t *api = data;
	uint64_t id = 0;

	(void)arg;
	if (domain != API || cid != launch)
		return;
	if (api->phase == ACTIVITY_API_PHASE_ENTER) {
		wrong += hpc.push(next_external++) != 0;
	} else {
		wrong += hpc.pop(&id) != 0 || id != next_external - 1;
	}
}

/* A kernel's correlation id leads to the external id, which came with the call's record. */
static void hpc_buffer(const char *begin, const char *end, void *arg)
{
	(void)arg;
	for (const roctracer_record_t *record = (const void *)begin;
	     record < (const roctracer_record_t *)(const void *)end; record++) {
		if (record->domain == ACTIVITY_DOMAIN_EXT_API && externals < 4 * LAUNCHES) {
			external_of[externals] = record->external_id;
			correlation_of[externals++] = record->correlation_id;
		} else if (record->domain == OPS && record->op == HIP_OP_ID_DISPATCH) {
			kernels++;
		}
	}
}

static void hpc_kernels(const char *begin, const char *end, void *arg)
{
	hpc_buffer(begin, end, arg);
	for (const roctracer_record_t *record = (const void *)begin;
	     record < (const roctracer_record_t *)(const void *)end; record++)
		for (unsigned i = 0; record->domain == OPS && i < externals; i++)
			matched += correlation_of[i] == record->correlation_id;
}

static bool hpc_bind(void)
{
	void *library = dlopen("libroctracer64.so.4", RTLD_NOW | RTLD_GLOBAL);

	if (!library)
		return false;
#define BIND(member, name) (*(void **)&hpc.member = dlsym(library, #name))
	return BIND(open_pool_expl, roctracer_open_pool_expl) &&
	       BIND(flush_activity_expl, roctracer_flush_activity_expl) &&
	       BIND(push, roctracer_activity_push_external_correlation_id) &&
	       BIND(pop, roctracer_activity_pop_external_correlation_id) &&
	       BIND(enable_callback, roctracer_enable_callback) &&
	       BIND(enable_activity_expl, roctracer_enable_activity_expl) &&
	       BIND(disable_callback, roctracer_disable_callback) &&
	       BIND(disable_activity, roctracer_disable_activity);
}

static void hpctoolkit(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x1000,
					     .buffer_callback_fun = hpc_kernels};
	bool in_order = true;

	kernels = 0;
	if (!OK(hpc_bind(), "the library's functions by their names"))
		return;
	OK(!hpc.open_pool_expl(&properties, NULL), "a default pool");
	OK(!hpc.enable_callback(hpc_callback, NULL), "all callbacks");
	OK(!hpc.enable_activity_expl(NULL), "all activity");
	roctracer_start();
	work();
	clFinish(world.queue);
	OK(!hpc.disable_callback() && !hpc.disable_activity() && !hpc.flush_activity_expl(NULL),
	   "disabled, and flushed");
	OK(kernels == LAUNCHES, "%u kernels", kernels);
	OK(externals == LAUNCHES, "%u external ids, pushed at the entry", externals);
	for (unsigned i = 0; i < externals; i++)
		in_order &= external_of[i] == 1000 + i;
	OK(in_order, "each one's own");
	OK(matched > 0, "kernels are found by them");
}

int main(void)
{
	roctracer_op_code(API, "clEnqueueNDRangeKernel", &launch, NULL);
	kineto();
	hpctoolkit();
	OK(!wrong, "%u wrong", wrong);
	return tap_end();
}
