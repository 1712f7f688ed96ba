/* SPDX-License-Identifier: MIT */
/* Tandem's tracer: a tool in the process is called at the entry and exit of API calls, and
 * gets records of calls and of what devices did. One API over all runtimes that Tandem
 * traces; link libtandem-tracer, or open it by dlopen(). doc/TRACER.md has more.
 *
 *	struct tandem_tracer *tracer;
 *	struct tandem_tracer_pool_properties properties = {
 *		.struct_size = sizeof(properties), .deliver = print_records};
 *	tandem_tracer_pool_t pool;
 *
 *	tandem_tracer_create(&tracer);
 *	tandem_tracer_pool_open(&properties, &pool);
 *	tandem_tracer_activity_enable(tracer, tandem_tracer_domain("opencl"),
 *				      TANDEM_TRACER_OPERATION, TANDEM_TRACER_ALL, pool);
 *	...
 *	tandem_tracer_pool_close(pool);
 *
 * Return values: functions that return int give 0, or a negative errno and have changed
 * nothing; tandem_tracer_error() says in words what the thread's last failure was. Of every
 * function: -EINVAL for a null pointer where one is needed, for a number out of range and
 * for a struct_size that is none. -ENODEV is for a domain that is not known.
 *
 * Structs begin with their size, which whoever makes them sets; later versions only append.
 *
 * Threads: every function may be called in any thread, also in a callback; not in a signal
 * handler, but for tandem_tracer_timestamp(). Callbacks come in the thread that makes the
 * call, also in a signal handler that calls a traced function. Traced functions that a
 * callback calls are neither reported nor recorded; nor are those of a pool's callback; nor
 * those of a signal handler that interrupts a callback, or the library's own work at a call's
 * entry or exit. A signal does not part an entry from its exit. Calls may nest (a runtime calls
 * the program back) up to 64 deep in a thread: deeper ones have an entry, and no exit or record.
 *
 * Changes take effect at the next call: one that is under way when its callback is enabled
 * has no exit; one whose callback is disabled gets no exit either. A callback that is left by
 * longjmp() has been left, at the latest with the thread's next call, which is traced again. A
 * signal handler may leave a call anywhere: a record that it leaves in the making is dropped and
 * counted.
 *
 * A program that runs under `tandem record` may use this too: both see the same ids.
 * In the child of a fork, callbacks go on; pools and what is recorded into them are the
 * parent's, and the child opens its own (-EBADF).
 *
 * A library stays loaded for good once it has given a function to be called: dlclose() of it
 * does no harm.
 */
#ifndef TANDEM_TRACER_H
#define TANDEM_TRACER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define TANDEM_TRACER_VERSION_MAJOR 1
#define TANDEM_TRACER_VERSION_MINOR 0

/* Of the library: major << 16 | minor. Compatible while major is the same and minor not less. */
uint32_t tandem_tracer_version(void);

/* What went wrong last in this thread, in words; "" where nothing did. Valid until the
 * thread's next call of this library. */
const char *tandem_tracer_error(void);

/* --- domains and operations ----------------------------------------------------------- */

/* A domain is a traced runtime, or the program's own annotations. Its number never changes.
 * Kinds: its API functions, and what it has its devices do. Operations of the first kind
 * are its functions, numbered from 1; of the second, enum tandem_tracer_operation. */
#define TANDEM_TRACER_ALL UINT32_MAX

enum tandem_tracer_kind { TANDEM_TRACER_API = 0, TANDEM_TRACER_OPERATION = 1 };

enum tandem_tracer_operation {
	TANDEM_TRACER_KERNEL = 0,
	TANDEM_TRACER_COPY_TO_DEVICE = 1,
	TANDEM_TRACER_COPY_TO_HOST = 2,
	TANDEM_TRACER_COPY_ON_DEVICE = 3,
	TANDEM_TRACER_FILL = 4,
	TANDEM_TRACER_MAP = 5,
	TANDEM_TRACER_UNMAP = 6,
	TANDEM_TRACER_MIGRATE = 7,
	TANDEM_TRACER_BARRIER = 8,
	TANDEM_TRACER_MARKER = 9,
	TANDEM_TRACER_OTHER = 10,
};

/* The functions of the domain "annotation". */
enum tandem_tracer_annotation {
	TANDEM_TRACER_MARK = 1,
	TANDEM_TRACER_RANGE_PUSH = 2,
	TANDEM_TRACER_RANGE_POP = 3,
	TANDEM_TRACER_RANGE_START = 4,
	TANDEM_TRACER_RANGE_STOP = 5,
};

/* The number of "opencl", "cuda" (CUDA's driver API, and what its devices do), "cudart" (its
 * runtime API), "annotation" and so on. -ENODEV: no such domain. */
int tandem_tracer_domain(const char *name);

/* Its name; NULL: no such domain. Static. */
const char *tandem_tracer_domain_string(uint32_t domain);

/* The domain after this one, TANDEM_TRACER_ALL for the first; TANDEM_TRACER_ALL: no more. */
uint32_t tandem_tracer_domain_next(uint32_t domain);

/* The name of an operation; NULL: no such domain, kind or operation. Static. */
const char *tandem_tracer_op_string(uint32_t domain, uint32_t kind, uint32_t op);

/* The name of a function: tandem_tracer_op_string() with TANDEM_TRACER_API. */
const char *tandem_tracer_id_string(uint32_t domain, uint32_t op);

/* The operation of that name, of either kind. `kind` may be NULL. -ENOENT: no such name. */
int tandem_tracer_op_code(uint32_t domain, const char *name, uint32_t *op, uint32_t *kind);

/* The operation after this one, TANDEM_TRACER_ALL for the first; TANDEM_TRACER_ALL: no more. */
uint32_t tandem_tracer_op_next(uint32_t domain, uint32_t kind, uint32_t op);

/* --- a tool ---------------------------------------------------------------------------- */

/* What one tool has enabled. At most 7 at once. */
struct tandem_tracer;

/* Owner: the caller, until tandem_tracer_destroy(). It is started. -ENOSPC: too many. */
int tandem_tracer_create(struct tandem_tracer **tracer);

/* Disables all. NULL: nothing is done. Waits for its callbacks in other threads as
 * tandem_tracer_callback_disable() does, and then frees it; -EBUSY: one is there still, and
 * the memory is kept. */
int tandem_tracer_destroy(struct tandem_tracer *tracer);

/* Between stop and start nothing is called and nothing recorded, and nothing is paid for.
 * Again: 0. */
int tandem_tracer_start(struct tandem_tracer *tracer);
int tandem_tracer_stop(struct tandem_tracer *tracer);

/* --- callbacks ------------------------------------------------------------------------- */

enum tandem_tracer_phase {
	TANDEM_TRACER_ENTER = 0,
	TANDEM_TRACER_EXIT = 1, /* of what has no duration, as an annotation, there is none */
};

struct tandem_tracer_call {
	size_t struct_size;
	uint32_t domain;
	uint32_t op;
	uint32_t phase;
	int32_t result; /* at exit: the function's status, returned or stored (errcode_ret); else 0 */

	/* Unique in the process, the same at entry and exit, in the call's activity record,
	 * in that of what it had a device do, and in a session of `tandem record` for what
	 * has an id there. Never 0. */
	uint64_t correlation_id;

	uint64_t time_ns;     /* CLOCK_MONOTONIC: the call's begin, or end */
	uint64_t external_id; /* the thread's innermost; 0: none */

	/* The arguments as the program passed them, and at exit what the function returned:
	 * struct NAME_args_FUNCTION (gen/args.h of the domain, in its installed header);
	 * struct tandem_tracer_range for annotations. NULL: it has neither. */
	const void *args;

	/* A word of the tool's that travels from entry to exit; 0 at entry. */
	uint64_t *data;

	uint32_t args_bytes; /* that may be read at `args`; 0: none, or not known */
};

struct tandem_tracer_range {
	const char *text; /* "" at a pop or stop */
	uint64_t range;	  /* of start and stop; else 0 */
};

typedef void (*tandem_tracer_callback_t)(const struct tandem_tracer_call *call, void *arg);

/* `callback` is called at entry and exit of the function `op` of the domain; with
 * TANDEM_TRACER_ALL of all its functions, or of all domains. It takes the place of one that
 * was enabled before. */
int tandem_tracer_callback_enable(struct tandem_tracer *tracer, uint32_t domain, uint32_t op,
				  tandem_tracer_callback_t callback, void *arg);

/* Then waits, up to a second, until no other thread is in a callback; not when called in a
 * callback. -EBUSY: disabled, but one is there still. */
int tandem_tracer_callback_disable(struct tandem_tracer *tracer, uint32_t domain, uint32_t op);

/* --- activity records ------------------------------------------------------------------ */

enum tandem_tracer_flags {
	TANDEM_TRACER_TIMED = 1,    /* begin_ns and end_ns are known */
	TANDEM_TRACER_EXTERNAL = 2, /* external_id is that of the thread */
	TANDEM_TRACER_INSTANT = 4,  /* an annotation: begin_ns and end_ns are the same */
};

struct tandem_tracer_record {
	size_t struct_size; /* the next record is so many bytes further */
	uint32_t domain;
	uint32_t kind;
	uint32_t op;
	uint32_t flags;
	uint64_t correlation_id; /* of the call; of a device's operation: of the call that asked */
	uint64_t external_id;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */

	/* Of an operation: begin_ns and end_ns may be off by so much with regard to the host's
	 * clock, not to each other. 0: they are the host's. UINT32_MAX: not known. */
	uint32_t error_ns;

	int32_t result; /* as of tandem_tracer_call; of an operation: 0, or the runtime's error */
	uint32_t process_id, thread_id; /* of a call: who made it; else 0 */
	uint32_t device, queue; /* of an operation: numbers as in a session, from 1; else 0 */
	uint64_t bytes;		/* that it moved or filled */
	const char *name; /* of a call: the function; of a kernel: its name; an annotation's text */
};

/* What `begin` and `end` enclose is valid during the callback; names of functions and kernels
 * for ever. In the pool's own thread, one call at a time. */
typedef void (*tandem_tracer_deliver_t)(const struct tandem_tracer_record *begin,
					const struct tandem_tracer_record *end, void *arg);

/* *ptr NULL: allocates `bytes` into *ptr, which stays NULL if it can't. Else frees *ptr;
 * `bytes` is 0. Called by tandem_tracer_pool_open() and _close() only. */
typedef void (*tandem_tracer_allocate_t)(char **ptr, size_t bytes, void *arg);

enum tandem_tracer_full {
	TANDEM_TRACER_DROP = 0, /* records that find no room are counted, and dropped */
	TANDEM_TRACER_WAIT = 1, /* the program waits until its callback has made room; where a
				 * thread was stopped in the middle of a record, some seconds */
};

struct tandem_tracer_pool_properties {
	size_t struct_size;
	size_t buffer_bytes; /* of each of two buffers; 0: 256 KiB; at least 2 KiB are taken */
	uint32_t full;	     /* enum tandem_tracer_full */
	uint32_t unused;     /* 0 */
	tandem_tracer_deliver_t deliver; /* called when a buffer is full or flushed */
	void *deliver_arg;
	tandem_tracer_allocate_t allocate; /* NULL: the library's own memory */
	void *allocate_arg;
};

struct tandem_tracer_pool_counts {
	size_t struct_size;
	uint64_t delivered, dropped; /* records */
};

typedef uint64_t tandem_tracer_pool_t; /* never 0 */

/* Starts a thread, in which all signals are blocked. -ENOMEM; -ENOSPC: 64 are open; -EAGAIN: no
 * thread. */
int tandem_tracer_pool_open(const struct tandem_tracer_pool_properties *properties,
			    tandem_tracer_pool_t *pool);

/* Disables what records into the pool, waits for those who write, delivers what is there, and
 * frees it. -EBADF: it is not open; -EDEADLK: from its own callback, or another's; -EBUSY:
 * closed, but a thread did not leave a callback within a second: its memory is kept. A pool
 * that is open when the program exits is closed by an exit handler, which is registered when
 * it is opened and again after the first delivery, so that what the tool made before then
 * still exists; nothing is called afterwards, and closing or flushing it then is 0. */
int tandem_tracer_pool_close(tandem_tracer_pool_t pool);

/* Asks runtimes for what has completed, and delivers all that has been recorded: returns when
 * the pool's callback has. -EBADF, -EDEADLK as above; -EAGAIN: another thread is writing a
 * record, which and what follows it come with a later flush. */
int tandem_tracer_pool_flush(tandem_tracer_pool_t pool);

int tandem_tracer_pool_counts(tandem_tracer_pool_t pool, struct tandem_tracer_pool_counts *counts);

/* Records go into the pool from now on, in place of one that was enabled before. Domain and op
 * as above, kind TANDEM_TRACER_ALL for both. Device times are known of queues that were created
 * after operations had been enabled, or for which the program asks for them itself. */
int tandem_tracer_activity_enable(struct tandem_tracer *tracer, uint32_t domain, uint32_t kind,
				  uint32_t op, tandem_tracer_pool_t pool);
int tandem_tracer_activity_disable(struct tandem_tracer *tracer, uint32_t domain, uint32_t kind,
				   uint32_t op);

/* --- external correlation ids, time, annotations ----------------------------------------- */

/* A number of the tool's own for what the thread calls from now on; pushed in the entry callback
 * of a call, for that call too. At most 128 deep: -ENOSPC.
 * pop: -ENOENT: there is none; `id` may be NULL. */
int tandem_tracer_external_push(uint64_t id);
int tandem_tracer_external_pop(uint64_t *id);

/* CLOCK_MONOTONIC, as all times here. */
int tandem_tracer_timestamp(uint64_t *ns);

/* How far times of the device's operations may be off now (error_ns above). -ENOENT: no times of
 * that device are known. */
int tandem_tracer_clock_error(uint32_t device, uint32_t *ns);

/* Annotations, for tools and for a session of `tandem record`. push returns the level, from 0;
 * pop the level that ends, or -ENOENT. */
int tandem_tracer_mark(const char *text);
int tandem_tracer_range_push(const char *text);
int tandem_tracer_range_pop(void);
int tandem_tracer_range_start(const char *text, uint64_t *range);
int tandem_tracer_range_stop(uint64_t range);

/* The library that has this function stays loaded, as if it had been enabled: for who calls it
 * from a callback of their own. NULL: nothing. */
void tandem_tracer_keep(const void *function);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
