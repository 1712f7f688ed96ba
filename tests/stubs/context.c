/* SPDX-License-Identifier: MIT */
/* Contexts and samplers. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

static cl_context context_create(cl_uint count, const cl_device_id *devices, cl_int *errcode_ret)
{
	cl_context context = stub_object_create(STUB_context, sizeof(*context));

	if (!context)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	context->devices = calloc(count, sizeof(cl_device_id));
	context->device_count = count;
	memcpy(context->devices, devices, count * sizeof(cl_device_id));
	stub_succeed(errcode_ret);
	return context;
}

cl_context stub_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
				const cl_device_id *devices,
				void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t,
							      void *),
				void *user_data, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateContext);
	(void)properties, (void)pfn_notify, (void)user_data;
	if (!devices || !num_devices)
		return stub_fail(errcode_ret, CL_INVALID_VALUE);
	for (cl_uint i = 0; i < num_devices; i++)
		if (!stub_object_check(devices[i], STUB_device))
			return stub_fail(errcode_ret, CL_INVALID_DEVICE);
	return context_create(num_devices, devices, errcode_ret);
}

cl_context stub_clCreateContextFromType(const cl_context_properties *properties,
					cl_device_type device_type,
					void(CL_CALLBACK *pfn_notify)(const char *, const void *,
								      size_t, void *),
					void *user_data, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateContextFromType);
	(void)properties, (void)pfn_notify, (void)user_data;

	cl_device_id devices[STUB_DEVICES];
	cl_uint count;
	cl_int error = stub_dispatch.clGetDeviceIDs(&stub_platform, device_type, STUB_DEVICES,
						    devices, &count);

	if (error)
		return stub_fail(errcode_ret, error);
	return context_create(count, devices, errcode_ret);
}

cl_int stub_clRetainContext(cl_context context)
{
	ENTER(clRetainContext);
	if (!stub_object_check(context, STUB_context))
		return CL_INVALID_CONTEXT;
	stub_object_retain(context);
	return CL_SUCCESS;
}

cl_int stub_clReleaseContext(cl_context context)
{
	ENTER(clReleaseContext);
	if (!stub_object_check(context, STUB_context))
		return CL_INVALID_CONTEXT;
	if (!stub_object_release(context))
		return CL_SUCCESS;
	while (context->destructors) {
		struct stub_callback *callback = context->destructors;

		context->destructors = callback->next;
		callback->call.context(context, callback->user_data);
		free(callback);
	}
	free(context->devices);
	stub_object_free(context);
	return CL_SUCCESS;
}

cl_int stub_clSetContextDestructorCallback(cl_context context,
					   void(CL_CALLBACK *pfn_notify)(cl_context, void *),
					   void *user_data)
{
	ENTER(clSetContextDestructorCallback);
	if (!stub_object_check(context, STUB_context))
		return CL_INVALID_CONTEXT;
	if (!pfn_notify)
		return CL_INVALID_VALUE;
	return stub_callback_add(
		&context->destructors,
		(struct stub_callback){.call.context = pfn_notify, .user_data = user_data});
}

cl_int stub_clGetContextInfo(cl_context context, cl_context_info param_name,
			     size_t param_value_size, void *param_value,
			     size_t *param_value_size_ret)
{
	ENTER(clGetContextInfo);
	if (!stub_object_check(context, STUB_context))
		return CL_INVALID_CONTEXT;
	switch (param_name) {
	case CL_CONTEXT_REFERENCE_COUNT:
		INFO(cl_uint, (cl_uint)context->object.references);
	case CL_CONTEXT_NUM_DEVICES:
		INFO(cl_uint, context->device_count);
	case CL_CONTEXT_DEVICES:
		INFO_BYTES(context->devices, context->device_count * sizeof(cl_device_id));
	case CL_CONTEXT_PROPERTIES:
		INFO_BYTES(NULL, 0);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_sampler sampler_create(cl_context context, cl_bool normalized,
				 cl_addressing_mode addressing, cl_filter_mode filter,
				 cl_int *errcode_ret)
{
	if (!stub_object_check(context, STUB_context))
		return stub_fail(errcode_ret, CL_INVALID_CONTEXT);

	cl_sampler sampler = stub_object_create(STUB_sampler, sizeof(*sampler));

	if (!sampler)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	sampler->context = context;
	sampler->normalized = normalized;
	sampler->addressing = addressing;
	sampler->filter = filter;
	stub_succeed(errcode_ret);
	return sampler;
}

cl_sampler stub_clCreateSampler(cl_context context, cl_bool normalized_coords,
				cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
				cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateSampler);
	return sampler_create(context, normalized_coords, addressing_mode, filter_mode,
			      errcode_ret);
}

cl_sampler stub_clCreateSamplerWithProperties(cl_context context,
					      const cl_sampler_properties *properties,
					      cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateSamplerWithProperties);

	cl_bool normalized = CL_TRUE;
	cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
	cl_filter_mode filter = CL_FILTER_NEAREST;

	for (; properties && properties[0]; properties += 2) {
		switch (properties[0]) {
		case CL_SAMPLER_NORMALIZED_COORDS:
			normalized = (cl_bool)properties[1];
			break;
		case CL_SAMPLER_ADDRESSING_MODE:
			addressing = (cl_addressing_mode)properties[1];
			break;
		case CL_SAMPLER_FILTER_MODE:
			filter = (cl_filter_mode)properties[1];
			break;
		default:
			return stub_fail(errcode_ret, CL_INVALID_VALUE);
		}
	}
	return sampler_create(context, normalized, addressing, filter, errcode_ret);
}

cl_int stub_clRetainSampler(cl_sampler sampler)
{
	ENTER(clRetainSampler);
	if (!stub_object_check(sampler, STUB_sampler))
		return CL_INVALID_SAMPLER;
	stub_object_retain(sampler);
	return CL_SUCCESS;
}

cl_int stub_clReleaseSampler(cl_sampler sampler)
{
	ENTER(clReleaseSampler);
	if (!stub_object_check(sampler, STUB_sampler))
		return CL_INVALID_SAMPLER;
	if (stub_object_release(sampler))
		stub_object_free(sampler);
	return CL_SUCCESS;
}

cl_int stub_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
			     size_t param_value_size, void *param_value,
			     size_t *param_value_size_ret)
{
	ENTER(clGetSamplerInfo);
	if (!stub_object_check(sampler, STUB_sampler))
		return CL_INVALID_SAMPLER;
	switch (param_name) {
	case CL_SAMPLER_REFERENCE_COUNT:
		INFO(cl_uint, (cl_uint)sampler->object.references);
	case CL_SAMPLER_CONTEXT:
		INFO(cl_context, sampler->context);
	case CL_SAMPLER_NORMALIZED_COORDS:
		INFO(cl_bool, sampler->normalized);
	case CL_SAMPLER_ADDRESSING_MODE:
		INFO(cl_addressing_mode, sampler->addressing);
	case CL_SAMPLER_FILTER_MODE:
		INFO(cl_filter_mode, sampler->filter);
	default:
		return CL_INVALID_VALUE;
	}
}
