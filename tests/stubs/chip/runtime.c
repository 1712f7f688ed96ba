/* SPDX-License-Identifier: MIT */
/* A HIP runtime over OpenCL, as chipStar's libCHIP.so, on the first device that there is. It offers
 * tools nothing, and calls one of its own functions by its name. Memory is a cl_mem, a module a
 * program in OpenCL C, whose kernels take one buffer and one int. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#include "hip.h"

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static int status_of(cl_int error)
{
	return error ? hipErrorInvalidValue : hipSuccess;
}

int hipInit(unsigned flags)
{
	cl_platform_id platform;
	cl_int error;

	if (flags)
		return hipErrorInvalidValue;
	if (queue)
		return hipSuccess;
	error = clGetPlatformIDs(1, &platform, NULL);
	if (!error)
		error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	if (!error)
		context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	if (!error)
		queue = clCreateCommandQueue(context, device, 0, &error);
	return status_of(error);
}

int hipGetDeviceCount(int *count)
{
	*count = queue != NULL;
	return hipSuccess;
}

int hipGetDevice(int *number)
{
	*number = 0;
	return hipSuccess;
}

int hipDeviceGetName(char *name, int bytes, int number)
{
	if (number || bytes <= 0)
		return hipErrorInvalidValue;
	snprintf(name, (size_t)bytes, "HIP over OpenCL");
	return hipSuccess;
}

int hipMalloc(void **pointer, size_t bytes)
{
	cl_int error = CL_SUCCESS;

	*pointer = bytes < 1u << 30
			   ? clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error)
			   : NULL;
	return *pointer ? hipSuccess : hipErrorOutOfMemory;
}

int hipFree(void *pointer)
{
	return status_of(clReleaseMemObject(pointer));
}

int hipMemcpyHtoD(void *to, void *from, size_t bytes)
{
	return status_of(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL));
}

int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	if (kind == hipMemcpyHostToDevice)
		return hipMemcpyHtoD(to, (void *)(size_t)from, bytes);
	return status_of(clEnqueueReadBuffer(queue, (cl_mem)(size_t)from, CL_TRUE, 0, bytes, to, 0,
					     NULL, NULL));
}

int hipModuleLoadData(void **module, const void *image)
{
	const char *text = image;
	cl_int error;

	*module = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	return status_of(error ? error : clBuildProgram(*module, 1, &device, "", NULL, NULL));
}

int hipModuleUnload(void *module)
{
	return status_of(clReleaseProgram(module));
}

int hipModuleGetFunction(void **function, void *module, const char *name)
{
	cl_int error;

	*function = clCreateKernel(module, name, &error);
	return status_of(error);
}

int hipModuleLaunchKernel(void *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
			  unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared,
			  void *stream, void **arguments, void **extra)
{
	size_t local[3] = {items_x, items_y, items_z};
	size_t global[3] = {(size_t)blocks_x * items_x, (size_t)blocks_y * items_y,
			    (size_t)blocks_z * items_z};

	if (stream || extra || shared ||
	    clSetKernelArg(function, 0, sizeof(cl_mem), arguments[0]) ||
	    clSetKernelArg(function, 1, sizeof(int), arguments[1]))
		return hipErrorInvalidValue;
	return status_of(
		clEnqueueNDRangeKernel(queue, function, 3, NULL, global, local, 0, NULL, NULL));
}

int hipDeviceSynchronize(void)
{
	return status_of(clFinish(queue));
}

const char *hipGetErrorName(int error)
{
	return error == hipErrorOutOfMemory ? "hipErrorOutOfMemory" : "hipErrorInvalidValue";
}
