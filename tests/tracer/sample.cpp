// SPDX-License-Identifier: MIT
/* The sample of ROCTracer's specification ("Sample codes"), in its order of calls and with its
 * names. What is not as printed there, because the headers that clients have always differed:
 * the record has `op` and `queue_id` for `activity_id` and `stream_id`; a buffer of 12 bytes
 * holds no record; the traced runtime is OpenCL, whose domains are Tandem's; and what the
 * sample leaves to the reader. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <roctracer_ext.h>
#include <roctracer_hip.h>

#define _Noreturn [[noreturn]]
extern "C" {
#include "../programs/world.h"
}

#define ROCTRACER_CALL(call)                                                          \
	do {                                                                          \
		if ((call) != ROCTRACER_STATUS_SUCCESS) {                             \
			fprintf(stderr, "%s: %s\n", #call, roctracer_error_string()); \
			abort();                                                      \
		}                                                                     \
	} while (0)

static unsigned entries, exits, calls, kernels;
static uint64_t entry_id, call_id, kernel_id;

void api_callback(uint32_t domain, uint32_t cid, const void *callback_data, void *arg)
{
	(void)arg;
	const hip_api_data_t *data = reinterpret_cast<const hip_api_data_t *>(callback_data);

	fprintf(stdout, "<%s id(%u)\tcorrelation_id(%lu) %s>\n", roctracer_id_string(domain, cid),
		cid, (unsigned long)data->correlation_id,
		(data->phase == ACTIVITY_API_PHASE_ENTER) ? "on-enter" : "on-exit");
	if (data->phase == ROCTRACER_API_PHASE_ENTER) {
		entries++;
		entry_id = data->correlation_id;
	} else {
		exits++;
	}
}

void activity_callback(const char *begin, const char *end, void *arg)
{
	(void)arg;
	const roctracer_record_t *record = reinterpret_cast<const roctracer_record_t *>(begin);
	const roctracer_record_t *end_record = reinterpret_cast<const roctracer_record_t *>(end);

	fprintf(stdout, "\tActivity records:\n");
	while (record < end_record) {
		const char *name = roctracer_op_string(record->domain, record->op, record->kind);

		fprintf(stdout,
			"\t%s\tcorrelation_id(%lu) time_ns(%lu:%lu) device_id(%d) stream_id(%lu)\n",
			name, (unsigned long)record->correlation_id,
			(unsigned long)record->begin_ns, (unsigned long)record->end_ns,
			record->device_id, (unsigned long)record->queue_id);
		if (record->domain == ACTIVITY_DOMAIN_OPENCL_API) {
			calls++;
			call_id = record->correlation_id;
		} else if (record->domain == ACTIVITY_DOMAIN_OPENCL_OPS &&
			   record->op == HIP_OP_ID_DISPATCH &&
			   !strcmp(record->kernel_name, "add") &&
			   !strcmp(name, "KernelExecution")) {
			kernels++;
			kernel_id = record->correlation_id;
		}
		ROCTRACER_CALL(roctracer_next_record(record, &record));
	}
}

int main()
{
	uint32_t launch;

	if (roctracer_major_version() != ROCTRACER_VERSION_MAJOR ||
	    roctracer_minor_version() != ROCTRACER_VERSION_MINOR)
		return 1;
	ROCTRACER_CALL(roctracer_op_code(ACTIVITY_DOMAIN_OPENCL_API, "clEnqueueNDRangeKernel",
					 &launch, NULL));
	// Allocating tracing pool
	roctracer_properties_t properties{};
	properties.buffer_size = 0x1000;
	properties.buffer_callback_fun = activity_callback;
	ROCTRACER_CALL(roctracer_open_pool(&properties));

	// Enable API callbacks
	ROCTRACER_CALL(roctracer_enable_op_callback(ACTIVITY_DOMAIN_OPENCL_API, launch,
						    api_callback, NULL));
	ROCTRACER_CALL(roctracer_enable_op_activity(ACTIVITY_DOMAIN_OPENCL_API, launch));
	// Enable kernel dispatch activity tracing
	ROCTRACER_CALL(
		roctracer_enable_op_activity(ACTIVITY_DOMAIN_OPENCL_OPS, HIP_OP_ID_DISPATCH));

	struct world world;
	world_create(&world, 0, 0);
	cl_mem numbers = numbers_create(&world, 100);
	numbers_add(&world, numbers, 100, 1, NULL);
	numbers_check(&world, numbers, 100, 1);

	// Disable tracing and close the pool
	ROCTRACER_CALL(roctracer_disable_callback());
	ROCTRACER_CALL(roctracer_disable_activity());
	ROCTRACER_CALL(roctracer_close_pool());

	printf("%u entries, %u exits, %u calls, %u kernels, %s\n", entries, exits, calls, kernels,
	       entry_id && entry_id == call_id && call_id == kernel_id ? "one id" : "other ids");
	return !(entries == 1 && exits == 1 && calls == 1 && kernels == 1 && entry_id == call_id &&
		 call_id == kernel_id);
}
