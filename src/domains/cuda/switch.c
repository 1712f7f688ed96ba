/* SPDX-License-Identifier: MIT */
/* When CUPTI is on: while the session records, and the program's own marks, if they
 * bound the recording, let it (core/capture.h). Otherwise it is switched off, and the
 * program runs as if nobody looked. */
#include "domains/cuda/switch.h"

#include <pthread.h>

#include "core/capture.h"
#include "domains/cuda/activity/activity.h"
#include "domains/cuda/activity/operation.h"
#include "domains/cuda/calls/callback.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/state.h"
#include "domains/cuda/thread.h"

static pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int begun;
static bool ready; /* CUPTI can be switched */
static bool on;	   /* and is */

void cuda_switch(void)
{
	bool wanted;

	pthread_mutex_lock(&switching);
	wanted = cuda_recording();
	if (ready && wanted != on && !cuda_is_disabled() && !cuda_has_ended()) {
		on = wanted;
		cuda_in_tool_begin();
		if (on)
			cuda_library_describe(cuda_operation_own_clock);
		cuda_activity_switch(on);
		cuda_callbacks_switch(on);
		cuda_in_tool_end();
	}
	pthread_mutex_unlock(&switching);
}

void cuda_switch_ready(void)
{
	ready = true;
	if (tandem_capture_is_bounded())
		cuda_callbacks_switch(false); /* all but the marks */
	cuda_switch();
}

void cuda_switched(void)
{
	bool enabled = tandem_capture_is_enabled();

	if (!atomic_load(&begun) || cuda_is_disabled())
		return;
	atomic_store(&cuda_capture_enabled, enabled);
	/* The call in which the mark came will not be told to have ended. */
	if (!enabled)
		cuda_calls_close();
	cuda_switch();
}

void cuda_switch_begin(void)
{
	tandem_capture_begin();
	atomic_store(&begun, 1);
	atomic_store(&cuda_capture_enabled, tandem_capture_is_enabled());
}
