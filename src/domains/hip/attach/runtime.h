/* SPDX-License-Identifier: MIT */
/* The HIP runtime that this process has loaded: its library and the functions that we call
 * ourselves. Calls of ours are made between hip_in_tool_begin() and _end() (thread.h). */
#ifndef TANDEM_DOMAINS_HIP_RUNTIME_H
#define TANDEM_DOMAINS_HIP_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/process.h"

/* X(name, returned, parameters) */
#define HIP_FUNCTIONS(X)                                                                        \
	X(hipGetDevice, int32_t, (int32_t * device))                                            \
	X(hipGetDeviceCount, int32_t, (int32_t * count))                                        \
	X(hipDeviceGetName, int32_t, (char *name, int32_t bytes, int32_t device))               \
	X(hipDeviceTotalMem, int32_t, (size_t * bytes, int32_t device))                         \
	X(hipDeviceGetAttribute, int32_t, (int32_t * value, int32_t attribute, int32_t device)) \
	X(hipGetDevicePropertiesR0600, int32_t, (void *properties, int32_t device))             \
	X(hipGetDeviceProperties, int32_t, (void *properties, int32_t device))                  \
	X(hipDeviceGetPCIBusId, int32_t, (char *name, int32_t bytes, int32_t device))           \
	X(hipRuntimeGetVersion, int32_t, (int32_t * version))                                   \
	X(hipPeekAtLastError, int32_t, (void))                                                  \
	X(hipStreamIsCapturing, int32_t, (const void *stream, int32_t *status))                 \
	X(hipApiName, const char *, (uint32_t id))                                              \
	X(hipFuncGetAttributes, int32_t, (void *attributes, const void *function))              \
	X(hipKernelNameRef, const char *, (const void *function))                               \
	X(hipKernelNameRefByPtr, const char *, (const void *symbol, void *stream))              \
	X(hipRegisterTracerCallback, void, (int (*report)(uint32_t, uint32_t, void *)))         \
	X(hipRegisterApiCallback, int32_t, (uint32_t id, void *callback, void *data))           \
	X(hipRegisterActivityCallback, int32_t, (uint32_t id, void *callback, void *data))      \
	X(hipInitActivityCallback, void, (void *id_callback, void *callback, void *data))       \
	X(hipEnableActivityCallback, bool, (uint32_t operation, bool on))

struct hip_runtime {
	char path[256];
	uint32_t major, minor; /* of the library's file; 0: not known */
#define X(name, returned, parameters) returned(*name) parameters; /* NULL: it has none */
	HIP_FUNCTIONS(X)
#undef X
};

extern struct hip_runtime hip_runtime;

/* Finds the library where it is loaded already. 0, or -ENOENT. */
int hip_runtime_find(void);

/* The one that has this function; `library`: to ask for others. Again: the same. */
void hip_runtime_take(const void *function, void *library);

/* Whether there are devices, asked once, before a call of the program's: in a process
 * without, every call returns hipErrorNoDevice. */
bool hip_runtime_has_devices(void);

#define HIP_ERROR_NO_DEVICE 100

/* What its calls are recorded by; TANDEM_HIP_GENERATION_*. */
void hip_runtime_recorded_by(uint8_t generation, bool operations, uint32_t unknown_functions);

void hip_runtime_describe_now(void);
extern _Atomic uint32_t hip_runtime_described; /* the statedump + 1 */

/* Before the first record of the domain: opens the process, and describes the runtime. */
static inline void hip_runtime_describe(void)
{
	if (tandem_unlikely(atomic_load_explicit(&hip_runtime_described, memory_order_relaxed) !=
			    tandem_process_statedump() + 1))
		hip_runtime_describe_now();
}

#endif
