/* Building programs: how long, with which options, and what the compiler said
 * when it failed. */
#include <errno.h>
#include <string.h>

#include "domains/opencl/cl.h"
#include "domains/opencl/gen/custom.h"
#include "domains/opencl/opencl.h"

#define LOG_BYTES 16384

struct build {
	uint8_t step;
	uint64_t begin;
	const char *options;
};

static uint32_t build_log(char *log, void *program, void *device)
{
	size_t size = 0;

	/* A log that doesn't fit is not given in part: room is made for most. */
	if (opencl_next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, LOG_BYTES,
					      log, &size))
		return 0;
	return (uint32_t)strnlen(log, size < LOG_BYTES ? size : LOG_BYTES);
}

static uint32_t program_devices(void *program, void **devices, uint32_t most)
{
	size_t size = 0;

	if (!program || opencl_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES,
						     most * sizeof(devices[0]), devices, &size))
		return 0;
	return (uint32_t)(size / sizeof(devices[0]));
}

/* One record of the build; of a failed one, for each device that has a log. */
static void build_write(const struct build *build, void *program, int32_t status)
{
	struct tandem_rec_build *record;
	void *devices[16] = { NULL };
	char log[LOG_BYTES];
	uint64_t end = tandem_ticks();
	uint32_t options = build->options ? (uint32_t)strnlen(build->options, 4096) : 0;
	uint32_t count = program_devices(program, devices, 16);
	uint32_t number = tandem_object_number(TANDEM_OBJECT_program, program);

	for (uint32_t i = 0; i < (count && status ? count : 1); i++) {
		uint32_t log_bytes = status ? build_log(log, program, devices[i]) : 0;
		uint32_t device = tandem_object_number(TANDEM_OBJECT_device, devices[i]);

		record = tandem_record_begin(TANDEM_EVENT_build,
					     (uint32_t)sizeof(*record) + options + log_bytes);
		if (!record)
			return;
		record->program = number;
		record->domain = TANDEM_DOMAIN_opencl;
		record->step = build->step;
		record->device = device;
		record->status = status;
		record->begin = build->begin;
		record->end = end;
		record->options_count = (uint16_t)options;
		record->log_count = (uint16_t)log_bytes;
		memcpy(record + 1, build->options, options);
		memcpy((char *)(record + 1) + options, log, log_bytes);
		tandem_record_commit();
	}
}

int32_t opencl_custom_clBuildProgram(opencl_pfn_clBuildProgram real, void *program,
				     uint32_t num_devices, const void *device_list,
				     const void *options, void *pfn_notify, void *user_data)
{
	struct build build = { TANDEM_BUILD_STEP_build, tandem_ticks(), options };
	struct tandem_call call;
	int32_t result;
	int saved;

	opencl_begin_clBuildProgram(&call, program, num_devices, device_list, options, pfn_notify,
				    user_data);
	result = real(program, num_devices, device_list, options, pfn_notify, user_data);
	tandem_call_end(&call, result);
	saved = errno;
	if (program)
		build_write(&build, program, result);
	errno = saved;
	return result;
}

int32_t opencl_custom_clCompileProgram(opencl_pfn_clCompileProgram real, void *program,
				       uint32_t num_devices, const void *device_list,
				       const void *options, uint32_t num_input_headers,
				       const void *input_headers, const void *header_include_names,
				       void *pfn_notify, void *user_data)
{
	struct build build = { TANDEM_BUILD_STEP_compile, tandem_ticks(), options };
	struct tandem_call call;
	int32_t result;
	int saved;

	opencl_begin_clCompileProgram(&call, program, num_devices, device_list, options,
				      num_input_headers, input_headers, header_include_names,
				      pfn_notify, user_data);
	result = real(program, num_devices, device_list, options, num_input_headers, input_headers,
		      header_include_names, pfn_notify, user_data);
	tandem_call_end(&call, result);
	saved = errno;
	if (program)
		build_write(&build, program, result);
	errno = saved;
	return result;
}

void *opencl_custom_clLinkProgram(opencl_pfn_clLinkProgram real, void *context,
				  uint32_t num_devices, const void *device_list,
				  const void *options, uint32_t num_input_programs,
				  const void *input_programs, void *pfn_notify, void *user_data,
				  void *errcode_ret)
{
	struct build build = { TANDEM_BUILD_STEP_link, tandem_ticks(), options };
	struct tandem_call call;
	uint32_t number = 0;
	int32_t error = CL_SUCCESS;
	void *program;
	int saved;

	opencl_begin_clLinkProgram(&call, context, num_devices, device_list, options,
				   num_input_programs, input_programs, pfn_notify, user_data,
				   errcode_ret);
	program = real(context, num_devices, device_list, options, num_input_programs,
		       input_programs, pfn_notify, user_data, &error);
	saved = errno;
	if (program)
		number = opencl_created(TANDEM_OBJECT_program, program);
	tandem_call_end_object(&call, error, number);
	if (program)
		build_write(&build, program, error);
	if (errcode_ret)
		*(int32_t *)errcode_ret = error;
	errno = saved;
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
