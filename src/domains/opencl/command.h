/* SPDX-License-Identifier: MIT */
/* A command from its enqueue to its operation record. Its event (the program's, on
 * which we hold a reference, or one of our own) is kept in its queue's list until
 * something proves that it has ended: a blocking call, clFinish, clWaitForEvents, a status
 * that the program read, a callback that the program wanted, or a look of our own at the
 * oldest one while later ones are enqueued. Only a queue that is released with commands
 * still running makes us ask the driver for a callback: that would start a helper thread
 * in many drivers. Any thread.
 */
#ifndef TANDEM_OPENCL_COMMAND_H
#define TANDEM_OPENCL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/opencl/gen/next.h"
#include "schema/gen/core_records.h"

struct opencl_queue;

struct opencl_command {
	struct opencl_queue *queue;
	uint64_t op;
	void *own;   /* event made for us, when the program wanted none */
	void *event; /* what to pass: `cl_event *` */
	bool program_wants;
	uint16_t api;
};

/* Before an enqueue: gives command->op (0: the command can't be followed) and
 * command->event. `event` is the program's `cl_event *` argument. */
void opencl_command_begin(struct opencl_command *command, uint16_t api, void *queue, void *event);

/* After it. `kind` an enum tandem_operation_kind, `bytes` that it moves,
 * `kernel` its handle or NULL, `blocking`: the call returned with it done. */
void opencl_command_end(struct opencl_command *command, int32_t result, unsigned kind,
			uint64_t bytes, const void *kernel, bool blocking);

/* Writes the operation records of the queue's commands that have ended. */
void opencl_harvest(struct opencl_queue *queue, enum tandem_completion_source source);
void opencl_harvest_event(const void *event, enum tandem_completion_source source);

/* After clFinish and clWaitForEvents. */
void opencl_finished(void *queue, int32_t result);
void opencl_waited(uint32_t count, const void *events, int32_t result);

/* Has the driver call us back for what is still pending: nothing else will. */
void opencl_command_call_back(struct opencl_queue *queue);

/* The process ends, or this is the child of a fork (core/domain.h). */
void opencl_commands_at_end(void);
void opencl_commands_at_fork(void);
void opencl_commands_at_flush(void);

#endif
