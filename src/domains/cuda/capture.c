/* When CUPTI is on: while the session records, and, if the program's own marks
 * bound the recording (`tandem record --capture`), between cudaProfilerStart() and
 * cudaProfilerStop(), or while an NVTX range of the given name is open in some
 * thread. Otherwise it is switched off, and the program runs as if nobody looked. */
#include <pthread.h>
#include <string.h>

#include "domains/cuda/cuda.h"
#include "schema/capture.h"

_Atomic uint32_t cuda_gate = 1;

static pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t ranges_open;
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

static void gate_set(bool open)
{
	if (cuda_is_dead())
		return;
	/* The call in which the mark came will not be told to have ended. */
	if (!open)
		cuda_calls_close();
	atomic_store(&cuda_gate, open);
	cuda_switch();
}

static bool is_profiler_mode(void)
{
	return !strcmp(tandem_control.capture, TANDEM_CAPTURE_PROFILER);
}

static const char *range_name(void)
{
	size_t prefix = sizeof(TANDEM_CAPTURE_NVTX) - 1;

	return strncmp(tandem_control.capture, TANDEM_CAPTURE_NVTX, prefix) ?
		       NULL : tandem_control.capture + prefix;
}

void cuda_capture_begin(void)
{
	static _Atomic int begun;

	if (tandem_control.capture[0] && !atomic_exchange(&begun, 1))
		atomic_store(&cuda_gate, 0);
}

void cuda_capture_profiler(bool start)
{
	if (is_profiler_mode())
		gate_set(start);
}

bool cuda_capture_is(const char *text, size_t bytes)
{
	const char *name = range_name();

	return name && strlen(name) == bytes && !memcmp(name, text, bytes);
}

void cuda_capture_range(bool begins)
{
	if (begins) {
		if (!atomic_fetch_add(&ranges_open, 1))
			gate_set(true);
	} else if (atomic_fetch_sub(&ranges_open, 1) == 1) {
		gate_set(false);
	}
}
