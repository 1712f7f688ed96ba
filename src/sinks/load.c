/* SPDX-License-Identifier: MIT */
/* The sink that TANDEM_SINK names, in a library of its own beside this one: what a sink
 * brings with it (threads, other libraries) is paid only where it was asked for. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "core/constructors.h"
#include "core/control.h"
#include "core/local.h"
#include "format/ticks.h"
#include "sinks/sink.h"
#include "util/system.h"

#define ENV_SINK "TANDEM_SINK"
#define ENV_ARGS "TANDEM_ARGS"

static enum tandem_args_level level_asked(void)
{
	const char *text = getenv(ENV_ARGS);

	if (text && !strcmp(text, "none"))
		return TANDEM_ARGS_NONE;
	return text && !strcmp(text, "full") ? TANDEM_ARGS_FULL : TANDEM_ARGS_BASIC;
}

/* Stamps are LTTng's own clock, so that they need no session to be understood. */
static void local_begin(void)
{
	tandem_local_begin();
	tandem_control.clock_source = TANDEM_CLOCK_MONOTONIC;
	tandem_control.ticks_hz = 1000000000;
	tandem_control.args_level = level_asked();
	tandem_control.device_timing = 1;
}

int tandem_sink_begin(enum tandem_args_level *level)
{
	if (!tandem_session_dir[0])
		local_begin();
	*level = (enum tandem_args_level)tandem_control.args_level;
	return *level > TANDEM_ARGS_FULL ? -EPROTO : 0;
}

/* After the constructor that finds the session. */
__attribute__((constructor(CONSTRUCTOR_SINKS))) static void load(void)
{
	const char *name = getenv(ENV_SINK);
	char path[TANDEM_PATH_BYTES];
	const char *slash;
	Dl_info here;

	if (!name || strcmp(name, "lttng") || getauxval(AT_SECURE) || !dladdr(load, &here))
		return;
	slash = strrchr(here.dli_fname, '/');
	if (!slash || (size_t)(slash - here.dli_fname) + 32 > sizeof(path))
		return;
	strcpy(mempcpy(path, here.dli_fname, (size_t)(slash - here.dli_fname)),
	       "/libtandem-lttng.so");
	dlopen(path, RTLD_NOW | RTLD_LOCAL);
}
