/* SPDX-License-Identifier: MIT */
/* Events of the program's own (user events) that hold back a queue which keeps its order, though a
 * later command in it waits for the same event again: in such a queue that second wait can only be
 * there because the commands before it do not need the event. Of each process the latest GATES are
 * remembered. One thread.
 *
 *	struct gates gates = {0};
 *
 *	gates_begin(&gates, session);
 *	gates_call(&gates, event);	each call
 *	gates_enqueue(&gates, event, queue, in_order);	same, of one that enqueues
 *	gates_operation(&gates, operation);	each command
 *	gates_add(&gates, findings);		at the end
 *	gates_free(&gates);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_GATES_H
#define TANDEM_ANALYSIS_FINDINGS_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

struct findings;
struct operation;
struct trace_event;
struct trace_session;
struct gates_process;

struct gates {
	struct gates_process *processes;
	size_t count;
	struct map gate_of; /* operation_key() of a command behind a gate -> the gate's event */
};

/* These return 0 or -ENOMEM. */
int gates_begin(struct gates *gates, const struct trace_session *session);
int gates_enqueue(struct gates *gates, const struct trace_event *event, uint32_t queue,
		  bool in_order);
int gates_add(const struct gates *gates, struct findings *findings);

void gates_call(struct gates *gates, const struct trace_event *event);
void gates_operation(struct gates *gates, const struct operation *operation);
void gates_free(struct gates *gates);

#endif
