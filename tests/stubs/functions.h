/* SPDX-License-Identifier: MIT */
/* The functions of the stub driver, two X-macros: those of the ICD dispatch
 * table (CL/cl_icd.h, without Direct3D's), and those that are had by name only.
 * clGetExtensionFunctionAddress stands apart: the loader finds it by its name.
 */
#ifndef STUB_FUNCTIONS_H
#define STUB_FUNCTIONS_H

#define STUB_TABLE(X)                                                                              \
	X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)              \
	X(clCreateContext) X(clCreateContextFromType) X(clRetainContext) X(clReleaseContext)       \
	X(clGetContextInfo) X(clCreateCommandQueue) X(clRetainCommandQueue)                        \
	X(clReleaseCommandQueue) X(clGetCommandQueueInfo) X(clSetCommandQueueProperty)             \
	X(clCreateBuffer) X(clCreateImage2D) X(clCreateImage3D) X(clRetainMemObject)               \
	X(clReleaseMemObject) X(clGetSupportedImageFormats) X(clGetMemObjectInfo)                  \
	X(clGetImageInfo) X(clCreateSampler) X(clRetainSampler) X(clReleaseSampler)                \
	X(clGetSamplerInfo) X(clCreateProgramWithSource) X(clCreateProgramWithBinary)              \
	X(clRetainProgram) X(clReleaseProgram) X(clBuildProgram) X(clUnloadCompiler)               \
	X(clGetProgramInfo) X(clGetProgramBuildInfo) X(clCreateKernel) X(clCreateKernelsInProgram) \
	X(clRetainKernel) X(clReleaseKernel) X(clSetKernelArg) X(clGetKernelInfo)                  \
	X(clGetKernelWorkGroupInfo) X(clWaitForEvents) X(clGetEventInfo) X(clRetainEvent)          \
	X(clReleaseEvent) X(clGetEventProfilingInfo) X(clFlush) X(clFinish)                        \
	X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer)                      \
	X(clEnqueueReadImage) X(clEnqueueWriteImage) X(clEnqueueCopyImage)                         \
	X(clEnqueueCopyImageToBuffer) X(clEnqueueCopyBufferToImage) X(clEnqueueMapBuffer)          \
	X(clEnqueueMapImage) X(clEnqueueUnmapMemObject) X(clEnqueueNDRangeKernel)                  \
	X(clEnqueueTask) X(clEnqueueNativeKernel) X(clEnqueueMarker) X(clEnqueueWaitForEvents)     \
	X(clEnqueueBarrier) X(clCreateFromGLBuffer) X(clCreateFromGLTexture2D)                     \
	X(clCreateFromGLTexture3D) X(clCreateFromGLRenderbuffer) X(clGetGLObjectInfo)              \
	X(clGetGLTextureInfo) X(clEnqueueAcquireGLObjects) X(clEnqueueReleaseGLObjects)            \
	X(clGetGLContextInfoKHR) X(clSetEventCallback) X(clCreateSubBuffer)                        \
	X(clSetMemObjectDestructorCallback) X(clCreateUserEvent) X(clSetUserEventStatus)           \
	X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect)          \
	X(clCreateSubDevicesEXT) X(clRetainDeviceEXT) X(clReleaseDeviceEXT)                        \
	X(clCreateEventFromGLsyncKHR) X(clCreateSubDevices) X(clRetainDevice) X(clReleaseDevice)   \
	X(clCreateImage) X(clCreateProgramWithBuiltInKernels) X(clCompileProgram)                  \
	X(clLinkProgram) X(clUnloadPlatformCompiler) X(clGetKernelArgInfo) X(clEnqueueFillBuffer)  \
	X(clEnqueueFillImage) X(clEnqueueMigrateMemObjects) X(clEnqueueMarkerWithWaitList)         \
	X(clEnqueueBarrierWithWaitList) X(clGetExtensionFunctionAddressForPlatform)                \
	X(clCreateFromGLTexture) X(clCreateFromEGLImageKHR) X(clEnqueueAcquireEGLObjectsKHR)       \
	X(clEnqueueReleaseEGLObjectsKHR) X(clCreateEventFromEGLSyncKHR)                            \
	X(clCreateCommandQueueWithProperties) X(clCreatePipe) X(clGetPipeInfo) X(clSVMAlloc)       \
	X(clSVMFree) X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill)              \
	X(clEnqueueSVMMap) X(clEnqueueSVMUnmap) X(clCreateSamplerWithProperties)                   \
	X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo) X(clGetKernelSubGroupInfoKHR)           \
	X(clCloneKernel) X(clCreateProgramWithIL) X(clEnqueueSVMMigrateMem)                        \
	X(clGetDeviceAndHostTimer) X(clGetHostTimer) X(clGetKernelSubGroupInfo)                    \
	X(clSetDefaultDeviceCommandQueue) X(clSetProgramReleaseCallback)                           \
	X(clSetProgramSpecializationConstant) X(clCreateBufferWithProperties)                      \
	X(clCreateImageWithProperties) X(clSetContextDestructorCallback)

#define STUB_EXTENSIONS(X)                                                                         \
	X(clIcdGetPlatformIDsKHR) X(clCreateCommandQueueWithPropertiesKHR)                         \
	X(clCreateCommandBufferKHR) X(clFinalizeCommandBufferKHR) X(clRetainCommandBufferKHR)      \
	X(clReleaseCommandBufferKHR) X(clEnqueueCommandBufferKHR) X(clCommandNDRangeKernelKHR)     \
	X(clGetCommandBufferInfoKHR) X(clHostMemAllocINTEL) X(clMemFreeINTEL)                      \
	X(clEnqueueMemcpyINTEL)

#endif
