/* The OpenCL domain: what its files share, and what its rules call.
 *
 *   gen/        wrappers, records, the table of next functions (tools/apigen)
 *   loader.c    the real functions, and the two ways in: preload and loader's layer
 *   layer.c     the layer's entry points: libtandem-opencl.so
 *   hooks.h     what the wrappers and the rules (opencl.rules) call
 *   extension.c functions that a driver hands out by name
 *   queue.c     queues: forced profiling and its hiding; commands under way
 *   command.c   one command from its enqueue to its operation record
 *   event.c     what the program asks of events
 *   timer.c     the device's clock read beside ours, where it can be
 *   describe.c  devices, contexts, queues, programs, kernels, memory as records
 *   build.c, memory.c  builds; allocations and frees
 *
 * Everything here runs in the program's own calls, under the rules at the top
 * of core/stream.h. Real functions are called through opencl_next, which no
 * wrapper of ours is in.
 */
#ifndef TANDEM_OPENCL_HOOKS_H
#define TANDEM_OPENCL_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/call.h"
#include "domains/opencl/gen/next.h"
#include "domains/opencl/loader.h"
#include "schema/gen/core_records.h"

#define OPENCL_BIT TANDEM_DOMAIN_BIT(opencl)
#define OPENCL_API(fn) TANDEM_ID(TANDEM_DOMAIN_opencl, (fn) + 1)

/* Set once a queue's profiling was switched on behind the program's back: from
 * then on some queries are answered for the program even when not recording. */
extern _Atomic uint32_t opencl_hiding __attribute__((visibility("hidden")));

static inline bool opencl_recording(void)
{
	return tandem_recording() & OPENCL_BIT;
}

static inline bool opencl_recording_or_hiding(void)
{
	return (tandem_recording() & OPENCL_BIT) |
	       atomic_load_explicit(&opencl_hiding, memory_order_relaxed);
}

/* Functions handed out by name are wrapped before the recording is on. */
static inline bool opencl_in_session(void)
{
	return tandem_session_dir[0] != 0;
}

/* queue.c */
struct opencl_pending; /* a command whose end is not known yet */

struct opencl_queue {
	void *handle, *device;
	_Atomic uint64_t timer_due; /* ticks; ~0: the device's clock can't be read */
	uint32_t number; /* ours; 0: not described since the last resume */
	uint32_t epoch;	 /* for which number is valid */
	uint8_t timing;	 /* enum tandem_timing */
	bool in_order;
	bool array;	       /* made from a property list, which is at `properties` */
	uint8_t property_count;/* entries with the closing 0 */
	uint64_t properties[17];  /* as the program gave them */
	struct opencl_pending *_Atomic fresh; /* newest first; any thread pushes */
	struct opencl_pending *oldest, *newest; /* in order; whoever holds `harvesting` */
	_Atomic uint32_t harvesting;
	_Atomic uint32_t pending;  /* commands in both lists */
	_Atomic uint32_t look_at;  /* how many pending make it worth looking */
	_Atomic uint32_t running;  /* commands found running right after their enqueue, in a row */
	struct opencl_queue *next; /* all queues, newest first */
};

/* The queue's state, made and described when it is first seen; NULL without
 * memory or for NULL. */
struct opencl_queue *opencl_queue_get(void *handle);
struct opencl_queue *opencl_queue_find(void *handle);
extern struct opencl_queue *_Atomic opencl_queues;

/* timer.c: whether the clock of the queue's device can be read; reads it. */
void opencl_timer_start(struct opencl_queue *queue, void *device);
void opencl_timer_read(struct opencl_queue *queue, uint64_t now);

/* Reads it again when it is time to. */
static inline void opencl_timer_look(struct opencl_queue *queue, uint64_t now)
{
	if (tandem_unlikely(now >= atomic_load_explicit(&queue->timer_due, memory_order_relaxed)))
		opencl_timer_read(queue, now);
}

/* command.c */
struct opencl_command {
	struct opencl_queue *queue;
	uint64_t op;
	void *own; /* event made for us, when the program wanted none */
	void *event; /* what to pass: `cl_event *` */
	bool program_wants;
	uint16_t api;
};

/* Before an enqueue: gives command->op (0: the command can't be followed) and
 * command->event. `event` is the program's `cl_event *` argument. */
void opencl_command_begin(struct opencl_command *command, enum opencl_fn fn, void *queue,
			  void *event);

/* After it. `kind` an enum tandem_operation_kind, `bytes` that it moves,
 * `kernel` its handle or NULL, `blocking`: the call returned with it done. */
void opencl_command_end(struct opencl_command *command, int32_t result, unsigned kind,
			uint64_t bytes, const void *kernel, bool blocking);

/* Writes the operation records of the queue's commands that have ended. */
void opencl_harvest(struct opencl_queue *queue, enum tandem_proof proof);
void opencl_harvest_all(enum tandem_proof proof);
void opencl_harvest_event(const void *event, enum tandem_proof proof);

/* After clFinish and clWaitForEvents. */
void opencl_finished(void *queue, int32_t result);
void opencl_waited(uint32_t count, const void *events, int32_t result);

/* Has the driver call us back for what is still pending: nothing else will. */
void opencl_command_call_back(struct opencl_queue *queue);

/* What to do at the program's exit, once there are queues. */
void opencl_command_at_exit(void);

/* The loader goes before the program ends: writes what has ended, and counts and
 * forgets the rest. */
void opencl_commands_close(void);

/* describe.c: our number of a new object, with a record that says what it is. */
void opencl_describe(unsigned type, void *handle, uint32_t number);
uint32_t opencl_created(unsigned type, void *handle);
uint32_t opencl_created_context(void *context, enum opencl_fn fn);
uint32_t opencl_created_kernel(void *kernel, enum opencl_fn fn, const void *program);
uint32_t opencl_created_program(void *program, enum opencl_fn fn, enum tandem_program_source source,
				const void *context, uint64_t bytes);

/* One number of an object by the driver's clGet*Info; 0 when it has none. Keeps
 * errno, as whatever asks a driver has to. */
typedef int32_t (*opencl_get_info)(void *, uint32_t, size_t, void *, void *);
uint64_t opencl_info_u64(opencl_get_info get, void *object, uint32_t name);

/* event.c: an event that no command made (a user's, GL's) gets an id too. */
uint64_t opencl_created_event(void *event, enum opencl_fn fn, const void *context);

/* memory.c: a new memory object (NULL, 0: asked of the driver), an allocation
 * by address, and an address about to be freed (0: not ours). */
uint32_t opencl_created_memory(void *memory, enum opencl_fn fn, enum tandem_memory_kind kind,
			       const void *context, const void *parent, uint64_t flags,
			       uint64_t bytes);
uint32_t opencl_allocated(void *pointer, enum opencl_fn fn, enum tandem_memory_kind kind,
			  const void *context, const void *device, uint64_t flags, uint64_t bytes);
uint64_t opencl_freeing(const void *pointer);
void opencl_freed_list(uint32_t count, const void *pointers, int32_t result);
void opencl_memory_describe(void *memory, uint32_t number);

/* What a command moves. */
uint64_t opencl_image_bytes(void *image, const void *region);
uint64_t opencl_memories_bytes(uint32_t count, const void *memories);

/* queue.c: a command buffer runs on the queues it is given, else on its own. */
uint32_t opencl_created_command_buffer(void *command_buffer, enum opencl_fn fn, uint32_t count,
				       const void *queues);
void *opencl_command_buffer_queue(uint32_t count, const void *queues, const void *command_buffer);

#endif
