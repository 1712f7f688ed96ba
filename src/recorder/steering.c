/* SPDX-License-Identifier: MIT */
#include "recorder/steering.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/counter.h"

/* Who sleeps on the word (a domain whose device must be told) hears it now. */
static void wake(struct tandem_control *control)
{
	syscall(SYS_futex, &control->recording, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static enum tandem_session_state change_state(struct tandem_control *control,
					      enum tandem_session_state to)
{
	uint32_t state = atomic_load(&control->state);

	while (state != to && state != TANDEM_STATE_STOPPED &&
	       !atomic_compare_exchange_weak(&control->state, &state, to))
		;
	return (enum tandem_session_state)state;
}

/* Whoever changes the state counts the time, as of one stretch only one does. */
static void ends_stretch(struct tandem_control *control)
{
	uint64_t since_ns = atomic_exchange(&control->recording_since_ns, 0);

	if (since_ns)
		atomic_fetch_add(&control->recorded_ns,
				 counter_clock_ns(CLOCK_MONOTONIC) - since_ns);
}

enum tandem_session_state steering_pause(struct tandem_control *control)
{
	enum tandem_session_state before = change_state(control, TANDEM_STATE_PAUSED);

	if (before == TANDEM_STATE_RECORDING) {
		atomic_store(&control->recording, 0);
		ends_stretch(control);
		wake(control);
	}
	return before;
}

enum tandem_session_state steering_resume(struct tandem_control *control)
{
	enum tandem_session_state before = change_state(control, TANDEM_STATE_RECORDING);

	if (before == TANDEM_STATE_PAUSED) {
		/* Objects that were made meanwhile are not described yet: whoever sees
		 * the mask must see the new statedump too. */
		atomic_fetch_add(&control->statedump, 1);
		atomic_store(&control->recording_since_ns, counter_clock_ns(CLOCK_MONOTONIC));
		atomic_store(&control->recording, control->domains);
		wake(control);
	}
	return before;
}

enum tandem_session_state steering_stop(struct tandem_control *control)
{
	enum tandem_session_state before = change_state(control, TANDEM_STATE_STOPPED);

	if (before != TANDEM_STATE_STOPPED) {
		atomic_store(&control->recording, 0);
		ends_stretch(control);
		atomic_store(&control->stopped_ns, counter_clock_ns(CLOCK_MONOTONIC));
		wake(control);
	}
	return before;
}

void steering_schedule_start(struct steering_schedule *schedule)
{
	uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC);

	schedule->resume_at_ns = schedule->delay_ns ? now_ns + schedule->delay_ns : 0;
	schedule->stop_at_ns =
		schedule->duration_ns ? now_ns + schedule->delay_ns + schedule->duration_ns : 0;
}

int steering_schedule_work(struct steering_schedule *schedule)
{
	uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC), next_ns;

	if (schedule->resume_at_ns && now_ns >= schedule->resume_at_ns) {
		schedule->resume_at_ns = 0;
		steering_resume(schedule->control);
	}
	if (schedule->stop_at_ns && now_ns >= schedule->stop_at_ns) {
		schedule->stop_at_ns = 0;
		steering_stop(schedule->control);
	}
	next_ns = schedule->resume_at_ns ? schedule->resume_at_ns : schedule->stop_at_ns;
	if (!next_ns)
		return -1;
	next_ns = next_ns > now_ns ? (next_ns - now_ns) / 1000000 + 1 : 0;
	return next_ns > INT_MAX ? INT_MAX : (int)next_ns;
}
