// SPDX-License-Identifier: MIT
//
// A subscriber that does what it should not, at the moment that ODD names: `init`, `finish`,
// `level` throw there; `task` throws from the callback of task_begin; `exit` ends the thread
// there; `close` unloads the library that it is, without unregistering anything.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>

#include "xpti/xpti_trace_framework.h"

static bool odd(const char *moment)
{
	const char *value = std::getenv("ODD");

	return value && !std::strcmp(value, moment);
}

static void fail(const char *moment)
{
	if (odd(moment))
		throw std::runtime_error(moment);
}

static void task(uint16_t type, xpti::trace_event_data_t *, xpti::trace_event_data_t *, uint64_t,
		 const void *)
{
	if (type == static_cast<uint16_t>(xpti::trace_point_type_t::task_begin)) {
		std::fprintf(stderr, "odd was called\n");
		if (odd("exit"))
			pthread_exit(reinterpret_cast<void *>(7));
	}
	fail("task");
}

extern "C" {

void xptiTraceInit(unsigned, unsigned, const char *, const char *name)
{
	xpti_stream_id_t stream = xptiRegisterStream(name);

	std::fprintf(stderr, "odd init %s\n", name);
	xptiRegisterCallback(stream, static_cast<uint16_t>(xpti::trace_point_type_t::task_begin),
			     task);
	xptiRegisterCallback(stream, static_cast<uint16_t>(xpti::trace_point_type_t::task_end),
			     task);
	fail("init");
	if (odd("close")) {
		Dl_info info;

		if (dladdr(reinterpret_cast<void *>(task), &info)) {
			void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);

			// Once for this look-up, once for the dispatcher's own.
			dlclose(library);
			dlclose(library);
		}
	}
}

void xptiTraceFinish(const char *)
{
	fail("finish");
}

bool xptiQuerySubscriberStreamDetailLevel(const char *, xpti::stream_detail_level_t *level)
{
	fail("level");
	*level = xpti::stream_detail_level_t::XPTI_STREAM_DETAIL_LEVEL_VERBOSE;
	return true;
}
}
