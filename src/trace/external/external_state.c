/* SPDX-License-Identifier: MIT */
#include "schema/gen/kernel_records.h"
#include "trace/external/external_trace.h"

/* include/linux/sched.h of Linux 2.6 to 6: the low four bits have not changed; a
 * thread on its last switch has one of the next two; above the bits that are
 * reported comes the one that says that it was ready to go on. */
uint8_t external_task_state(int64_t prev_state)
{
	if (!prev_state)
		return TANDEM_TASK_STATE_runnable;
	if (prev_state & 0x1)
		return TANDEM_TASK_STATE_sleeping;
	if (prev_state & 0x2)
		return TANDEM_TASK_STATE_disk;
	if (prev_state & 0x4)
		return TANDEM_TASK_STATE_stopped;
	if (prev_state & 0x8)
		return TANDEM_TASK_STATE_traced;
	if (prev_state & 0x30)
		return TANDEM_TASK_STATE_dead;
	/* 0x40: dead until 4.14, parked since; either way it does not run on. */
	if (prev_state & 0xc0)
		return TANDEM_TASK_STATE_unknown;
	return TANDEM_TASK_STATE_preempted;
}
