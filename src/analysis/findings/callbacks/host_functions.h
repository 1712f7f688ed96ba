/* SPDX-License-Identifier: MIT */
/* Functions of the program's that a queue calls between two commands (host functions), as part of the
 * finding `callbacks`. Nobody records them: what passes between the two commands, both of which were
 * enqueued by then, and no other queue's command had what the second needs, is what such a function takes, and its way to a thread of the driver's; behind the last
 * one, what a wait for the queue lasts beyond that command's end; one that is a command, as OpenCL's native kernels are, has times of its own. Memory grows with queues and commands in
 * flight. One thread.
 *
 *	struct host_functions functions = {0};
 *
 *	host_functions_call(&functions, event, item->end_ns);	each call that returned
 *	host_functions_operation(&functions, operation);	in the order of their ends
 *	host_functions_add(&functions, findings);
 *	host_functions_free(&functions);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_HOST_FUNCTIONS_H
#define TANDEM_ANALYSIS_FINDINGS_HOST_FUNCTIONS_H

#include "analysis/findings/finding.h"
#include "analysis/sched/recent.h"
#include "util/map.h"

struct host_function_queue {
	uint32_t process, number, device, stream;
	const struct tandem_event *api; /* that gave it one since its latest command; NULL: none */
	const struct tandem_event *given; /* the latest such */
	bool in_graph;			  /* a graph was launched there */
	uint64_t op;			  /* its latest command */
	int64_t end_ns;			  /* of its latest that ended, which is: */
	uint64_t ended_op;
	uint64_t count, ns, longest_ns; /* that took long */
	uint64_t waits;			/* for a last one, and of these: */
	uint64_t long_waits, long_wait_ns;
	int64_t from_ns, to_ns; /* the longest */
};

enum { FUNCTION_TO_DEVICE, FUNCTION_TO_HOST, FUNCTION_COMPUTE, FUNCTION_ENGINES };

struct host_function_device {
	struct recent busy[FUNCTION_ENGINES]; /* with commands of any queue */
};

struct host_function_process {
	const struct tandem_event *given; /* that gave one, to a queue or to a graph */
};

struct host_functions {
	struct map process_of; /* index -> process that gave one */
	struct host_function_process *processes;
	size_t process_count, process_capacity;
	struct map queue_of; /* process and number -> queue */
	struct host_function_queue *queues;
	size_t count, capacity;
	struct map device_of;
	struct host_function_device *devices;
	size_t device_count, device_capacity;
	struct map behind; /* operation_key() -> it is such a function, or one is before it */
	/* Same, of the last command before such a function -> when a wait for its queue began, and
	 * returned. */
	struct map wait_from, wait_until;
};

/* Return 0 or -ENOMEM; after an error host_functions_free() is called as well. */
int host_functions_call(struct host_functions *functions, const struct trace_event *event,
			int64_t end_ns);
int host_functions_operation(struct host_functions *functions, const struct operation *operation);
int host_functions_add(const struct host_functions *functions, struct findings *findings);
void host_functions_free(struct host_functions *functions);

#endif
