/* SPDX-License-Identifier: MIT */
/*
 * The dispatcher, libxptifw.so: the functions of XPTI that a proxy forwards to.
 *
 * Life: the first call of any function loads the subscribers (ready()); the last
 * xptiFrameworkFinalize() stops all callbacks. Tables and subscribers stay until the process
 * ends, since programs report, and subscribers look up, out of exit handlers.
 *
 * Notifying takes no lock and allocates nothing: the enabled flag, the list of the stream and
 * type (callbacks.h), the callbacks.
 */
#pragma GCC visibility push(default) /* what this file defines of it */
#include "xpti/xpti_trace_framework.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi.h"
#include "callbacks.h"
#include "defaults.h"
#include "event_needed.h"
#include "framework.h"
#include "functions.h"
#include "scope.h"
#include "short_names.h"
#include "spinlock.h"
#include "string_table.h"
#include "subscribers.h"
#include "tracepoints.h"

#define DEFAULT_STREAM "xpti.framework"
#define LONGEST_WAIT_MS 2000

struct intern *strings;
static struct intern *objects;

_Atomic int framework_loaded;
static _Atomic bool enabled;
static _Thread_local bool loading; /* in this thread */

static struct short_names streams, tools;

static _Atomic uint8_t detail_level[256]; /* of a stream, plus 1; 0: NORMAL */
static struct spinlock users_lock;
static unsigned users; /* Initialize without Finalize */
static _Atomic bool default_stream_open;

static void before_fork(void)
{
	spin_lock(&users_lock);
	spin_lock(&streams.lock);
	spin_lock(&tools.lock);
	callbacks_lock();
	tracepoints_lock_all();
	intern_lock_all();
}

static void after_fork(void)
{
	intern_unlock_all();
	tracepoints_unlock_all();
	callbacks_unlock();
	spin_unlock(&tools.lock);
	spin_unlock(&streams.lock);
	spin_unlock(&users_lock);
}

/* A thread of the parent's that was loading is not there to finish. */
static void in_child(void)
{
	int state = LOADING;

	after_fork();
	if (!loading)
		atomic_compare_exchange_strong(&framework_loaded, &state, LOADED);
}

__attribute__((constructor)) static void start(void)
{
	strings = intern_create(true);
	objects = intern_create(true);
	if (!strings || !objects || tracepoints_init()) {
		fprintf(stderr, "xpti: out of memory\n");
		framework_loaded = LOADED; /* and never enabled */
	}
	pthread_atfork(before_fork, after_fork, in_child);
}

/* Anything but these is off, as Intel's dispatchers have it. */
static bool environment_allows(void)
{
	const char *value = secure_getenv("XPTI_TRACE_ENABLE");

	return !value || !*value || !strcmp(value, "1") || !strcmp(value, "true");
}

/*
 * A subscriber that is linked against the library rather than the proxy asks for it by a name,
 * which is libxptifw.so or libxptifw.so.1: a library of each name has to be there, or the loader
 * would bring another dispatcher in. The second has no code, and needs the first.
 */
static void answer_to_both_names(void)
{
	char path[PATH_MAX + 2];
	Dl_info info;

	if (!dladdr((void *)answer_to_both_names, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, path))
		return;
	strcat(path, ".1");
	dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	dlerror(); /* best effort; leave no error to others */
}

void framework_load(void)
{
	int state = NOT_LOADED;
	const char *list;

	if (loading)
		return;
	if (!atomic_compare_exchange_strong(&framework_loaded, &state, LOADING)) {
		const struct timespec moment = {.tv_nsec = 1000000};

		/* With a limit: the loader of libraries may be ours to wait for and theirs to hold. */
		for (int ms = 0; state == LOADING && ms < LONGEST_WAIT_MS; ms++) {
			nanosleep(&moment, NULL);
			state = framework_loaded;
		}
		return;
	}
	loading = true;
	tracepoints_set_mode(scope_later_generation() ? TRACEPOINT_EACH : TRACEPOINT_SHARED);
	if (scope_later_generation())
		defaults_set_stream(short_name(&streams, DEFAULT_STREAM, true));
	list = secure_getenv("XPTI_SUBSCRIBERS");
	if (list && environment_allows()) {
		answer_to_both_names();
		subscribers_load(list);
	}
	enabled = subscribers_count() > 0;
	loading = false;
	atomic_store_explicit(&framework_loaded, LOADED, memory_order_release);
}

void xptiFrameworkInitialize(void)
{
	spin_lock(&users_lock);
	users++;
	spin_unlock(&users_lock);
	ready();
}

void xptiFrameworkFinalize(void)
{
	bool last;

	spin_lock(&users_lock);
	last = users == 1;
	users -= users > 0;
	spin_unlock(&users_lock);
	if (last)
		callbacks_reset();
}

static void init_stream(const char *stream, uint32_t major, uint32_t minor, const char *version)
{
	xpti_detail_level_t level = subscribers_init_stream(stream, major, minor, version);
	uint8_t id = short_name(&streams, stream, true);

	if (id)
		detail_level[id] = (uint8_t)(level + 1);
}

xpti_result_t xptiInitialize(const char *stream, uint32_t major, uint32_t minor,
			     const char *version)
{
	ready();
	if (!stream || !version)
		return XPTI_RESULT_INVALIDARG;
	/* The later generation announces a stream of the framework's own before any other. */
	if (tracepoints_mode() == TRACEPOINT_EACH && !atomic_exchange(&default_stream_open, true))
		init_stream(DEFAULT_STREAM, 1, 0, "1.0.0");
	init_stream(stream, major, minor, version);
	return XPTI_RESULT_SUCCESS;
}

xpti_result_t xptiUnregisterStream(const char *stream)
{
	uint8_t id;

	ready();
	if (!stream)
		return XPTI_RESULT_INVALIDARG;
	subscribers_finish_stream(stream);
	id = short_name(&streams, stream, false);
	return id ? callbacks_remove_stream(id) : XPTI_RESULT_NOTFOUND;
}

void xptiFinalize(const char *stream)
{
	ready();
	if (!stream)
		return;
	if (atomic_exchange(&default_stream_open, false))
		xptiUnregisterStream(DEFAULT_STREAM);
	xptiUnregisterStream(stream);
}

void xptiReset(void)
{
	ready();
	callbacks_reset();
	short_names_reset(&streams);
	short_names_reset(&tools);
	tracepoints_reset();
	intern_destroy(strings);
	intern_destroy(objects);
	strings = intern_create(true);
	objects = intern_create(true);
}

xpti_string_id_t xptiRegisterString(const char *string, char **table_string)
{
	struct intern_entry *entry;

	if (!string || !table_string)
		return XPTI_INVALID_STRING;
	entry = strings_add(string);
	*table_string = entry ? entry->bytes : NULL;
	return entry ? entry->id : XPTI_INVALID_STRING;
}

const char *xptiLookupString(xpti_string_id_t id)
{
	return strings_get(id);
}

xpti_object_id_t xptiRegisterObject(const char *data, size_t size, uint8_t type)
{
	struct intern_entry *entry = data ? intern_add(objects, data, size, type, 0) : NULL;

	if (entry)
		return (xpti_object_id_t)entry->id;
	return tracepoints_mode() == TRACEPOINT_EACH ? XPTI_INVALID_OBJECT : -1;
}

xpti_object_data_t xptiLookupObject(xpti_object_id_t id)
{
	struct intern_entry *entry = id > 0 ? intern_get(objects, (uint32_t)id) : NULL;

	if (!entry)
		return (xpti_object_data_t){0};
	return (xpti_object_data_t){
		.size = entry->size, .data = entry->bytes, .type = (uint8_t)entry->kind};
}

xpti_stream_id_t xptiRegisterStream(const char *stream)
{
	uint8_t id;

	ready();
	id = short_name(&streams, stream, true);
	return id ? id : XPTI_INVALID_STREAM;
}

static uint16_t user_defined(const char *tool, uint8_t type)
{
	uint8_t number;

	ready();
	number = short_name(&tools, tool, true);
	return number ? (uint16_t)(number << 8 | xpti_user_defined | type) : UINT16_MAX;
}

uint16_t xptiRegisterUserDefinedTracePoint(const char *tool, uint8_t trace_point)
{
	return user_defined(tool, trace_point);
}

uint16_t xptiRegisterUserDefinedEventType(const char *tool, uint8_t event_type)
{
	return user_defined(tool, event_type);
}

/* The library of a callback stays, even if it is unloaded while it is registered. */
static void pin(xpti_callback_t callback)
{
	static _Atomic(void *) pinned;
	Dl_info info;

	if (!dladdr((void *)callback, &info) || !info.dli_fname || !*info.dli_fname ||
	    atomic_exchange(&pinned, info.dli_fbase) == info.dli_fbase)
		return;
	dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	dlerror();
}

xpti_result_t xptiRegisterCallback(xpti_stream_id_t stream, uint16_t trace_type,
				   xpti_callback_t callback)
{
	ready();
	if (callback)
		pin(callback);
	return callbacks_add(stream, trace_type, callback);
}

xpti_result_t xptiUnregisterCallback(xpti_stream_id_t stream, uint16_t trace_type,
				     xpti_callback_t callback)
{
	ready();
	return callbacks_remove(stream, trace_type, callback);
}

xpti_result_t xptiNotifySubscribers(xpti_stream_id_t stream, uint16_t trace_type,
				    xpti_event_data_t *parent, xpti_event_data_t *event,
				    uint64_t instance, const void *user_data)
{
	struct callback_list *list;

	if (!atomic_load_explicit(&enabled, memory_order_relaxed)) {
		ready();
		if (!enabled)
			return XPTI_RESULT_FALSE;
	}
	if (!event && !may_lack_event(trace_type, user_data))
		return XPTI_RESULT_INVALIDARG;
	list = callbacks_find(stream, trace_type);
	if (list)
		abi_deliver(list, trace_type, parent, event, instance, user_data);
	return XPTI_RESULT_SUCCESS;
}

bool xptiTraceEnabled(void)
{
	ready();
	return enabled;
}

bool xptiCheckTraceEnabled(xpti_stream_id_t stream, uint16_t trace_type)
{
	ready();
	return enabled && callbacks_subscribed(stream, trace_type);
}

void xptiForceSetTraceEnabled(bool on)
{
	ready();
	enabled = on;
}

/* The proxy's alone: a dispatcher that is there needs no trying. */
void xptiTraceTryToEnable(void)
{
}

xpti_stream_id_t xptiGetDefaultStreamID(void)
{
	ready();
	return defaults_stream();
}

xpti_result_t xptiSetDefaultStreamID(xpti_stream_id_t stream)
{
	ready();
	if (stream > INT8_MAX)
		return XPTI_RESULT_INVALIDARG;
	defaults_set_stream(stream);
	return XPTI_RESULT_SUCCESS;
}

xpti_detail_level_t xptiGetEffectiveStreamDetailLevel(xpti_stream_id_t stream)
{
	uint8_t level;

	ready();
	level = detail_level[stream];
	return level ? (xpti_detail_level_t)(level - 1) : XPTI_STREAM_DETAIL_LEVEL_NORMAL;
}
