/* SPDX-License-Identifier: MIT */
/* Pausing, resuming and stopping a recording: a store or two into its control page, which
 * the next traced call sees. And doing so at set times, for `record --delay --duration`.
 * One thread.
 *
 *	steering_resume(control);
 *
 *	struct steering_schedule schedule = {.control = control, .delay_ns = 5e9};
 *	steering_schedule_start(&schedule);
 *	do
 *		ms = steering_schedule_work(&schedule);
 *	while (...);
 */
#ifndef TANDEM_RECORDER_STEERING_H
#define TANDEM_RECORDER_STEERING_H

#include <stdint.h>

#include "schema/control.h"

/* Each returns the state that it was in before: it has changed unless that is the wanted
 * one or stopped. */
enum tandem_session_state steering_pause(struct tandem_control *control);
enum tandem_session_state steering_resume(struct tandem_control *control);
enum tandem_session_state steering_stop(struct tandem_control *control);

struct steering_schedule {
	struct tandem_control *control; /* borrowed */
	uint64_t delay_ns;    /* the recording resumes so long after the start; 0: at once */
	uint64_t duration_ns; /* and stops so long after that; 0: never */
	uint64_t resume_at_ns, stop_at_ns; /* CLOCK_MONOTONIC; 0: done, or never */
};

void steering_schedule_start(struct steering_schedule *schedule);

/* Does what is due. Returns in how many ms to call again, -1: no need to. */
int steering_schedule_work(struct steering_schedule *schedule);

#endif
