/* The CUDA domain: what its files share.
 *
 *   inject.c    the way in: CUDA loads us and calls InitializeInjection()
 *   library.c   finds CUPTI; driver.c the few functions of libcuda that we ask
 *   callback.c  CUPTI's callbacks: calls, contexts, streams, modules
 *   call.c      the record of one call, by the tables of gen/api.c (api.h)
 *   memory.c    allocations, as the driver's calls make them
 *   module.c    loaded device code
 *   activity.c  CUPTI's activity buffers: lent, given back full, read
 *   operation.c one activity as an operation record; unified.c of unified memory
 *   external.c  numbers that the program gave to what it launches
 *   shape.c     what launches and copies have in common; names.c of kernels
 *   describe.c  devices, contexts and streams as records
 *   drain.c     what is finished is written at intervals, and at the exit
 *   capture.c   the program's own marks switch the recording
 *
 * Calls are recorded in the thread that makes them, under the rules at the top
 * of core/stream.h. What the device did comes in buffers, in a thread of CUPTI's.
 * Both sides know CUPTI's correlation id of the call: it makes the operation id.
 */
#ifndef TANDEM_DOMAINS_CUDA_CUDA_H
#define TANDEM_DOMAINS_CUDA_CUDA_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/call.h"
#include "core/control.h"
#include "core/process.h"
#include "domains/cuda/api.h"
#include "domains/cuda/cupti.h"
#include "schema/cuda.h"
#include "schema/gen/core_records.h"
#include "schema/gen/cuda_records.h"

/* CUPTI's functions; valid once cuda_library_open() gave 0. */
extern struct cupti cupti;
extern uint32_t cupti_version;

static inline bool cuda_wanted(enum tandem_cuda_choice choice)
{
	return tandem_choices(TANDEM_DOMAIN_cuda) >> choice & 1;
}

/* Whether the program's own marks let the recording be on (capture.c); closed for
 * good once CUDA is of no use (cuda_die). */
extern _Atomic uint32_t cuda_gate;

static inline bool cuda_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(cuda) &&
	       atomic_load_explicit(&cuda_gate, memory_order_relaxed);
}

/* Set in the child of a fork and after a fatal error: CUDA is of no use there,
 * and CUPTI would wait for threads that do not exist. */
extern _Atomic uint32_t cuda_dead;

void cuda_die(void);

static inline bool cuda_is_dead(void)
{
	return atomic_load_explicit(&cuda_dead, memory_order_relaxed);
}

/* --- one thread */

#define CUDA_NEST 8u

struct cuda_open_call {
	struct tandem_call call;
	uint32_t correlation;
	uint32_t generation; /* of the subscription: an exit may never be told */
	bool runtime;
	bool has_status; /* the function returns one */
};

struct cuda_thread {
	uint32_t inside; /* a call of our own is under way: nobody's business */
	int saved_errno; /* when it began: only such calls can change errno */
	uint32_t depth;
	struct cuda_open_call open[CUDA_NEST];
	const void *queue_handle; /* the latest stream: nearly always the next */
	uint32_t queue_context, queue_number;
	uint64_t queue_valid;
};

extern __thread struct cuda_thread cuda_thread __attribute__((tls_model("initial-exec")));

static inline void cuda_inside_begin(void)
{
	if (!cuda_thread.inside++)
		cuda_thread.saved_errno = errno;
}

static inline void cuda_inside_end(void)
{
	if (!--cuda_thread.inside)
		errno = cuda_thread.saved_errno;
}

/* --- operation ids (schema/packet.h, TANDEM_OP_RUNTIME) */

/* A correlation id near this one was seen last; ids have 32 bits and wrap. */
extern _Atomic uint64_t cuda_correlation_latest;

static inline uint64_t cuda_op(uint32_t correlation)
{
	uint64_t latest = atomic_load_explicit(&cuda_correlation_latest, memory_order_relaxed);
	int64_t distance = (int32_t)(correlation - (uint32_t)latest);
	uint64_t full = latest + (uint64_t)distance;

	if (!correlation)
		return 0;
	if (tandem_unlikely(!latest)) {
		full = correlation;
		distance = INT32_MAX;
	}
	/* Seldom, so that the word stays shared in every core's cache. */
	if (tandem_unlikely(distance > 1 << 20))
		atomic_store_explicit(&cuda_correlation_latest, full, memory_order_relaxed);
	return TANDEM_OP_RUNTIME | (full & TANDEM_OP_COUNT_MASK);
}

/* --- what a callback hands over */

/* Any of its pointers may be NULL: a function without arguments has none, one that
 * returns no status (CUDA_NO_STATUS) has no result, or one of another type and size. */

/* Whether an API function that returns a status said that it did what was asked. */
static inline bool cuda_call_succeeded(const struct cupti_call *data)
{
	const int32_t *status = data->result;

	return status && !*status;
}

/* An argument of the call at `offset` of its arguments. */
#define CUDA_ARGUMENT(call, type, offset)                                      \
	(*(const type *)((const uint8_t *)(call)->arguments + (offset)))

/* call.c */
void cuda_call_begin(struct tandem_call *call, const struct cuda_api *api,
		     const struct cupti_call *data);

/* Streams that are being captured into a graph make no operations. */
extern _Atomic uint32_t cuda_captures;

/* callback.c: takes CUPTI. 0, or a CUptiResult. */
int cuda_subscribe(void);
void cuda_callbacks_switch(bool on);

/* activity.c: what was asked for, less what CUPTI refuses. */
void cuda_activity_begin(void);
void cuda_activity_switch(bool on);
void cuda_activity_unified(void); /* managed memory is in use from now on */
bool cuda_activity_own_clock(void);

/* Whether CUPTI holds a buffer that may have something in it. */
bool cuda_activity_outstanding(void);

/* operation.c, unified.c: one activity record. */
void cuda_operation_kernel(const struct cupti_kernel *kernel);
void cuda_operation_copy(const struct cupti_copy *copy);
void cuda_operation_peer_copy(const struct cupti_peer_copy *copy);
void cuda_operation_memset(const struct cupti_memset *fill);
void cuda_operation_graph(const struct cupti_graph *graph);
void cuda_external_number(const struct cupti_external *external);
void cuda_external_call(const struct cupti_api *call);
void cuda_unified_write(const struct cupti_unified *unified);

struct cuda_operation { /* what all kinds have */
	uint32_t correlation;
	uint32_t queue, kernel, shape;
	uint8_t kind;
	uint64_t bytes, queued, submitted, start, end;
};

void cuda_operation_write(const struct cuda_operation *operation);

/* describe.c: our numbers, with a record where the object was not known. */
uint32_t cuda_device(uint32_t device);

/* All devices, once an epoch, in a thread of the program, before CUPTI's own thread
 * needs them: the driver is asked, and who knows what it holds while it delivers. */
extern _Atomic uint64_t cuda_devices_described; /* epoch + 1 */
void cuda_devices_describe_all(void);

static inline void cuda_devices_describe(void)
{
	if (tandem_unlikely(atomic_load_explicit(&cuda_devices_described, memory_order_relaxed) !=
			    (uint64_t)tandem_process_epoch() + 1))
		cuda_devices_describe_all();
}

uint32_t cuda_context(uint32_t id, uint32_t device);
uint32_t cuda_queue(uint32_t device, uint32_t context, uint32_t stream);
uint32_t cuda_unified_queue(uint32_t device);
uint32_t cuda_queue_of(void *context, uint32_t context_id, const void *stream, bool per_thread);
void cuda_queue_created(void *context, void *stream);
void cuda_queue_destroyed(void *stream);
uint32_t cuda_device_of(void *context);

/* names.c */
uint32_t cuda_kernel(const char *name);

/* shape.c: called with cuda_activity's lock held. */
uint32_t cuda_launch_shape(const struct cupti_kernel *kernel, uint32_t number);
uint32_t cuda_transfer_shape(const struct tandem_rec_transfer_shape *shape);

/* memory.c, module.c */
void cuda_memory_called(uint32_t id, const struct cupti_call *data);
uint32_t cuda_memory_next(uint32_t id); /* the next driver call that matters, or 0 */
void cuda_module_loaded(const struct cupti_module *module);

/* callback.c: this thread's calls under way end here, as far as we are told. */
void cuda_calls_close(void);

/* capture.c: switches CUPTI on or off, as the session and the program's marks
 * want it now. */
void cuda_switch(void);
void cuda_switch_ready(void); /* CUPTI is there */
void cuda_capture_begin(void);
void cuda_capture_profiler(bool start);

/* drain.c */
void cuda_drain_begin(void);

/* driver.c: answers of libcuda; 0 where it has none. */
void cuda_driver_find(void);
uint32_t cuda_driver_version(void);
bool cuda_driver_has_devices(void);
int32_t cuda_driver_attribute(uint32_t device, int32_t attribute);
uint64_t cuda_driver_memory_bytes(uint32_t device);
void cuda_driver_name(uint32_t device, char *name, int bytes);
bool cuda_driver_is_capturing(void *stream);

/* library.c: finds and opens CUPTI, the best one last tried first. 0, -ENOENT
 * (none), -ENOEXEC (only older ones). `path` says which. */
#define CUDA_PATH_BYTES 1024
int cuda_library_open(unsigned attempt, char path[CUDA_PATH_BYTES]);

/* inject.c: what records this process, as a record. */
void cuda_cupti_describe(void);

/* Something to tell the user (schema/cuda.h). */
void cuda_notice(enum tandem_cuda_notice notice);
void cuda_refused(enum tandem_cuda_activity_kind what, int32_t status);

#endif
