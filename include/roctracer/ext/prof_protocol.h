/* SPDX-License-Identifier: MIT */
/* ROCTracer's records and domains: the layouts and numbers that clients of ROCTracer 4.1
 * were built against. doc/ROCTRACER.md lists what differs from it. */
#ifndef TANDEM_ROCTRACER_PROF_PROTOCOL_H
#define TANDEM_ROCTRACER_PROF_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef enum {
	ACTIVITY_DOMAIN_HSA_API = 0,
	ACTIVITY_DOMAIN_HSA_OPS = 1,
	ACTIVITY_DOMAIN_HIP_OPS = 2,
	ACTIVITY_DOMAIN_HCC_OPS = ACTIVITY_DOMAIN_HIP_OPS,
	ACTIVITY_DOMAIN_HIP_VDI = ACTIVITY_DOMAIN_HIP_OPS,
	ACTIVITY_DOMAIN_HIP_API = 3,
	ACTIVITY_DOMAIN_KFD_API = 4,
	ACTIVITY_DOMAIN_EXT_API = 5,
	ACTIVITY_DOMAIN_ROCTX = 6,
	ACTIVITY_DOMAIN_HSA_EVT = 7,
	ACTIVITY_DOMAIN_NUMBER,

	/* Tandem's own: runtimes that ROCTracer does not know. */
	ACTIVITY_DOMAIN_OPENCL_API = 32,
	ACTIVITY_DOMAIN_OPENCL_OPS = 33,
	ACTIVITY_DOMAIN_CUDA_API = 34,
	ACTIVITY_DOMAIN_CUDA_OPS = 35,
	ACTIVITY_DOMAIN_CUDART_API = 36
} activity_domain_t;

typedef enum { ACTIVITY_EXT_OP_MARK = 0, ACTIVITY_EXT_OP_EXTERN_ID = 1 } activity_ext_op_t;

typedef enum { ACTIVITY_API_PHASE_ENTER = 0, ACTIVITY_API_PHASE_EXIT = 1 } activity_api_phase_t;

/* The specification's names. */
#define ROCTRACER_API_PHASE_ENTER ACTIVITY_API_PHASE_ENTER
#define ROCTRACER_API_PHASE_EXIT ACTIVITY_API_PHASE_EXIT

typedef uint32_t activity_kind_t;
typedef uint32_t activity_op_t;
typedef uint64_t activity_correlation_id_t;
typedef uint64_t roctracer_timestamp_t;

typedef void (*activity_rtapi_callback_t)(uint32_t domain, uint32_t cid, const void *data,
					  void *arg);

typedef struct activity_record_s {
	uint32_t domain;      /* activity_domain_t */
	activity_kind_t kind; /* of an operation: cl_command_type, as HIP has it */
	activity_op_t op;
	union {
		struct {
			activity_correlation_id_t correlation_id;
			roctracer_timestamp_t begin_ns;
			roctracer_timestamp_t end_ns;
		};
		struct {
			uint32_t se;
			uint64_t cycle;
			uint64_t pc;
		} pc_sample;
	};
	union {
		struct { /* of an operation */
			int device_id;
			uint64_t queue_id;
		};
		struct { /* of a call */
			uint32_t process_id;
			uint32_t thread_id;
		};
		struct { /* of ACTIVITY_DOMAIN_EXT_API */
			activity_correlation_id_t external_id;
		};
	};
	union {
		size_t bytes;
		const char *kernel_name; /* of a dispatch */
		const char *mark_message;
	};
} activity_record_t;

/* What callbacks of Tandem's own domains get; begins as hip_api_data_t does. */
typedef struct {
	uint64_t correlation_id;
	uint32_t phase;
	int32_t result;	      /* at exit */
	const void *args;     /* struct opencl_args_NAME, cuda_args_NAME (tandem/ *_args.h) */
	uint64_t *phase_data; /* a word that travels from entry to exit */
} tandem_api_data_t;

typedef void *(*activity_sync_callback_t)(uint32_t cid, activity_record_t *record, const void *data,
					  void *arg);
typedef void (*activity_id_callback_t)(activity_correlation_id_t id);
typedef void (*activity_async_callback_t)(uint32_t op, void *record, void *arg);

#endif
