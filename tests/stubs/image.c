/* SPDX-License-Identifier: MIT */
/* Images: how their pixels lie in memory. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static size_t channel_count(cl_channel_order order)
{
	switch (order) {
	case CL_R:
	case CL_A:
	case CL_INTENSITY:
	case CL_LUMINANCE:
	case CL_DEPTH:
		return 1;
	case CL_RG:
	case CL_RA:
		return 2;
	case CL_RGB:
		return 3;
	case CL_RGBA:
	case CL_BGRA:
	case CL_ARGB:
		return 4;
	default:
		return 0;
	}
}

static size_t channel_bytes(cl_channel_type type)
{
	switch (type) {
	case CL_SNORM_INT8:
	case CL_UNORM_INT8:
	case CL_SIGNED_INT8:
	case CL_UNSIGNED_INT8:
		return 1;
	case CL_SNORM_INT16:
	case CL_UNORM_INT16:
	case CL_SIGNED_INT16:
	case CL_UNSIGNED_INT16:
	case CL_HALF_FLOAT:
		return 2;
	case CL_SIGNED_INT32:
	case CL_UNSIGNED_INT32:
	case CL_FLOAT:
		return 4;
	default:
		return 0;
	}
}

static size_t or_one(size_t number)
{
	return number ? number : 1;
}

/* How many slices: layers of an array, depth of a 3D image. */
static size_t slices(const cl_image_desc *desc)
{
	switch (desc->image_type) {
	case CL_MEM_OBJECT_IMAGE3D:
		return or_one(desc->image_depth);
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		return or_one(desc->image_array_size);
	default:
		return 1;
	}
}

static size_t rows(const cl_image_desc *desc)
{
	switch (desc->image_type) {
	case CL_MEM_OBJECT_IMAGE1D:
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		return 1;
	default:
		return or_one(desc->image_height);
	}
}

static cl_mem image_create(cl_context context, cl_mem_flags flags, const cl_image_format *format,
			   const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
	if (!stub_object_check(context, STUB_context))
		return stub_fail(errcode_ret, CL_INVALID_CONTEXT);
	if (!format || !channel_count(format->image_channel_order) ||
	    !channel_bytes(format->image_channel_data_type))
		return stub_fail(errcode_ret, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	if (!desc || !desc->image_width)
		return stub_fail(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);

	size_t element = channel_count(format->image_channel_order) *
			 channel_bytes(format->image_channel_data_type);
	size_t row = desc->image_row_pitch ? desc->image_row_pitch : desc->image_width * element;
	size_t slice = desc->image_slice_pitch ? desc->image_slice_pitch : row * rows(desc);
	cl_mem image = stub_memory_create(context, desc->image_type, flags, slice * slices(desc),
					  host_ptr, errcode_ret);

	if (!image)
		return NULL;
	image->format = *format;
	image->desc = *desc;
	image->element_bytes = element;
	image->row_bytes = row;
	image->slice_bytes = slice;
	return image;
}

cl_mem stub_clCreateImage(cl_context context, cl_mem_flags flags,
			  const cl_image_format *image_format, const cl_image_desc *image_desc,
			  void *host_ptr, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateImage);
	return image_create(context, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem stub_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
					cl_mem_flags flags, const cl_image_format *image_format,
					const cl_image_desc *image_desc, void *host_ptr,
					cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateImageWithProperties);
	if (properties && properties[0])
		return stub_fail(errcode_ret, CL_INVALID_PROPERTY);
	return image_create(context, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem stub_clCreateImage2D(cl_context context, cl_mem_flags flags,
			    const cl_image_format *image_format, size_t image_width,
			    size_t image_height, size_t image_row_pitch, void *host_ptr,
			    cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateImage2D);

	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = image_width,
		.image_height = image_height,
		.image_row_pitch = image_row_pitch,
	};

	return image_create(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_mem stub_clCreateImage3D(cl_context context, cl_mem_flags flags,
			    const cl_image_format *image_format, size_t image_width,
			    size_t image_height, size_t image_depth, size_t image_row_pitch,
			    size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateImage3D);

	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE3D,
		.image_width = image_width,
		.image_height = image_height,
		.image_depth = image_depth,
		.image_row_pitch = image_row_pitch,
		.image_slice_pitch = image_slice_pitch,
	};

	return image_create(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_int stub_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
				       cl_mem_object_type image_type, cl_uint num_entries,
				       cl_image_format *image_formats, cl_uint *num_image_formats)
{
	static const cl_image_format known[] = {
		{CL_RGBA, CL_UNORM_INT8},
		{CL_RGBA, CL_FLOAT},
		{CL_R, CL_UNSIGNED_INT32},
	};
	const cl_uint count = sizeof(known) / sizeof(*known);

	ENTER(clGetSupportedImageFormats);
	(void)flags, (void)image_type;
	if (!stub_object_check(context, STUB_context))
		return CL_INVALID_CONTEXT;
	if (image_formats && !num_entries)
		return CL_INVALID_VALUE;
	if (image_formats)
		memcpy(image_formats, known,
		       (num_entries < count ? num_entries : count) * sizeof(*known));
	if (num_image_formats)
		*num_image_formats = count;
	return CL_SUCCESS;
}

cl_int stub_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
			   void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetImageInfo);
	if (!stub_object_check(image, STUB_memory) || !stub_memory_is_image(image))
		return CL_INVALID_MEM_OBJECT;
	switch (param_name) {
	case CL_IMAGE_FORMAT:
		INFO(cl_image_format, image->format);
	case CL_IMAGE_ELEMENT_SIZE:
		INFO(size_t, image->element_bytes);
	case CL_IMAGE_ROW_PITCH:
		INFO(size_t, image->row_bytes);
	case CL_IMAGE_SLICE_PITCH:
		INFO(size_t, slices(&image->desc) > 1 ? image->slice_bytes : 0);
	case CL_IMAGE_WIDTH:
		INFO(size_t, image->desc.image_width);
	case CL_IMAGE_HEIGHT:
		INFO(size_t, image->desc.image_height);
	case CL_IMAGE_DEPTH:
		INFO(size_t, image->desc.image_depth);
	case CL_IMAGE_ARRAY_SIZE:
		INFO(size_t, image->desc.image_array_size);
	case CL_IMAGE_BUFFER:
		INFO(cl_mem, NULL);
	case CL_IMAGE_NUM_MIP_LEVELS:
	case CL_IMAGE_NUM_SAMPLES:
		INFO(cl_uint, 0);
	default:
		return CL_INVALID_VALUE;
	}
}
