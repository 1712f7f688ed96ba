/* SPDX-License-Identifier: MIT */
/* Building programs: how long, with which options, and what the compiler said
 * when it failed. */
#include <errno.h>
#include <string.h>

#include "core/call/args.h"
#include "core/call/call.h"
#include "core/pool.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/describe.h"
#include "domains/opencl/gen/custom.h"
#include "domains/opencl/gen/records.h"
#include "domains/opencl/recording.h"

#define LOG_BYTES 16384

#define OPTIONS_BYTES 1024

/* A build under way. With a callback the call returns before the build is done:
 * the program's callback is then called through ours, and this waits for it. */
struct build {
	void *pool_next; /* the pool's word */
	void (*notify)(void *program, void *data);
	void *data;
	uint64_t begin;
	_Atomic uint8_t written; /* its record has been, or is being, made */
	_Atomic uint8_t holders; /* of a copy: the call and the callback */
	uint8_t step;
	uint16_t options_bytes;
	char options[OPTIONS_BYTES];
};

static struct tandem_pool build_pool = TANDEM_POOL(sizeof(struct build));

static void build_begin(struct build *build, uint8_t step, const char *options)
{
	build->notify = NULL;
	build->written = 0;
	build->holders = 2;
	build->begin = tandem_ticks();
	build->step = step;
	build->options_bytes = options ? (uint16_t)strnlen(options, OPTIONS_BYTES) : 0;
	memcpy(build->options, options ? options : "", build->options_bytes);
}

static uint32_t build_log(char *log, void *program, void *device)
{
	size_t size = 0;

	/* A log that doesn't fit is not given in part: room is made for most. */
	if (opencl_next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, LOG_BYTES, log,
					      &size))
		return 0;
	return (uint32_t)strnlen(log, size < LOG_BYTES ? size : LOG_BYTES);
}

static uint32_t program_devices(void *program, void **devices, uint32_t most)
{
	size_t size = 0;

	if (opencl_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, most * sizeof(devices[0]),
					 devices, &size))
		return 0;
	return (uint32_t)(size / sizeof(devices[0]));
}

static void device_build_write(const struct build *build, void *program, void *device, uint64_t end,
			       int32_t status)
{
	char log[LOG_BYTES];
	uint32_t log_bytes = status && device ? build_log(log, program, device) : 0;
	uint32_t number = tandem_object_number(TANDEM_KIND(opencl, program), program);
	uint32_t device_number = tandem_object_number(TANDEM_KIND(opencl, device), device);
	struct tandem_rec_build *record = tandem_record_begin(
		TANDEM_EVENT_build, (uint32_t)sizeof(*record) + build->options_bytes + log_bytes);

	if (!record)
		return;
	record->program = number;
	record->domain = TANDEM_DOMAIN_opencl;
	record->step = build->step;
	record->device = device_number;
	record->status = status;
	record->begin = build->begin;
	record->end = end;
	record->options_count = build->options_bytes;
	record->log_count = (uint16_t)log_bytes;
	memcpy(record + 1, build->options, build->options_bytes);
	memcpy((char *)(record + 1) + build->options_bytes, log, log_bytes);
	tandem_record_commit();
}

/* One record of the build; of a failed one, for each device, with its log. */
static void build_write(const struct build *build, void *program, int32_t status)
{
	void *devices[16] = {NULL};
	uint64_t end = tandem_ticks();
	uint32_t count = program_devices(program, devices, 16);

	for (uint32_t i = 0; i < (count && status ? count : 1); i++)
		device_build_write(build, program, devices[i], end, status);
}

static void build_drop(struct build *later)
{
	if (atomic_fetch_sub(&later->holders, 1) == 1)
		tandem_pool_give(&build_pool, later);
}

static void build_called_back(void *program, void *data)
{
	struct build *build = data;
	void (*notify)(void *, void *) = build->notify;
	void *program_data = build->data, *device = NULL;
	int32_t status = CL_BUILD_SUCCESS;
	int saved = errno;

	if (!atomic_exchange(&build->written, 1) && opencl_recording() &&
	    program_devices(program, &device, 1)) {
		opencl_next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
						  sizeof(status), &status, NULL);
		build_write(build, program,
			    status == CL_BUILD_SUCCESS ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
	}
	build_drop(build);
	errno = saved;
	notify(program, program_data);
}

/* What to pass for the program's callback: ours with a copy of `build`, or the
 * program's own when there is no memory. */
static struct build *build_later(const struct build *build, void **notify, void **data)
{
	struct build *later = *notify ? tandem_pool_take(&build_pool) : NULL;

	if (!later)
		return NULL;
	memcpy(later, build, sizeof(*later));
	later->notify = (void (*)(void *, void *)) * notify;
	later->data = *data;
	*notify = (void *)build_called_back;
	*data = later;
	return later;
}

/* The call has returned. A build that goes on is written by its callback, one
 * that failed at once here. (After some failures the driver never calls back:
 * then the copy is left.) */
static void build_end(const struct build *build, struct build *later, void *program, int32_t result)
{
	int saved = errno;

	if (program && (!later || (result != CL_SUCCESS && !atomic_exchange(&later->written, 1))))
		build_write(build, program, result);
	if (later)
		build_drop(later);
	errno = saved;
}

int32_t opencl_custom_clBuildProgram(opencl_pfn_clBuildProgram real, void *program,
				     uint32_t num_devices, const void *device_list,
				     const void *options, void *pfn_notify, void *user_data)
{
	struct tandem_call call;
	struct build build, *later;
	int32_t result;

	build_begin(&build, TANDEM_BUILD_STEP_build, options);
	opencl_begin_clBuildProgram(&call, program, num_devices, device_list, options, pfn_notify,
				    user_data);
	later = build_later(&build, &pfn_notify, &user_data);
	result = real(program, num_devices, device_list, options, pfn_notify, user_data);
	tandem_call_end(&call, result);
	build_end(&build, later, program, result);
	return result;
}

int32_t opencl_custom_clCompileProgram(opencl_pfn_clCompileProgram real, void *program,
				       uint32_t num_devices, const void *device_list,
				       const void *options, uint32_t num_input_headers,
				       const void *input_headers, const void *header_include_names,
				       void *pfn_notify, void *user_data)
{
	struct tandem_call call;
	struct build build, *later;
	int32_t result;

	build_begin(&build, TANDEM_BUILD_STEP_compile, options);
	opencl_begin_clCompileProgram(&call, program, num_devices, device_list, options,
				      num_input_headers, input_headers, header_include_names,
				      pfn_notify, user_data);
	later = build_later(&build, &pfn_notify, &user_data);
	result = real(program, num_devices, device_list, options, num_input_headers, input_headers,
		      header_include_names, pfn_notify, user_data);
	tandem_call_end(&call, result);
	build_end(&build, later, program, result);
	return result;
}

/* Of what the inputs were made of; 0: of one of them that is not known. */
static uint64_t linked_hash(uint32_t count, const void *inputs)
{
	void *const *programs = inputs;
	uint64_t hash = ARGS_HASH_START;

	for (uint32_t i = 0; programs && i < count; i++) {
		uint64_t of = opencl_program_hash(programs[i]);

		if (!of)
			return 0;
		hash = args_hash(hash, &of, sizeof(of));
	}
	return programs && count ? hash | 1 : 0;
}

void *opencl_custom_clLinkProgram(opencl_pfn_clLinkProgram real, void *context,
				  uint32_t num_devices, const void *device_list,
				  const void *options, uint32_t num_input_programs,
				  const void *input_programs, void *pfn_notify, void *user_data,
				  void *errcode_ret)
{
	struct tandem_call call;
	struct build build, *later;
	uint32_t number = 0;
	int32_t error = CL_SUCCESS;
	void *program;
	uint64_t end;

	build_begin(&build, TANDEM_BUILD_STEP_link, options);
	opencl_begin_clLinkProgram(&call, context, num_devices, device_list, options,
				   num_input_programs, input_programs, pfn_notify, user_data,
				   errcode_ret);
	later = build_later(&build, &pfn_notify, &user_data);
	program = real(context, num_devices, device_list, options, num_input_programs,
		       input_programs, pfn_notify, user_data, &error);
	end = tandem_ticks();
	if (program) {
		opencl_program_hash_set(program, linked_hash(num_input_programs, input_programs));
		number = opencl_created(TANDEM_OBJECT_program, program);
	}
	opencl_end_object(&call, error, end, number, program);
	build_end(&build, later, program, error);
	if (errcode_ret)
		*(int32_t *)errcode_ret = error;
	return program;
}

int32_t opencl_custom_clCreateKernelsInProgram(opencl_pfn_clCreateKernelsInProgram real,
					       void *program, uint32_t num_kernels, void *kernels,
					       void *num_kernels_ret)
{
	struct tandem_call call;
	uint32_t made = 0;
	int32_t result;

	opencl_begin_clCreateKernelsInProgram(&call, program, num_kernels, kernels,
					      num_kernels_ret);
	result = real(program, num_kernels, kernels, &made);
	tandem_call_end(&call, result);
	if (result == CL_SUCCESS && num_kernels_ret)
		*(uint32_t *)num_kernels_ret = made;
	for (uint32_t i = 0; result == CL_SUCCESS && kernels && i < made && i < num_kernels; i++)
		opencl_created(TANDEM_OBJECT_kernel, ((void **)kernels)[i]);
	return result;
}
