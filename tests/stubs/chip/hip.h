/* SPDX-License-Identifier: MIT */
/* Some of HIP's functions, as its headers declare them. */
#ifndef TANDEM_TESTS_STUBS_CHIP_HIP_H
#define TANDEM_TESTS_STUBS_CHIP_HIP_H

#include <stddef.h>

enum { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2 };
enum { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };

int hipInit(unsigned flags);
int hipGetDeviceCount(int *count);
int hipGetDevice(int *device);
int hipDeviceGetName(char *name, int bytes, int device);
int hipMalloc(void **pointer, size_t bytes);
int hipFree(void *pointer);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
int hipMemcpyHtoD(void *to, void *from, size_t bytes);
int hipModuleLoadData(void **module, const void *image);
int hipModuleUnload(void *module);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
			  unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared,
			  void *stream, void **arguments, void **extra);
int hipDeviceSynchronize(void);
const char *hipGetErrorName(int error);

#ifdef LOOKUP
#include "../lookup.h"
#define hipInit LOOKED_UP(hipInit)
#define hipGetDeviceCount LOOKED_UP(hipGetDeviceCount)
#define hipGetDevice LOOKED_UP(hipGetDevice)
#define hipDeviceGetName LOOKED_UP(hipDeviceGetName)
#define hipMalloc LOOKED_UP(hipMalloc)
#define hipFree LOOKED_UP(hipFree)
#define hipMemcpy LOOKED_UP(hipMemcpy)
#define hipMemcpyHtoD LOOKED_UP(hipMemcpyHtoD)
#define hipModuleLoadData LOOKED_UP(hipModuleLoadData)
#define hipModuleUnload LOOKED_UP(hipModuleUnload)
#define hipModuleGetFunction LOOKED_UP(hipModuleGetFunction)
#define hipModuleLaunchKernel LOOKED_UP(hipModuleLaunchKernel)
#define hipDeviceSynchronize LOOKED_UP(hipDeviceSynchronize)
#define hipGetErrorName LOOKED_UP(hipGetErrorName)
#endif

#endif
