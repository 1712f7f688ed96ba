/* SPDX-License-Identifier: MIT */
/* What an event means. Analysis, findings, exports and the page ask these traits
 * and never compare the name of a runtime's function: a new domain brings its own.
 * They come from the rules of a domain (tools/apigen/README.md) into the event
 * descriptors (schema/schema.h), and with these into the session. So each list is
 * append-only.
 *
 *	const struct tandem_event *call = event->layout->event;
 *
 *	if (call->class == TANDEM_CLASS_WAIT && call->traits.wait == TANDEM_WAIT_device)
 *		every queue of the device was empty when it returned;
 *	if (call->traits.synchronous == TANDEM_WHEN_always)
 *		a copy to the host was complete when it returned;
 *	field = trace_field_role(event->layout, TANDEM_ROLE_queue);
 */
#ifndef TANDEM_SCHEMA_TRAITS_H
#define TANDEM_SCHEMA_TRAITS_H

#include <stdint.h>

/* What a call is. */
enum tandem_event_class {
	TANDEM_CLASS_RECORD,   /* no call: a record of our own */
	TANDEM_CLASS_CALL,     /* none of the others */
	TANDEM_CLASS_ENQUEUE,  /* makes a device operation: field of role `op` */
	TANDEM_CLASS_WAIT,     /* the thread waits for the device */
	TANDEM_CLASS_CREATE,   /* makes an object, or allocates: field of role `returned` */
	TANDEM_CLASS_RELEASE,  /* the opposite */
	TANDEM_CLASS_BUILD,    /* makes code for a device */
	TANDEM_CLASS_QUERY,    /* only asks */
	TANDEM_CLASS_RETAIN,   /* counts one more reference, which a release takes back */
	TANDEM_CLASS_TASK,     /* of a layer above: the thread submits a task of a task graph, and
			       * what the device does for it is enqueued by calls within */
	TANDEM_CLASS_CALLBACK, /* the runtime calls the program: because of the operation in the
				* field of role `event` */
};

/* Whether something holds for a call. */
#define TANDEM_WHENS(X) \
	X(never)        \
	X(argument)     \
	X(always)

/* What has completed when the call returns: X(name).
 *   queue     the commands of the queue in the field of role `queue`
 *   device    all commands of the device (of the current context's)
 *   event     those of the event in `event`, or of the events in `events`
 *   all       all commands of all devices
 *   in_queue  no thread waits: the queue does, before later commands, for an event
 *   host      same, for a function of the program's that the runtime calls then; or a graph does */
#define TANDEM_WAIT_SCOPES(X) \
	X(none)               \
	X(queue)              \
	X(device)             \
	X(event)              \
	X(all)                \
	X(in_queue)           \
	X(host)

/* Of the description of a queue, `in_order`: whether its commands may overtake each other; all: they
 * may not, and it and the other queues of its context wait for each other (CUDA's legacy default stream,
 * HIP's null stream). */
enum tandem_in_order { TANDEM_IN_ORDER_no, TANDEM_IN_ORDER_queue, TANDEM_IN_ORDER_all };

/* What the call itself does about memory: X(name). Asynchronous commands that
 * map or free are no more than enqueued by it. */
#define TANDEM_MEMORY_ROLES(X)                                             \
	X(none)                                                            \
	X(alloc)                                                           \
	X(free)                                                            \
	X(map) /* gives it an address */                                   \
	X(unmap)                                                           \
	X(register) /* makes the program's own memory the device's, too */ \
	X(unregister)

/* What a record of our own is, where domains have records of one meaning in
 * layouts of their own: X(name).
 *   device_limits  a device's limits for occupancy; fields device, warp_items,
 *                  items, groups... as in src/schema/events/cuda.events, or gfx as in
 *                  hip.events
 *   device_link    how a device is connected to the host; fields device, megatransfers (a
 *                  second, of a lane), lanes
 *   task_construct a place in the program that makes tasks; fields construct, kind (0 other,
 *                  1 kernel, 2 host task, 3 transfer, 4 allocation, 5 release, 6 event of
 *                  another runtime), line, column, name, function, file, device
 *   task_node      a node of the task graph: node, construct, instance, buffer, bytes
 *   task_edge      from, which completes before to begins: with access (0: not by memory,
 *                  1 read, 2 write, 3 both, 4 write of all of it) and buffer
 *   task_signal    op, an operation of the node's task
 *   overhead       what the runtime or its tracing cost; fields kind, begin, end
 *                  (ticks), tid
 *   fault          of unified memory; fields kind, begin, end (ticks; 0: a moment),
 *                  address, value, device
 *   module         device code was loaded; fields program, hash, bytes, saved
 *   external_id    the program's own number of a command; fields op, kind, id
 *   description    what later records refer to by number, or rely on: an object, a name,
 *                  what is recorded; of one object, its number is the first field */
#define TANDEM_RECORD_ROLES(X) \
	X(none)                \
	X(device_limits)       \
	X(task_construct)      \
	X(task_node)           \
	X(task_edge)           \
	X(task_signal)         \
	X(overhead)            \
	X(fault)               \
	X(module)              \
	X(external_id)         \
	X(description)         \
	X(device_link)

/* What a field of a call is: X(name). One field of an event at most has a role. */
#define TANDEM_ROLES(X)                                                             \
	X(none)                                                                     \
	X(op)	       /* the operation id that the call gave out */                \
	X(returned)    /* the object, operation or address that it returned */      \
	X(queue)       /* the queue that it is about */                             \
	X(event)       /* the event: an object (CUDA) or an operation (OpenCL) */   \
	X(events)      /* a list of events, waited for */                           \
	X(kernel)      /* the kernel that it launches */                            \
	X(memory)      /* the memory object that it is about */                     \
	X(memory_from) /* the memory objects that a copy ... */                     \
	X(memory_to)   /* ... goes from and to */                                   \
	X(bytes)       /* how much it moves or allocates */                         \
	X(blocking)    /* not 0: the call waits (synchronous: argument) */          \
	X(query)       /* what is asked */                                          \
	X(address)     /* the host's end of a transfer */                           \
	X(source_text) /* of a program */                                           \
	X(global)      /* a launch's index space, in items ... */                   \
	X(local)       /* ... of a group ... */                                     \
	X(offset)      /* ... from there on; each in as many bytes as ... */        \
	X(high)	       /* ... its values need: what is above them */                \
	X(task)	       /* the node of a task graph whose task it submits */         \
	X(argument)    /* the value of a kernel's argument, ... */                  \
	X(index)       /* ... and which one it is */                                \
	X(destination) /* where a transfer goes to, as an address, ... */           \
	X(source)      /* ... and where it comes from; the host's end, ... */       \
	X(direction)   /* ... where it has no role `address`: 1: the source, ... */ \
	/* ... 2: the destination, 3: neither; else not known */                    \
	X(origin) /* of a part of a memory object: its first byte in it */          \
	X(row) /* of a box that a transfer moves: its width, or width, height, depth; in bytes (of an image: pixels) */

#define X(name) TANDEM_WHEN_##name,
enum tandem_when { TANDEM_WHENS(X) TANDEM_WHEN_COUNT };
#undef X

#define X(name) TANDEM_WAIT_##name,
enum tandem_wait_scope { TANDEM_WAIT_SCOPES(X) TANDEM_WAIT_COUNT };
#undef X

#define X(name) TANDEM_MEMORY_ROLE_##name,
enum tandem_memory_role { TANDEM_MEMORY_ROLES(X) TANDEM_MEMORY_ROLE_COUNT };
#undef X

#define X(name) TANDEM_RECORD_##name,
enum tandem_record_role { TANDEM_RECORD_ROLES(X) TANDEM_RECORD_COUNT };
#undef X

#define X(name) TANDEM_ROLE_##name,
enum tandem_role { TANDEM_ROLES(X) TANDEM_ROLE_COUNT };
#undef X

/* Beside the class (tandem_event.class). All 0: nothing special. */
struct tandem_traits {
	uint8_t wait;	/* enum tandem_wait_scope */
	uint8_t memory; /* enum tandem_memory_role */
	uint8_t record; /* enum tandem_record_role, of TANDEM_CLASS_RECORD */

	/* enum tandem_when: a copy to the host that it enqueued is complete when it
	 * returns. argument: where the field of role `blocking` is not 0. */
	uint8_t synchronous;

	/* enum tandem_when: it asks whether the operation in `event` is complete, or what is in
	 * `queue`. argument: where the field of role `query` is poll_value. */
	uint8_t poll;

	uint8_t graph;	/* 1: one call, one operation id, many operations */
	uint8_t signal; /* 1: the operation in `event`, which is the program's own, ends with it */
	uint8_t single; /* 1: the kernel that it launches has one work-item, and no field says so */
	uint8_t context; /* 1: it makes or ends a context of a device */
	uint32_t poll_value;
};

#endif
