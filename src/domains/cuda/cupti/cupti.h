/* SPDX-License-Identifier: MIT */
/* As much of CUPTI's binary interface as this domain uses: the numbers, and the
 * layout of what it hands out. Declared here, so that building Tandem needs no
 * CUDA; tests/unit/cupti_abi.c compares it with NVIDIA's headers where those are
 * installed.
 *
 * Activity records only ever grow at their ends from one version to the next
 * (since CUDA 9 for kernels), so one layout serves every version that has the
 * last field read here: those of CUDA 12.0, CUPTI_VERSION_LEAST.
 */
#ifndef TANDEM_DOMAINS_CUDA_CUPTI_CUPTI_H
#define TANDEM_DOMAINS_CUDA_CUPTI_CUPTI_H

#include <stddef.h>
#include <stdint.h>

#define CUPTI_VERSION_LEAST 19u /* cuptiGetVersion() of CUDA 12.0 */

/* CUptiResult. */
enum {
	CUPTI_OK = 0,
	CUPTI_NO_MORE = 12, /* records in a buffer */
	CUPTI_NOT_READY = 13,
	CUPTI_MULTIPLE_SUBSCRIBERS = 39,
};

enum cupti_domain {
	CUPTI_DRIVER = 1,
	CUPTI_RUNTIME = 2,
	CUPTI_RESOURCE = 3,
	CUPTI_STATE = 6,
};

enum cupti_resource {
	CUPTI_CONTEXT_CREATED = 1,
	CUPTI_CONTEXT_DESTROYED = 2, /* is about to be */
	CUPTI_STREAM_CREATED = 3,
	CUPTI_STREAM_DESTROYED = 4,
	CUPTI_MODULE_LOADED = 6,
	CUPTI_MODULE_UNLOADED = 7, /* is about to be */
};

enum { CUPTI_FATAL_ERROR = 1 }; /* of CUPTI_STATE */

enum cupti_kind {
	CUPTI_KIND_COPY = 1,
	CUPTI_KIND_MEMSET = 2,
	CUPTI_KIND_KERNEL = 3,
	CUPTI_KIND_DRIVER = 4,
	CUPTI_KIND_RUNTIME = 5,
	CUPTI_KIND_CONCURRENT_KERNEL = 10,
	CUPTI_KIND_OVERHEAD = 17,
	CUPTI_KIND_PEER_COPY = 22,
	CUPTI_KIND_UNIFIED_MEMORY = 25,
	CUPTI_KIND_EXTERNAL = 39,
	CUPTI_KIND_GRAPH = 51,
};

enum { CUPTI_FLUSH_FORCED = 1 };

/* CUpti_CallbackData: one call of an API function. */
struct cupti_call {
	uint32_t site; /* 0 entry, 1 exit */
	const char *function;
	const void *arguments;
	const void *result; /* at the exit: of int32_t */
	const char *symbol; /* of a launch: the kernel's name */
	void *context;
	uint32_t context_id;
	uint64_t *between; /* kept from the entry to the exit */
	uint32_t correlation;
};

struct cupti_resource_data {
	void *context;
	void *stream;
	void *descriptor; /* of a module: cupti_module */
};

struct cupti_module {
	uint32_t id;
	size_t bytes;
	const char *cubin;
};

struct cupti_state {
	int32_t result;
	const char *message;
};

/* Activity records are packed to 8 bytes, so their fields lie as C would. */
struct cupti_kernel {
	uint32_t kind;
	uint8_t cache_config;
	uint8_t shared_config;
	uint16_t registers;
	uint32_t global_cache_requested;
	uint32_t global_cache_executed;
	uint64_t start;
	uint64_t end;
	uint64_t completed;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	int32_t grid[3];
	int32_t block[3];
	int32_t static_shared_bytes;
	int32_t dynamic_shared_bytes;
	uint32_t local_bytes_per_thread;
	uint32_t local_bytes_total;
	uint32_t correlation;
	int64_t grid_id;
	const char *name;
	void *reserved;
	uint64_t queued;
	uint64_t submitted;
	uint8_t launch_type;
	uint8_t carveout_requested;
	uint8_t carveout;
	uint8_t padding;
	uint32_t shared_config_bytes;
	uint64_t node;
	uint32_t shared_limit_config;
	uint32_t graph;
	void *access_policy;
	uint32_t channel;
	uint32_t channel_type;
	uint32_t cluster[3];
};

struct cupti_copy {
	uint32_t kind;
	uint8_t copy_kind;
	uint8_t source;
	uint8_t destination;
	uint8_t flags; /* 1: asynchronous */
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint32_t correlation;
	uint32_t runtime_correlation;
	uint32_t padding;
	void *reserved;
	uint64_t node;
	uint32_t graph;
};

struct cupti_peer_copy {
	uint32_t kind;
	uint8_t copy_kind;
	uint8_t source;
	uint8_t destination;
	uint8_t flags;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint32_t source_device;
	uint32_t source_context;
	uint32_t destination_device;
	uint32_t destination_context;
	uint32_t correlation;
	void *reserved;
	uint64_t node;
	uint32_t graph;
};

struct cupti_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint32_t correlation;
	uint16_t flags; /* 1: asynchronous */
	uint16_t memory_kind;
	uint32_t padding;
	void *reserved;
	uint64_t node;
	uint32_t graph;
};

struct cupti_graph {
	uint32_t kind;
	uint32_t correlation;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t graph;
	uint32_t context;
	uint32_t stream;
};

struct cupti_overhead {
	uint32_t kind;
	uint32_t overhead_kind;
	uint32_t object_kind;
	uint32_t object[3]; /* of a thread: process, thread */
	uint64_t start;
	uint64_t end;
};

struct cupti_external {
	uint32_t kind;
	uint32_t external_kind;
	uint64_t id;
	uint32_t correlation;
	uint32_t padding;
};

struct cupti_api { /* a call, as CUPTI itself records it */
	uint32_t kind;
	uint32_t function;
	uint64_t start;
	uint64_t end;
	uint32_t process;
	uint32_t thread;
	uint32_t correlation;
	uint32_t result;
};

enum { CUPTI_OBJECT_THREAD = 2 };
enum { CUPTI_THREAD_ID_SYSTEM = 1 };

enum cupti_unified_kind {
	CUPTI_UNIFIED_HTOD = 1,
	CUPTI_UNIFIED_DTOH = 2,
	CUPTI_UNIFIED_CPU_FAULTS = 3,
	CUPTI_UNIFIED_GPU_FAULTS = 4,
	CUPTI_UNIFIED_THRASHING = 5,
	CUPTI_UNIFIED_THROTTLING = 6,
	CUPTI_UNIFIED_REMOTE_MAP = 7,
	CUPTI_UNIFIED_DTOD = 8,
};

struct cupti_unified {
	uint32_t kind;
	uint32_t counter;
	uint64_t value;
	uint64_t start;
	uint64_t end;
	uint64_t address;
	uint32_t source; /* device, or CUPTI_HOST */
	uint32_t destination;
	uint32_t stream;
	uint32_t process;
	uint32_t flags;
};

#define CUPTI_HOST UINT32_MAX

struct cupti_unified_config {
	uint32_t scope; /* 1: one device */
	uint32_t kind;
	uint32_t device;
	uint32_t enable;
};

struct cupti_subscriber_options {
	size_t size;
	const char *name;
	char *other; /* who holds CUPTI, when another does */
	size_t other_bytes;
};

typedef void (*cupti_callback)(void *user, uint32_t domain, uint32_t id, const void *data);
typedef void (*cupti_request)(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void (*cupti_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			       size_t valid_bytes);

/* Functions: X(needed, name, parameters). Each returns a CUptiResult. */
#define CUPTI_FUNCTIONS(X)                                                                        \
	X(1, cuptiGetVersion, (uint32_t * version))                                               \
	X(1, cuptiGetResultString, (int32_t result, const char **words))                          \
	X(1, cuptiSubscribe, (void **subscriber, cupti_callback, void *user))                     \
	X(0, cuptiSubscribe_v2,                                                                   \
	  (void **subscriber, cupti_callback, void *user, struct cupti_subscriber_options *))     \
	X(1, cuptiEnableCallback, (uint32_t on, void *subscriber, uint32_t domain, uint32_t id))  \
	X(1, cuptiEnableDomain, (uint32_t on, void *subscriber, uint32_t domain))                 \
	X(1, cuptiActivityRegisterCallbacks, (cupti_request, cupti_complete))                     \
	X(1, cuptiActivityEnable, (uint32_t kind))                                                \
	X(1, cuptiActivityDisable, (uint32_t kind))                                               \
	X(1, cuptiActivityGetNextRecord, (uint8_t * buffer, size_t valid_bytes, void **record))   \
	X(1, cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *count))  \
	X(1, cuptiActivityFlushAll, (uint32_t flag))                                              \
	X(0, cuptiActivityRegisterTimestampCallback, (uint64_t(*)(void)))                         \
	X(0, cuptiActivityConfigureUnifiedMemoryCounter,                                          \
	  (struct cupti_unified_config *, uint32_t count))                                        \
	X(0, cuptiActivityEnableLatencyTimestamps, (uint8_t on))                                  \
	X(0, cuptiSetThreadIdType, (int32_t type))                                                \
	X(1, cuptiGetStreamIdEx, (void *context, void *stream, uint8_t per_thread, uint32_t *id)) \
	X(1, cuptiGetContextId, (void *context, uint32_t *id))                                    \
	X(1, cuptiGetDeviceId, (void *context, uint32_t *id))

struct cupti {
#define X(needed, name, parameters) int32_t(*name) parameters;
	CUPTI_FUNCTIONS(X)
#undef X
};

#endif
