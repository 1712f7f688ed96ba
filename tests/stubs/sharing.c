/* SPDX-License-Identifier: MIT */
/* Sharing with OpenGL and EGL: there is no other side, but the objects, the
 * commands and the pointers are as they would be. */
#include "memory.h"
#include "queue.h"

enum { SHARED_BYTES = 64 };

static cl_mem shared_create(cl_context context, cl_mem_object_type type, cl_mem_flags flags,
			    cl_int *errcode_ret)
{
	return stub_memory_create(context, type, flags, SHARED_BYTES, NULL, errcode_ret);
}

cl_mem stub_clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj,
				 int *errcode_ret)
{
	ENTER_HANDLE(clCreateFromGLBuffer);
	(void)bufobj;
	return shared_create(context, CL_MEM_OBJECT_BUFFER, flags, errcode_ret);
}

cl_mem stub_clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
				  cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateFromGLTexture);
	(void)target, (void)miplevel, (void)texture;
	return shared_create(context, CL_MEM_OBJECT_IMAGE2D, flags, errcode_ret);
}

cl_mem stub_clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
				    cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateFromGLTexture2D);
	(void)target, (void)miplevel, (void)texture;
	return shared_create(context, CL_MEM_OBJECT_IMAGE2D, flags, errcode_ret);
}

cl_mem stub_clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
				    cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateFromGLTexture3D);
	(void)target, (void)miplevel, (void)texture;
	return shared_create(context, CL_MEM_OBJECT_IMAGE3D, flags, errcode_ret);
}

cl_mem stub_clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags,
				       cl_GLuint renderbuffer, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateFromGLRenderbuffer);
	(void)renderbuffer;
	return shared_create(context, CL_MEM_OBJECT_IMAGE2D, flags, errcode_ret);
}

cl_mem stub_clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display,
				    CLeglImageKHR image, cl_mem_flags flags,
				    const cl_egl_image_properties_khr *properties,
				    cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateFromEGLImageKHR);
	(void)display, (void)image, (void)properties;
	return shared_create(context, CL_MEM_OBJECT_IMAGE2D, flags, errcode_ret);
}

cl_int stub_clGetGLObjectInfo(cl_mem memory, cl_gl_object_type *gl_object_type,
			      cl_GLuint *gl_object_name)
{
	ENTER(clGetGLObjectInfo);
	if (!stub_object_check(memory, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	if (gl_object_type)
		*gl_object_type = CL_GL_OBJECT_BUFFER;
	if (gl_object_name)
		*gl_object_name = 1;
	return CL_SUCCESS;
}

cl_int stub_clGetGLTextureInfo(cl_mem memory, cl_gl_texture_info param_name,
			       size_t param_value_size, void *param_value,
			       size_t *param_value_size_ret)
{
	ENTER(clGetGLTextureInfo);
	if (!stub_object_check(memory, STUB_memory))
		return CL_INVALID_MEM_OBJECT;
	if (param_name != CL_GL_TEXTURE_TARGET)
		return CL_INVALID_VALUE;
	INFO(cl_GLenum, 0x0de1); /* GL_TEXTURE_2D */
}

cl_int stub_clGetGLContextInfoKHR(const cl_context_properties *properties,
				  cl_gl_context_info param_name, size_t param_value_size,
				  void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetGLContextInfoKHR);
	(void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
	return properties ? CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR : CL_INVALID_VALUE;
}

static cl_int objects_enqueue(cl_uint count, const cl_mem *objects, struct stub_command command)
{
	if (!count != !objects)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++)
		if (!stub_object_check(objects[i], STUB_memory))
			return CL_INVALID_MEM_OBJECT;
	return stub_enqueue(&command);
}

cl_int stub_clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects,
				      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
				      const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueAcquireGLObjects);
	return objects_enqueue(num_objects, mem_objects,
			       (struct stub_command){STUB_COMMAND(CL_COMMAND_ACQUIRE_GL_OBJECTS)});
}

cl_int stub_clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
				      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
				      const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueReleaseGLObjects);
	return objects_enqueue(num_objects, mem_objects,
			       (struct stub_command){STUB_COMMAND(CL_COMMAND_RELEASE_GL_OBJECTS)});
}

cl_int stub_clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
					  const cl_mem *mem_objects,
					  cl_uint num_events_in_wait_list,
					  const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueAcquireEGLObjectsKHR);
	return objects_enqueue(
		num_objects, mem_objects,
		(struct stub_command){STUB_COMMAND(CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR)});
}

cl_int stub_clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
					  const cl_mem *mem_objects,
					  cl_uint num_events_in_wait_list,
					  const cl_event *event_wait_list, cl_event *event)
{
	ENTER(clEnqueueReleaseEGLObjectsKHR);
	return objects_enqueue(
		num_objects, mem_objects,
		(struct stub_command){STUB_COMMAND(CL_COMMAND_RELEASE_EGL_OBJECTS_KHR)});
}

/* An event of the other side's making: done from the start. */
static cl_event fence_create(cl_context context, cl_command_type type, cl_int *errcode_ret)
{
	if (!stub_object_check(context, STUB_context))
		return stub_fail(errcode_ret, CL_INVALID_CONTEXT);

	cl_event event = stub_object_create(STUB_event, sizeof(*event));

	if (!event)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	event->context = context;
	event->command = type;
	event->status = CL_COMPLETE;
	stub_succeed(errcode_ret);
	return event;
}

cl_event stub_clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateEventFromGLsyncKHR);
	(void)sync;
	return fence_create(context, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR, errcode_ret);
}

cl_event stub_clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync,
					  CLeglDisplayKHR display, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateEventFromEGLSyncKHR);
	(void)sync, (void)display;
	return fence_create(context, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR, errcode_ret);
}
