/* SPDX-License-Identifier: MIT */
#include "subscribers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

struct subscriber {
	void *library;
	void (*init)(unsigned major, unsigned minor, const char *version, const char *stream);
	void (*finish)(const char *stream);
	bool (*level)(const char *stream, xpti_detail_level_t *level); /* may be NULL */
};

static struct subscriber *subscribers;
static unsigned count; /* read with acquire: a subscriber may call in while others are loaded */

static void refuse(const char *path, const char *why)
{
	fprintf(stderr, "xpti: subscriber %s: %s\n", path, why);
}

static void load(const char *path, struct subscriber *subscriber)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		refuse(path, dlerror());
		return;
	}
	for (unsigned i = 0; i < count; i++)
		if (subscribers[i].library == library) {
			dlclose(library);
			return; /* named twice */
		}
	subscriber->library = library;
	subscriber->init = (__typeof__(subscriber->init))dlsym(library, "xptiTraceInit");
	subscriber->finish = (__typeof__(subscriber->finish))dlsym(library, "xptiTraceFinish");
	subscriber->level = (__typeof__(subscriber->level))dlsym(
		library, "xptiQuerySubscriberStreamDetailLevel");
	if (!subscriber->init || !subscriber->finish) {
		refuse(path,
		       subscriber->init ? "it has no xptiTraceFinish" : "it has no xptiTraceInit");
		dlclose(library);
		return;
	}
	__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

void subscribers_load(const char *list)
{
	unsigned commas = 0;
	char *copy, *path, *rest;

	for (const char *c = list; *c; c++)
		commas += *c == ',';
	copy = rest = strdup(list);
	subscribers = calloc(commas + 1, sizeof(*subscribers));
	while (copy && subscribers && (path = strsep(&rest, ",")))
		if (*path)
			load(path, &subscribers[count]);
	free(copy);
}

unsigned subscribers_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

xpti_detail_level_t subscribers_init_stream(const char *stream, uint32_t major, uint32_t minor,
					    const char *version)
{
	xpti_detail_level_t highest = XPTI_STREAM_DETAIL_LEVEL_NONE;
	unsigned n = subscribers_count();

	for (unsigned i = 0; i < n; i++) {
		xpti_detail_level_t level = XPTI_STREAM_DETAIL_LEVEL_NORMAL;

		if (subscribers[i].level && !abi_call_level(subscribers[i].level, stream, &level))
			level = XPTI_STREAM_DETAIL_LEVEL_NORMAL;
		if (level > highest)
			highest = level;
		abi_call_init(subscribers[i].init, major, minor, version, stream);
	}
	return n ? highest : XPTI_STREAM_DETAIL_LEVEL_NORMAL;
}

void subscribers_finish_stream(const char *stream)
{
	unsigned n = subscribers_count();

	for (unsigned i = 0; i < n; i++)
		abi_call_finish(subscribers[i].finish, stream);
}
