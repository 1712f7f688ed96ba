/* SPDX-License-Identifier: MIT */
/* Programs that have the stub CUPTI tell calls one by one: in one thread, of one device, context
 * and stream. */
#ifndef TANDEM_TESTS_STUBS_CUDA_TELL_H
#define TANDEM_TESTS_STUBS_CUDA_TELL_H

#include "abi.h"
#include "replay.h"

#define CONTEXT ((void *)0x10000)
#define STREAM ((void *)0x20000)

/* Callback ids, by cuda.api. */
enum {
	DRIVER_MODULE_LOAD_DATA = 19,
	DRIVER_MEM_ALLOC = 243,
	DRIVER_MEM_ALLOC_PITCH = 244,
	DRIVER_MEM_FREE = 245,
	DRIVER_ARRAY_CREATE = 272,
	DRIVER_ARRAY_3D_CREATE = 274,
	DRIVER_MEMCPY_2D = 287,
	DRIVER_MEMCPY_3D_ASYNC = 291,
	DRIVER_LAUNCH_KERNEL = 307,
	DRIVER_MEM_ALLOC_MANAGED = 371,
	DRIVER_STREAM_END_CAPTURE = 497,
	DRIVER_STREAM_BEGIN_CAPTURE = 539,
	RUNTIME_GET_ERROR_STRING = 12,
	RUNTIME_MALLOC = 20,
	RUNTIME_FREE = 22,
	RUNTIME_MEM_GET_INFO = 30,
	RUNTIME_MEMCPY = 31,
	RUNTIME_MEMCPY_3D = 144,
	RUNTIME_MEMCPY_3D_ASYNC = 145,
	RUNTIME_STREAM_CREATE = 129,
	RUNTIME_STREAM_SYNCHRONIZE = 131,
	RUNTIME_STREAM_QUERY = 132,
	RUNTIME_EVENT_CREATE = 133,
	RUNTIME_EVENT_RECORD = 135,
	RUNTIME_EVENT_DESTROY = 136,
	RUNTIME_EVENT_SYNCHRONIZE = 137,
	RUNTIME_STREAM_WAIT_EVENT = 147,
	RUNTIME_DEVICE_SYNCHRONIZE = 165,
	RUNTIME_STREAM_DESTROY = 201,
	RUNTIME_LAUNCH_KERNEL = 211,
	RUNTIME_MEMCPY_ASYNC = 41,
	RUNTIME_MEMCPY_ARRAY_ASYNC = 45,
	RUNTIME_FUNC_SET_ATTRIBUTE = 273,
	RUNTIME_LAUNCH_HOST_FUNC = 284,
	RUNTIME_GRAPH_ADD_HOST_NODE = 296,
	RUNTIME_GRAPH_LAUNCH = 311,
	RUNTIME_LAUNCH_KERNEL_EX = 430,
	RUNTIME_INIT_MODULE = 501,
};

/* After tell_begin(), which initialises CUDA and returns 0, or else fails. */
extern const struct stub_cupti *tell_cupti;
int tell_begin(void);

/* A program's cases, which end with NULL. */
struct tell_case {
	const char *name;
	void (*run)(void);
};

#define TELL_CASE(function)                        \
	{                                          \
		.name = #function, .run = function \
	}

/* The case that the first word names, after tell_begin(). Else `run` is NULL and what main()
 * returns is returned: without a word their names are printed. */
int tell_begin_case(int argc, char **argv, const struct tell_case *cases, void (**run)(void));

/* A call, with the next correlation id; its arguments are borrowed. */
extern uint32_t tell_correlation; /* of the latest */
extern uint64_t tell_between;	  /* what joins its end to its entry */
struct call tell_make(const char *function, const void *arguments);

void tell_enter(uint32_t domain, uint32_t id, struct call *call);
void tell_leave(uint32_t domain, uint32_t id, struct call *call);
void tell_both(uint32_t domain, uint32_t id, struct call *call);

struct launch { /* cudaLaunchKernel_v7000_params */
	const void *function;
	uint32_t grid[3], block[3];
	void **arguments;
	size_t shared_bytes;
	void *stream;
};

struct kernel { /* CUpti_ActivityKernel8 */
	uint32_t kind, config[3];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3], shared[2];
	uint32_t local[2], correlation;
	int64_t grid_id;
	const char *name;
	uint64_t rest[10];
};

#endif
