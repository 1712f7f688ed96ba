/* SPDX-License-Identifier: MIT */
/* Queues, events and the engine that runs commands.
 *
 * A command is its event: made by the enqueue, kept by the queue until it has
 * completed, and given to the program if it asks. The queue's list holds
 * commands in the order of their enqueueing.
 */
#ifndef STUB_QUEUE_H
#define STUB_QUEUE_H

#include "stub.h"

struct _cl_command_queue {
	struct stub_object object;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties properties;
	cl_uint property_count; /* of `property_array`, its 0 too */
	cl_queue_properties *property_array;
	cl_event first, last;		 /* pending commands */
	bool orphan;			 /* released: goes with its last command */
	cl_command_queue previous, next; /* in the engine's list */
};

/* What a command does when it runs; called without stub_lock. */
typedef void (*stub_run)(void *payload);

struct _cl_event {
	struct stub_object object;
	cl_context context;
	cl_command_queue queue; /* NULL: a user event */
	cl_command_type command;
	size_t amount;	       /* work-items, or bytes read or written */
	bool first;	       /* of its kernel object */
	_Atomic cl_int status; /* CL_QUEUED ... CL_COMPLETE, or negative */
	bool hangs, fails, profiled;
	bool flushed;		 /* STUB_FLUSH */
	cl_event previous, next; /* in the queue's list */
	cl_uint wait_count;
	cl_event *wait; /* each with a reference; NULL once they have ended */
	stub_run run;
	void *payload; /* freed after the command has run */
	uint64_t queued_ns, submitted_ns, start_ns, end_ns;
	struct stub_callback *callbacks;
};

/* A command to be enqueued. `payload` is copied. */
struct stub_command {
	cl_command_queue queue;
	cl_command_type type;
	size_t amount; /* work-items, or bytes read or written */
	bool first;    /* of its kernel object */
	bool blocking;
	cl_uint wait_count;
	const cl_event *wait;
	cl_event *event; /* out; NULL: not wanted */
	stub_run run;	 /* NULL: nothing to do */
	const void *payload;
	size_t payload_bytes;
};

/* The fields that come from an enqueue function's usual parameters. */
#define STUB_COMMAND(type_)                                                             \
	.queue = command_queue, .type = (type_), .wait_count = num_events_in_wait_list, \
	.wait = event_wait_list, .event = event

/* CL_SUCCESS or the error of the OpenCL specification's list. */
cl_int stub_enqueue(const struct stub_command *command);

/* Runs what may run now, as far as STUB_ENGINE lets the caller. */
void stub_engine_poke(void);

/* What was enqueued so far may run. */
void stub_engine_flush(cl_command_queue queue);

/* Runs, or waits for, everything of this queue / this event. */
void stub_engine_finish(cl_command_queue queue);
void stub_engine_wait(cl_event event);

/* What a query of an event does for the `deferred` engine: runs one command. */
void stub_engine_nudge(void);

void stub_engine_add(cl_command_queue queue);
void stub_engine_remove(cl_command_queue queue);
void stub_queue_free(cl_command_queue queue);

/* Ends an event: sets its status (CL_COMPLETE or negative), delivers its
 * callbacks. Takes stub_lock itself. */
void stub_event_end(cl_event event, cl_int status);

/* Waits until the foreign thread has made every callback, or for two seconds. */
void stub_callbacks_wait(void);
void stub_event_put(cl_event event);

#endif
