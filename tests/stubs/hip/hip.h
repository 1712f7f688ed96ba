/* SPDX-License-Identifier: MIT */
/* What of HIP the stub has, and its programs call. X(name, parameters, arguments) */
#ifndef STUB_HIP_HIP_H
#define STUB_HIP_HIP_H

#include <stddef.h>
#include <stdint.h>

struct dim {
	uint32_t x, y, z;
};

/* hipLaunchConfig_t. */
struct launch_config {
	struct dim blocks, items;
	size_t shared;
	void *stream;
	void *attributes;
	unsigned count;
};

#if STUB_HIP >= 700
#define STUB_HIP_7_FUNCTIONS(X)                                                         \
	X(hipLaunchKernelExC,                                                           \
	  (const struct launch_config *config, const void *function, void **arguments), \
	  (config, function, arguments))                                                \
	X(hipMemsetD2D8Async,                                                           \
	  (void *to, size_t pitch, unsigned char value, size_t width, size_t height,    \
	   void *stream),                                                               \
	  (to, pitch, value, width, height, stream))
#else
#define STUB_HIP_7_FUNCTIONS(X)
#endif

#if STUB_HIP >= 600
#define STUB_HIP_6_FUNCTIONS(X)           \
	X(hipExtGetLastError, (void), ()) \
	X(hipSetValidDevices, (int *devices, int count), (devices, count))
#else
#define STUB_HIP_6_FUNCTIONS(X)
#endif

#define STUB_HIP_FUNCTIONS(X)                                                                     \
	X(hipInit, (unsigned flags), (flags))                                                     \
	X(hipRuntimeGetVersion, (int *version), (version))                                        \
	X(hipGetDeviceCount, (int *count), (count))                                               \
	X(hipGetDevice, (int *device), (device))                                                  \
	X(hipSetDevice, (int device), (device))                                                   \
	X(hipDeviceGetName, (char *name, int bytes, int device), (name, bytes, device))           \
	X(hipDeviceTotalMem, (size_t * bytes, int device), (bytes, device))                       \
	X(hipDeviceGetAttribute, (int *value, int attribute, int device),                         \
	  (value, attribute, device))                                                             \
	X(hipDeviceSynchronize, (void), ())                                                       \
	X(hipMalloc, (void **pointer, size_t bytes), (pointer, bytes))                            \
	X(hipFree, (void *pointer), (pointer))                                                    \
	X(hipHostMalloc, (void **pointer, size_t bytes, unsigned flags), (pointer, bytes, flags)) \
	X(hipHostFree, (void *pointer), (pointer))                                                \
	X(hipMemcpy, (void *to, const void *from, size_t bytes, int kind),                        \
	  (to, from, bytes, kind))                                                                \
	X(hipMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream),     \
	  (to, from, bytes, kind, stream))                                                        \
	X(hipMemsetAsync, (void *to, int value, size_t bytes, void *stream),                      \
	  (to, value, bytes, stream))                                                             \
	X(hipLaunchKernel,                                                                        \
	  (const void *function, struct dim blocks, struct dim items, void **arguments,           \
	   size_t shared, void *stream),                                                          \
	  (function, blocks, items, arguments, shared, stream))                                   \
	X(hipFuncGetAttributes, (void *attributes, const void *function), (attributes, function)) \
	X(hipStreamCreate, (void **stream), (stream))                                             \
	X(hipStreamDestroy, (void *stream), (stream))                                             \
	X(hipStreamSynchronize, (void *stream), (stream))                                         \
	X(hipStreamBeginCapture, (void *stream, int mode), (stream, mode))                        \
	X(hipStreamEndCapture, (void *stream, void **graph), (stream, graph))                     \
	X(hipStreamIsCapturing, (void *stream, int *status), (stream, status))                    \
	X(hipGraphInstantiate,                                                                    \
	  (void **executable, void *graph, void **node, char *text, size_t bytes),                \
	  (executable, graph, node, text, bytes))                                                 \
	X(hipGraphLaunch, (void *executable, void *stream), (executable, stream))                 \
	X(hipEventCreate, (void **event), (event))                                                \
	X(hipEventRecord, (void *event, void *stream), (event, stream))                           \
	X(hipEventSynchronize, (void *event), (event))                                            \
	X(hipEventDestroy, (void *event), (event))                                                \
	X(hipGetLastError, (void), ())                                                            \
	X(hipPeekAtLastError, (void), ())                                                         \
	STUB_HIP_6_FUNCTIONS(X)                                                                   \
	STUB_HIP_7_FUNCTIONS(X)

#define X(name, parameters, arguments) int name parameters;
STUB_HIP_FUNCTIONS(X)
#undef X

enum { HIP_HOST_TO_DEVICE = 1, HIP_DEVICE_TO_HOST, HIP_DEVICE_TO_DEVICE };

void __hipRegisterFunction(void **modules, const void *host, char *device, const char *name,
			   unsigned limit, void *tid, void *bid, void *block, void *grid,
			   int *size);
void stub_hip_code(const void *host, void (*code)(void **arguments));
const char *hipApiName(uint32_t id);
#if STUB_HIP >= 600
#define STUB_HIP_PROPERTIES hipGetDevicePropertiesR0600
#else
#define STUB_HIP_PROPERTIES hipGetDeviceProperties
#endif
int STUB_HIP_PROPERTIES(char *properties, int device);
const char *hipKernelNameRefByPtr(const void *function, void *stream);

#endif
