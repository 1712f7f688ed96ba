/* SPDX-License-Identifier: MIT */
/* libcupti.so.13 of the stub: who is subscribed to what, and activity buffers. The
 * ABI is written out here once more, by CUPTI's documentation and not by the
 * header that the domain uses. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

#define DOMAINS 8
#define CALLBACKS 1024
#define KINDS 64
#define MAP 256
#define RECORDS 4096

enum { OK = 0, INVALID = 1, MAX_LIMIT = 12, INVALID_KIND = 21, MULTIPLE = 39, REFUSED = 999 };

typedef void (*callback)(void *user, uint32_t domain, uint32_t id, const void *data);
typedef void (*request)(uint8_t **buffer, size_t *bytes, size_t *most);
typedef void (*complete)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			 size_t valid);

static callback subscribed;
static void *subscribed_user;
static uint8_t enabled[DOMAINS][CALLBACKS];
static uint8_t kinds[KINDS];
static uint32_t api_version = 130001;

static request requested;
static complete completed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *buffer;
static size_t buffer_bytes, valid;
static size_t dropped, activities;

static struct {
	void *context, *stream;
	int per_thread;
	uint32_t id;
} streams[MAP];
static struct {
	void *context;
	uint32_t id, device;
} contexts[MAP];
static int stream_count, context_count;

/* The value of a word of STUB_CUPTI, "" where it has none, or NULL. */
static const char *asked(const char *word)
{
	static char value[64];
	const char *at = getenv("STUB_CUPTI");
	size_t length = strlen(word);

	for (; at && *at; at += strcspn(at, ","), at += *at == ',') {
		if (strncmp(at, word, length) || !strchr(",=", at[length]))
			continue;
		snprintf(value, sizeof(value), "%.*s",
			 at[length] == '=' ? (int)strcspn(at + length + 1, ",") : 0,
			 at + length + 1);
		return value;
	}
	return NULL;
}

static bool refused(const char *function)
{
	const char *which = asked("fail");

	return which && !strcmp(which, function);
}

/* As CUPTI's own exit handler: a call after it ends the process by a fault (580.159.04). */
static bool ended;

static void end(void)
{
	ended = true;
}

#define REFUSE()                        \
	do {                            \
		if (ended)              \
			abort();        \
		if (refused(__func__))  \
			return REFUSED; \
	} while (0)

int cuptiGetVersion(uint32_t *version);
int cuptiGetResultString(int result, const char **words);
int cuptiSubscribe(void **subscriber, callback function, void *user);
int cuptiEnableCallback(uint32_t on, void *subscriber, uint32_t domain, uint32_t id);
int cuptiEnableDomain(uint32_t on, void *subscriber, uint32_t domain);
int cuptiActivityRegisterCallbacks(request r, complete c);
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityGetNextRecord(uint8_t *from, size_t bytes, void **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
int cuptiActivityConfigureUnifiedMemoryCounter(void *configuration, uint32_t count);
int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id);
int cuptiGetContextId(void *context, uint32_t *id);
int cuptiGetDeviceId(void *context, uint32_t *id);

int cuptiGetVersion(uint32_t *version)
{
	REFUSE();
	*version = asked("old") ? 18 : api_version;
	return OK;
}

int cuptiGetResultString(int result, const char **words)
{
	const char *which = asked("words");

	if (which && !strcmp(which, "left"))
		return INVALID;
	*words = which ? NULL : result == REFUSED ? "STUB_REFUSED" : "STUB";
	return OK;
}

int cuptiSubscribe(void **subscriber, callback function, void *user)
{
	REFUSE();
	if (asked("busy") || subscribed)
		return MULTIPLE;
	atexit(end);
	subscribed = function;
	subscribed_user = user;
	*subscriber = &subscribed;
	return OK;
}

int cuptiEnableCallback(uint32_t on, void *subscriber, uint32_t domain, uint32_t id)
{
	REFUSE();
	if (subscriber != &subscribed || domain >= DOMAINS || id >= CALLBACKS)
		return INVALID;
	enabled[domain][id] = (uint8_t)on;
	return OK;
}

int cuptiEnableDomain(uint32_t on, void *subscriber, uint32_t domain)
{
	REFUSE();
	if (subscriber != &subscribed || domain >= DOMAINS)
		return INVALID;
	memset(enabled[domain], (int)on, sizeof(enabled[domain]));
	return OK;
}

int cuptiActivityRegisterCallbacks(request r, complete c)
{
	REFUSE();
	requested = r;
	completed = c;
	return OK;
}

int cuptiActivityEnable(uint32_t kind)
{
	REFUSE();
	if (kind >= KINDS)
		return INVALID;
	kinds[kind] = 1;
	return OK;
}

int cuptiActivityDisable(uint32_t kind)
{
	REFUSE();
	if (kind < KINDS)
		kinds[kind] = 0;
	return OK;
}

/* Records in a buffer are told apart by a word of their size before each: as
 * opaque to the tool as CUPTI's own way. */
int cuptiActivityGetNextRecord(uint8_t *from, size_t bytes, void **record)
{
	static int number; /* in the buffer */
	const char *which = asked("record");
	uint64_t size = 0;
	uint8_t *at = from;

	number = *record ? number + 1 : 1;
	if (which && number >= 3) {
		if (!strcmp(which, "null"))
			*record = NULL;
		return !strcmp(which, "invalid") ? INVALID_KIND : OK;
	}
	if (*record) {
		at = *record;
		memcpy(&size, at - 8, 8);
		at += size;
	}
	if (at + 8 > from + bytes)
		return MAX_LIMIT;
	*record = at + 8;
	return OK;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
	(void)context;
	(void)stream;
	*count = dropped;
	dropped = 0;
	return OK;
}

static void reverse(void)
{
	uint8_t *copy = malloc(valid), *to = buffer + valid, *at = copy;

	memcpy(copy, buffer, valid);
	while (at < copy + valid) {
		uint64_t size;

		memcpy(&size, at, 8);
		to -= size + 8;
		memcpy(to, at, size + 8);
		at += size + 8;
	}
	free(copy);
}

static void deliver(void)
{
	uint8_t *full = buffer;
	size_t bytes = valid, size = buffer_bytes;

	if (!full)
		return;
	if (asked("reverse"))
		reverse();
	buffer = NULL;
	valid = 0;
	pthread_mutex_unlock(&lock);
	completed(NULL, 0, full, size, bytes);
	pthread_mutex_lock(&lock);
}

int cuptiActivityFlushAll(uint32_t flag)
{
	REFUSE();
	pthread_mutex_lock(&lock);
	if (flag || !asked("late"))
		deliver();
	pthread_mutex_unlock(&lock);
	return OK;
}

int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
	REFUSE();
	return !clock || asked("noclock") ? INVALID : OK;
}

int cuptiActivityConfigureUnifiedMemoryCounter(void *configuration, uint32_t count)
{
	REFUSE();
	return configuration && count ? OK : INVALID;
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id)
{
	REFUSE();
	for (int i = stream_count; i--;) {
		if (streams[i].context == context && streams[i].stream == stream &&
		    streams[i].per_thread == per_thread) {
			*id = streams[i].id;
			return OK;
		}
	}
	return INVALID;
}

static int context_find(void *context)
{
	for (int i = context_count; i--;)
		if (contexts[i].context == context)
			return i;
	return -1;
}

int cuptiGetContextId(void *context, uint32_t *id)
{
	int at = context_find(context);

	REFUSE();
	if (at >= 0)
		*id = contexts[at].id;
	return at < 0 ? INVALID : OK;
}

int cuptiGetDeviceId(void *context, uint32_t *id)
{
	int at = context_find(context);

	REFUSE();
	if (at >= 0)
		*id = contexts[at].device;
	return at < 0 ? INVALID : OK;
}

/* --- the program's side */

static void tell_callback(uint32_t domain, uint32_t id, const void *data)
{
	if (subscribed && domain < DOMAINS && id < CALLBACKS && enabled[domain][id])
		subscribed(subscribed_user, domain, id, data);
}

static void tell_any_callback(uint32_t domain, uint32_t id, const void *data)
{
	if (subscribed)
		subscribed(subscribed_user, domain, id, data);
}

static bool room(size_t bytes)
{
	const char *small = asked("small");
	size_t most = small ? (size_t)atol(small) : SIZE_MAX;
	size_t limit;

	if (buffer && (valid + bytes > buffer_bytes || valid + bytes > most) && !asked("late"))
		deliver();
	if (!buffer) {
		requested(&buffer, &buffer_bytes, &limit);
		valid = 0;
	}
	return buffer && valid + bytes <= buffer_bytes;
}

static void tell_any_activity(const void *record, size_t bytes)
{
	const char *drop = asked("drop");
	uint64_t size = bytes;

	if (!requested)
		return;
	pthread_mutex_lock(&lock);
	if ((drop && ++activities % (size_t)atol(drop) == 0) || !room(bytes + 8)) {
		dropped++;
	} else {
		memcpy(buffer + valid, &size, 8);
		memcpy(buffer + valid + 8, record, bytes);
		valid += bytes + 8;
	}
	pthread_mutex_unlock(&lock);
}

static void tell_activity(const void *record, size_t bytes)
{
	uint32_t kind;

	memcpy(&kind, record, sizeof(kind));
	if (kind < KINDS && kinds[kind])
		tell_any_activity(record, bytes);
}

static void tell_no_buffer(void)
{
	if (completed)
		completed(NULL, 0, NULL, 0, 0);
}

static void set_stream(void *context, void *stream, int per_thread, uint32_t id)
{
	if (stream_count == MAP)
		return;
	streams[stream_count].context = context;
	streams[stream_count].stream = stream;
	streams[stream_count].per_thread = per_thread;
	streams[stream_count++].id = id;
}

static void set_context(void *context, uint32_t id, uint32_t device)
{
	if (context_count == MAP)
		return;
	contexts[context_count].context = context;
	contexts[context_count].id = id;
	contexts[context_count++].device = device;
}

static void set_version(uint32_t version)
{
	api_version = version;
}

const struct stub_cupti *stub_cupti_get(void)
{
	static const struct stub_cupti stub = {
		tell_callback,	tell_any_callback, tell_activity, tell_any_activity,
		tell_no_buffer, set_stream,	   set_context,	  set_version,
	};

	return &stub;
}
