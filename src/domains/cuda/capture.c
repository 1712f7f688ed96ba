/* When CUPTI is on: while the session records, and the program's own marks, if they
 * bound the recording, let it (core/capture.h). Otherwise it is switched off, and the program runs as if nobody looked. */
#include <pthread.h>
#include <string.h>

#include "core/capture.h"
#include "domains/cuda/cuda.h"
#include "schema/capture.h"

_Atomic uint32_t cuda_gate = 1;

static pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;
static bool ready; /* CUPTI can be switched */
static bool on;	   /* and is */

void cuda_switch(void)
{
	bool wanted;

	pthread_mutex_lock(&switching);
	wanted = cuda_recording();
	if (ready && wanted != on && !cuda_is_dead()) {
		on = wanted;
		cuda_inside_begin();
		if (on)
			cuda_cupti_describe();
		cuda_activity_switch(on);
		cuda_callbacks_switch(on);
		cuda_inside_end();
	}
	pthread_mutex_unlock(&switching);
}

void cuda_switch_ready(void)
{
	ready = true;
	if (tandem_control.capture[0])
		cuda_callbacks_switch(false); /* all but the marks */
	cuda_switch();
}

static void changed(bool enabled)
{
	if (cuda_is_dead())
		return;
	atomic_store(&cuda_gate, enabled);
	/* The call in which the mark came will not be told to have ended. */
	if (!enabled)
		cuda_calls_close();
	cuda_switch();
}

void cuda_capture_begin(void)
{
	tandem_capture_begin();
	tandem_capture_listen(changed);
	atomic_store(&cuda_gate, tandem_capture_is_enabled());
}

void cuda_capture_profiler(bool start)
{
	if (!strcmp(tandem_control.capture, TANDEM_CAPTURE_PROFILER))
		tandem_capture_set(start);
}
