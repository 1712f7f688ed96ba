/* SPDX-License-Identifier: MIT */
/* Kernels: found in a program's source by the word before their parameters. */
#include "program.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Whether a parameter is memory that may be written to: `global float *data`. */
static bool is_written(const char *text, size_t bytes)
{
	return memmem(text, bytes, "global", 6) && memchr(text, '*', bytes) &&
	       !memmem(text, bytes, "const", 5);
}

/* The next kernel at or after `text`: its name, the number of its parameters, and which are memory
 * that it may write to. Returns where to go on, or NULL at the end. */
static const char *kernel_parse(const char *text, char *name, cl_uint *arguments, uint64_t *written)
{
	static const char word[] = "kernel void ";
	const char *start = text ? strstr(text, word) : NULL;

	if (!start)
		return NULL;
	start += strlen(word);

	const char *open = strchr(start, '(');
	const char *close = open ? strchr(open, ')') : NULL;

	if (!close || open - start >= STUB_KERNEL_NAME_BYTES)
		return NULL;
	memcpy(name, start, (size_t)(open - start));
	name[open - start] = 0;
	*arguments = 0;
	*written = 0;
	for (const char *c = open; c < close && close > open + 1; (*arguments)++) {
		const char *comma = memchr(c + 1, ',', (size_t)(close - c - 1));
		const char *end = comma ? comma : close;

		if (*arguments < STUB_KERNEL_ARGUMENTS && is_written(c, (size_t)(end - c)))
			*written |= UINT64_C(1) << *arguments;
		c = end;
	}
	return close;
}

static cl_kernel kernel_create(cl_program program, const char *name, cl_uint arguments,
			       uint64_t written)
{
	cl_kernel kernel = stub_object_create(STUB_kernel, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->program = program;
	kernel->arguments = arguments;
	kernel->written = written;
	strcpy(kernel->name, name);
	return kernel;
}

cl_kernel stub_clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateKernel);
	if (!stub_object_check(program, STUB_program))
		return stub_fail(errcode_ret, CL_INVALID_PROGRAM);
	if (program->status != CL_BUILD_SUCCESS)
		return stub_fail(errcode_ret, CL_INVALID_PROGRAM_EXECUTABLE);
	if (!kernel_name)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);

	char name[STUB_KERNEL_NAME_BYTES];
	const char *text = program->is_il ? NULL : program->source;
	cl_uint arguments;
	uint64_t written;

	while ((text = kernel_parse(text, name, &arguments, &written))) {
		if (strcmp(name, kernel_name))
			continue;

		cl_kernel kernel = kernel_create(program, name, arguments, written);

		if (!kernel)
			return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
		stub_succeed(errcode_ret);
		return kernel;
	}
	return stub_fail(errcode_ret, CL_INVALID_KERNEL_NAME);
}

cl_int stub_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
				     cl_uint *num_kernels_ret)
{
	ENTER(clCreateKernelsInProgram);
	if (!stub_object_check(program, STUB_program))
		return CL_INVALID_PROGRAM;
	if (program->status != CL_BUILD_SUCCESS)
		return CL_INVALID_PROGRAM_EXECUTABLE;

	char name[STUB_KERNEL_NAME_BYTES];
	const char *text = program->is_il ? NULL : program->source;
	cl_uint count = 0, arguments;
	uint64_t written;

	for (; (text = kernel_parse(text, name, &arguments, &written)); count++)
		if (kernels && count < num_kernels)
			kernels[count] = kernel_create(program, name, arguments, written);
	if (num_kernels_ret)
		*num_kernels_ret = count;
	return CL_SUCCESS;
}

cl_kernel stub_clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCloneKernel);
	if (!stub_object_check(source_kernel, STUB_kernel))
		return stub_fail(errcode_ret, CL_INVALID_KERNEL);
	stub_succeed(errcode_ret);
	return kernel_create(source_kernel->program, source_kernel->name, source_kernel->arguments,
			     source_kernel->written);
}

cl_int stub_clRetainKernel(cl_kernel kernel)
{
	ENTER(clRetainKernel);
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	stub_object_retain(kernel);
	return CL_SUCCESS;
}

cl_int stub_clReleaseKernel(cl_kernel kernel)
{
	ENTER(clReleaseKernel);
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	if (stub_object_release(kernel))
		stub_object_free(kernel);
	return CL_SUCCESS;
}

cl_int stub_clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
			   const void *arg_value)
{
	ENTER(clSetKernelArg);
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	if (arg_index >= kernel->arguments)
		return CL_INVALID_ARG_INDEX;
	if (arg_index < STUB_KERNEL_ARGUMENTS && arg_size == sizeof(cl_mem) && arg_value &&
	    kernel->written >> arg_index & 1)
		memcpy(&kernel->memory[arg_index], arg_value, sizeof(cl_mem));
	return arg_size ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
}

cl_int stub_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
	ENTER(clSetKernelArgSVMPointer);
	(void)arg_value;
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	return arg_index < kernel->arguments ? CL_SUCCESS : CL_INVALID_ARG_INDEX;
}

cl_int stub_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
				size_t param_value_size, const void *param_value)
{
	ENTER(clSetKernelExecInfo);
	(void)param_name;
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	return param_value_size && param_value ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int stub_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
			    void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetKernelInfo);
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	switch (param_name) {
	case CL_KERNEL_FUNCTION_NAME:
		INFO_TEXT(kernel->name);
	case CL_KERNEL_NUM_ARGS:
		INFO(cl_uint, kernel->arguments);
	case CL_KERNEL_REFERENCE_COUNT:
		INFO(cl_uint, (cl_uint)kernel->object.references);
	case CL_KERNEL_CONTEXT:
		INFO(cl_context, kernel->program->context);
	case CL_KERNEL_PROGRAM:
		INFO(cl_program, kernel->program);
	case CL_KERNEL_ATTRIBUTES:
		INFO_TEXT("");
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name,
			       size_t param_value_size, void *param_value,
			       size_t *param_value_size_ret)
{
	ENTER(clGetKernelArgInfo);
	(void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	return arg_index < kernel->arguments ? CL_KERNEL_ARG_INFO_NOT_AVAILABLE
					     : CL_INVALID_ARG_INDEX;
}

cl_int stub_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
				     cl_kernel_work_group_info param_name, size_t param_value_size,
				     void *param_value, size_t *param_value_size_ret)
{
	static const size_t none[3];

	ENTER(clGetKernelWorkGroupInfo);
	(void)device;
	if (!stub_object_check(kernel, STUB_kernel))
		return CL_INVALID_KERNEL;
	switch (param_name) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		INFO(size_t, 256);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		INFO(size_t, 32);
	case CL_KERNEL_LOCAL_MEM_SIZE:
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		INFO(cl_ulong, 0);
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		INFO_BYTES(none, sizeof(none));
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int sub_group_info(cl_kernel kernel)
{
	return stub_object_check(kernel, STUB_kernel) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

cl_int stub_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
				    cl_kernel_sub_group_info param_name, size_t input_value_size,
				    const void *input_value, size_t param_value_size,
				    void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetKernelSubGroupInfo);
	(void)device, (void)param_name, (void)input_value_size, (void)input_value;
	(void)param_value_size, (void)param_value, (void)param_value_size_ret;
	return sub_group_info(kernel);
}

cl_int stub_clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
				       cl_kernel_sub_group_info param_name, size_t input_value_size,
				       const void *input_value, size_t param_value_size,
				       void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetKernelSubGroupInfoKHR);
	(void)device, (void)param_name, (void)input_value_size, (void)input_value;
	(void)param_value_size, (void)param_value, (void)param_value_size_ret;
	return sub_group_info(kernel);
}
