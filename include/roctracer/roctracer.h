/* SPDX-License-Identifier: MIT */
/* ROCTracer's interface, version 4.1, over Tandem's tracer (tandem/tracer.h): clients of
 * ROCTracer are compiled with it, and run on libroctracer64.so.4, without a change. The
 * functions are the specification's; doc/ROCTRACER.md says where that, ROCTracer's own
 * headers and this differ. Every function may be called in any thread. */
#ifndef TANDEM_ROCTRACER_H
#define TANDEM_ROCTRACER_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "ext/prof_protocol.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define ROCTRACER_VERSION_4_1
#define ROCTRACER_VERSION_MAJOR 4
#define ROCTRACER_VERSION_MINOR 1
#define ROCTRACER_API

uint32_t roctracer_version_major(void);
uint32_t roctracer_version_minor(void);

/* The specification's names. */
static inline uint32_t roctracer_major_version(void)
{
	return roctracer_version_major();
}

static inline uint32_t roctracer_minor_version(void)
{
	return roctracer_version_minor();
}

typedef enum {
	ROCTRACER_STATUS_SUCCESS = 0,
	ROCTRACER_STATUS_ERROR = -1,
	ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID = -2,
	ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT = -3,
	ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED = -4,
	ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED = -5,
	ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION = -6,
	ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID = -7,
	ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED = -8,
	/* Of earlier versions. */
	ROCTRACER_STATUS_UNINIT = 2,
	ROCTRACER_STATUS_BREAK = 3,
	ROCTRACER_STATUS_BAD_DOMAIN = ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
	ROCTRACER_STATUS_BAD_PARAMETER = ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	ROCTRACER_STATUS_HIP_API_ERR = 6,
	ROCTRACER_STATUS_HIP_OPS_ERR = 7,
	ROCTRACER_STATUS_HCC_OPS_ERR = ROCTRACER_STATUS_HIP_OPS_ERR,
	ROCTRACER_STATUS_HSA_ERR = 7,
	ROCTRACER_STATUS_ROCTX_ERR = 8
} roctracer_status_t;

/* What the thread's last failure was, in words; "" where there was none. The caller frees it. */
const char *roctracer_error_string(void);

typedef activity_domain_t roctracer_domain_t;

/* The name of an operation: of a function by `op`, of what devices do by `kind`, as records
 * have it. NULL: the domain or operation is invalid. */
const char *roctracer_op_string(uint32_t domain, uint32_t op, uint32_t kind);

/* The specification's sample has it. */
static inline const char *roctracer_id_string(uint32_t domain, uint32_t op)
{
	return roctracer_op_string(domain, op, 0);
}

/* The function of that name. ERROR_INVALID_ARGUMENT: there is none; ERROR_INVALID_DOMAIN_ID. */
roctracer_status_t roctracer_op_code(uint32_t domain, const char *str, uint32_t *op,
				     uint32_t *kind);

roctracer_status_t roctracer_set_properties(roctracer_domain_t domain, void *properties);

/* --- callbacks ------------------------------------------------------------------------- */

typedef activity_rtapi_callback_t roctracer_rtapi_callback_t;

roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op,
						activity_rtapi_callback_t callback, void *arg);
roctracer_status_t roctracer_enable_domain_callback(activity_domain_t domain,
						    activity_rtapi_callback_t callback, void *arg);
roctracer_status_t roctracer_enable_callback(activity_rtapi_callback_t callback, void *arg);
roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain);
roctracer_status_t roctracer_disable_callback(void);

/* --- activity records ------------------------------------------------------------------ */

typedef activity_record_t roctracer_record_t;

roctracer_status_t roctracer_next_record(const activity_record_t *record,
					 const activity_record_t **next);

/* *ptr NULL: allocates; size 0: frees. */
typedef void (*roctracer_allocator_t)(char **ptr, size_t size, void *arg);
typedef void (*roctracer_buffer_callback_t)(const char *begin, const char *end, void *arg);

typedef struct {
	uint32_t mode;	    /* 0: the program waits while both buffers are full, as ROCTracer
			     * does; ROCTRACER_MODE_DROP: records are dropped */
	size_t buffer_size; /* bytes of each of two buffers; at least 2 KiB are taken */
	roctracer_allocator_t alloc_fun;
	void *alloc_arg;
	roctracer_buffer_callback_t buffer_callback_fun;
	void *buffer_callback_arg;
} roctracer_properties_t;

#define ROCTRACER_MODE_DROP 0x7464u

typedef void roctracer_pool_t;

roctracer_status_t roctracer_open_pool_expl(const roctracer_properties_t *properties,
					    roctracer_pool_t **pool);
roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties);
roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *pool);
roctracer_status_t roctracer_close_pool(void);
roctracer_pool_t *roctracer_default_pool_expl(roctracer_pool_t *pool);
roctracer_pool_t *roctracer_default_pool(void);

roctracer_status_t roctracer_enable_op_activity_expl(activity_domain_t domain, uint32_t op,
						     roctracer_pool_t *pool);
roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_enable_domain_activity_expl(activity_domain_t domain,
							 roctracer_pool_t *pool);
roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain);
roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool);
roctracer_status_t roctracer_enable_activity(void);
roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain);
roctracer_status_t roctracer_disable_activity(void);

roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *pool);
roctracer_status_t roctracer_flush_activity(void);

/* CLOCK_MONOTONIC, as all times of records. */
roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp);

/* Of earlier versions: they do nothing but roctracer_mark(), which marks. */
int roctracer_load(void);
void roctracer_unload(void);
void roctracer_flush_buf(void);
void roctracer_mark(const char *message);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
