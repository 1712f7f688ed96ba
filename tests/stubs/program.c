/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_program program_create(cl_context context, const char *source, size_t bytes,
				 cl_int *errcode_ret)
{
	if (!stub_object_check(context, STUB_context))
		return stub_fail(errcode_ret, CL_INVALID_CONTEXT);

	cl_program program = stub_object_create(STUB_program, sizeof(*program));

	if (!program)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	program->context = context;
	program->source_bytes = bytes;
	program->source = malloc(bytes + 1);
	memcpy(program->source, source, bytes);
	program->source[bytes] = 0;
	program->status = CL_BUILD_NONE;
	stub_succeed(errcode_ret);
	return program;
}

cl_program stub_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
					  const size_t *lengths, cl_int *errcode_ret)
{
	size_t bytes = 0, used = 0;

	ENTER_HANDLE(clCreateProgramWithSource);
	if (!count || !strings)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	for (cl_uint i = 0; i < count; i++) {
		if (!strings[i])
			return stub_fail(errcode_ret, CL_INVALID_VALUE);
		bytes += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
	}

	char *source = malloc(bytes + 1);

	for (cl_uint i = 0; i < count; i++) {
		size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);

		memcpy(source + used, strings[i], length);
		used += length;
	}

	cl_program program = program_create(context, source, bytes, errcode_ret);

	free(source);
	return program;
}

cl_program stub_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
					  const cl_device_id *device_list, const size_t *lengths,
					  const unsigned char **binaries, cl_int *binary_status,
					  cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateProgramWithBinary);
	if (!num_devices || !device_list || !lengths || !binaries || !lengths[0] || !binaries[0])
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	for (cl_uint i = 0; binary_status && i < num_devices; i++)
		binary_status[i] = CL_SUCCESS;
	return program_create(context, (const char *)binaries[0], lengths[0], errcode_ret);
}

cl_program stub_clCreateProgramWithIL(cl_context context, const void *il, size_t length,
				      cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateProgramWithIL);
	if (!il || !length)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);

	cl_program program = program_create(context, il, length, errcode_ret);

	if (program)
		program->is_il = true;
	return program;
}

cl_program stub_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
						  const cl_device_id *device_list,
						  const char *kernel_names, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateProgramWithBuiltInKernels);
	(void)num_devices, (void)device_list, (void)kernel_names;
	return stub_fail(errcode_ret, stub_object_check(context, STUB_context)
					      ? CL_INVALID_VALUE
					      : CL_INVALID_CONTEXT);
}

cl_int stub_clRetainProgram(cl_program program)
{
	ENTER(clRetainProgram);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	stub_object_retain(program);
	return CL_SUCCESS;
}

cl_int stub_clReleaseProgram(cl_program program)
{
	ENTER(clReleaseProgram);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	if (!stub_object_release(program))
		return CL_SUCCESS;
	while (program->releases) {
		struct stub_callback *callback = program->releases;

		program->releases = callback->next;
		callback->call.program(program, callback->user_data);
		free(callback);
	}
	free(program->source);
	free(program->options);
	stub_object_free(program);
	return CL_SUCCESS;
}

cl_int stub_clSetProgramReleaseCallback(cl_program program,
					void(CL_CALLBACK *pfn_notify)(cl_program, void *),
					void *user_data)
{
	ENTER(clSetProgramReleaseCallback);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	if (!pfn_notify)
		return CL_INVALID_VALUE;
	return stub_callback_add(
		&program->releases,
		(struct stub_callback){.call.program = pfn_notify, .user_data = user_data});
}

/* "#error" in the source is the one mistake that this compiler knows. */
static cl_int program_build(cl_program program, const char *options, cl_int failure)
{
	free(program->options);
	program->options = strdup(options ? options : "");
	if (stub_config.build_ms)
		usleep((useconds_t)stub_config.build_ms * 1000);
	if (!program->is_il && strstr(program->source, "#error")) {
		program->status = CL_BUILD_ERROR;
		return failure;
	}
	program->status = CL_BUILD_SUCCESS;
	return CL_SUCCESS;
}

cl_int stub_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
			   const char *options, void(CL_CALLBACK *pfn_notify)(cl_program, void *),
			   void *user_data)
{
	ENTER(clBuildProgram);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	if (!num_devices != !device_list || (!pfn_notify && user_data))
		return CL_INVALID_VALUE;

	cl_int error = program_build(program, options, CL_BUILD_PROGRAM_FAILURE);

	if (pfn_notify)
		pfn_notify(program, user_data);
	return error;
}

cl_int stub_clCompileProgram(cl_program program, cl_uint num_devices,
			     const cl_device_id *device_list, const char *options,
			     cl_uint num_input_headers, const cl_program *input_headers,
			     const char **header_include_names,
			     void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data)
{
	ENTER(clCompileProgram);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	if (!num_devices != !device_list || (!pfn_notify && user_data) ||
	    !num_input_headers != !input_headers || !num_input_headers != !header_include_names)
		return CL_INVALID_VALUE;

	cl_int error = program_build(program, options, CL_COMPILE_PROGRAM_FAILURE);

	if (pfn_notify)
		pfn_notify(program, user_data);
	return error;
}

cl_program stub_clLinkProgram(cl_context context, cl_uint num_devices,
			      const cl_device_id *device_list, const char *options,
			      cl_uint num_input_programs, const cl_program *input_programs,
			      void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data,
			      cl_int *errcode_ret)
{
	ENTER_HANDLE(clLinkProgram);
	if (!num_devices != !device_list || (!pfn_notify && user_data) || !num_input_programs ||
	    !input_programs)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	if (!stub_object_check(input_programs[0], STUB_program))
		return stub_fail(errcode_ret, CL_INVALID_PROGRAM);

	cl_program program = program_create(context, input_programs[0]->source,
					    input_programs[0]->source_bytes, errcode_ret);

	if (program)
		program_build(program, options, 0);
	if (program && pfn_notify)
		pfn_notify(program, user_data);
	return program;
}

cl_int stub_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id,
					       size_t spec_size, const void *spec_value)
{
	ENTER(clSetProgramSpecializationConstant);
	(void)spec_id;
	if (!stub_object_check(program, STUB_program) || !program->is_il)
		return CL_INVALID_PROGRAM;
	return spec_size && spec_value ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int stub_clUnloadCompiler(void)
{
	ENTER(clUnloadCompiler);
	return CL_SUCCESS;
}

cl_int stub_clUnloadPlatformCompiler(cl_platform_id platform)
{
	ENTER(clUnloadPlatformCompiler);
	return platform == &stub_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

/* A program's binary is its source, on each device. */
static void binaries_copy(cl_program program, unsigned char **binaries)
{
	for (cl_uint i = 0; binaries && i < program->context->device_count; i++) {
		if (binaries[i])
			memcpy(binaries[i], program->source, strlen(program->source) + 1);
	}
}

cl_int stub_clGetProgramInfo(cl_program program, cl_program_info param_name,
			     size_t param_value_size, void *param_value,
			     size_t *param_value_size_ret)
{
	enum { DEVICES_MOST = 16 };
	size_t sizes[DEVICES_MOST];

	ENTER(clGetProgramInfo);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	switch (param_name) {
	case CL_PROGRAM_REFERENCE_COUNT:
		INFO(cl_uint, (cl_uint)program->object.references);
	case CL_PROGRAM_CONTEXT:
		INFO(cl_context, program->context);
	case CL_PROGRAM_NUM_DEVICES:
		INFO(cl_uint, program->context->device_count);
	case CL_PROGRAM_DEVICES:
		INFO_BYTES(program->context->devices,
			   program->context->device_count * sizeof(cl_device_id));
	case CL_PROGRAM_BINARY_SIZES:
		if (program->context->device_count > DEVICES_MOST)
			return CL_OUT_OF_RESOURCES;
		for (cl_uint i = 0; i < program->context->device_count; i++)
			sizes[i] = strlen(program->source) + 1;
		INFO_BYTES(sizes, program->context->device_count * sizeof(*sizes));
	case CL_PROGRAM_BINARIES:
		if (param_value_size < program->context->device_count * sizeof(unsigned char *))
			return CL_INVALID_VALUE;
		binaries_copy(program, param_value);
		return CL_SUCCESS;
	case CL_PROGRAM_SOURCE:
		INFO_TEXT(program->is_il ? "" : program->source);
	case CL_PROGRAM_IL:
		INFO_BYTES(program->source, program->is_il ? program->source_bytes : 0);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clGetProgramBuildInfo(cl_program program, cl_device_id device,
				  cl_program_build_info param_name, size_t param_value_size,
				  void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetProgramBuildInfo);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	if (!stub_object_check(device, STUB_device))
		return CL_INVALID_DEVICE;
	switch (param_name) {
	case CL_PROGRAM_BUILD_STATUS:
		INFO(cl_build_status, program->status);
	case CL_PROGRAM_BUILD_OPTIONS:
		INFO_TEXT(program->options ? program->options : "");
	case CL_PROGRAM_BUILD_LOG:
		INFO_TEXT(program->status == CL_BUILD_ERROR ? "stub: #error" : "");
	case CL_PROGRAM_BINARY_TYPE:
		INFO(cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	default:
		return CL_INVALID_VALUE;
	}
}
