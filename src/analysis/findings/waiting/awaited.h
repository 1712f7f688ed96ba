/* SPDX-License-Identifier: MIT */
/* What a process knows to have ended: commands that it waited for, and those before them in a queue
 * that keeps their order. Of each process the latest AWAITED commands are remembered. One thread.
 *
 *	struct awaited awaited = {0};
 *
 *	awaited_begin(&awaited, session);
 *	awaited_object(&awaited, event);	each description of an object
 *	status = awaited_call(&awaited, event, &again);	each call that returned, in turn
 *	if (again)
 *		it waited for what had been waited for before
 *	awaited_free(&awaited);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_WAITING_AWAITED_H
#define TANDEM_ANALYSIS_FINDINGS_WAITING_AWAITED_H

#include <stdbool.h>
#include <stddef.h>

#include "util/map.h"

#define AWAITED 8192u

struct awaited_command;
struct awaited_process;
struct trace_event;
struct trace_session;

struct awaited {
	struct awaited_process *processes;
	size_t count;
	struct map queue_of;   /* process and number of a queue -> what is known of it */
	struct map command_of; /* operation_key() -> place in its process's ring, + 1 */
};

/* These return 0 or -ENOMEM; after an error awaited_free() is called as well. */
int awaited_begin(struct awaited *awaited, const struct trace_session *session);
int awaited_object(struct awaited *awaited, const struct trace_event *event);
int awaited_call(struct awaited *awaited, const struct trace_event *event, bool *again);

void awaited_free(struct awaited *awaited);

#endif
