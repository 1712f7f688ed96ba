/* SPDX-License-Identifier: MIT */
/*
 * A subscriber in plain C that counts what it gets, by stream and trace point, and checks what
 * every callback may rely on. Writes its counts into the file that COUNT_FILE names, at each
 * xptiTraceFinish() and when it is unloaded. COUNT_STREAMS: only those, separated by commas.
 * Uses the proxy, and so whichever dispatcher the program has.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/xpti_trace_framework.h"

#define STREAMS 24
#define NAMES 4096

static struct {
	char name[64];
	_Atomic unsigned long count[256];
	_Atomic unsigned long bytes; /* allocated */
	_Atomic unsigned finished;
} streams[STREAMS];
static unsigned stream_count;

static _Atomic unsigned long faults, unlocated, metadata_items, edges_of_known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	char text[160];
	unsigned long count;
} names[NAMES];
static unsigned name_count;

/* The text without addresses: what differs from run to run. */
static void note(const char *kind, const char *text)
{
	char clean[sizeof(names[0].text)];
	size_t used = (size_t)snprintf(clean, sizeof(clean), "%s ", kind);
	unsigned i;

	for (; *text && used < sizeof(clean) - 1; text++) {
		clean[used++] = *text;
		if (*text == '[')
			text += strcspn(text, "]") - 1;
		if (text[0] == '0' && text[1] == 'x')
			text += 1 + strspn(text + 2, "0123456789abcdefABCDEF");
	}
	clean[used] = 0;
	pthread_mutex_lock(&lock);
	for (i = 0; i < name_count && strcmp(names[i].text, clean); i++)
		;
	if (i < NAMES) {
		if (i == name_count)
			strcpy(names[name_count++].text, clean);
		names[i].count++;
	}
	pthread_mutex_unlock(&lock);
}

static void look_at_metadata(xpti_event_data_t *event)
{
	const xpti_metadata_map_t *map = xptiQueryMetadata(event);

	for (const xpti_metadata_item_t *item = xpti_metadata_next(map, NULL); item;
	     item = xpti_metadata_next(map, item)) {
		const char *key = xptiLookupString(item->key);
		xpti_object_data_t object = xptiLookupObject(item->value);

		metadata_items++;
		if (!key || (!object.data && object.size))
			faults++;
		else
			note("key", key);
		if (key && !strcmp(key, "kernel_name")) {
			char name[100];

			snprintf(name, sizeof(name), "%.*s", (int)object.size, object.data);
			note("kernel", name);
		}
	}
}

/* A buffer's allocation has no event, and a struct; one of USM an event with metadata, and a text. */
static size_t allocated_bytes(xpti_event_data_t *event, const void *user_data)
{
	const xpti_metadata_map_t *map;
	size_t bytes = 0;

	if (!event)
		return user_data ? ((const xpti_mem_alloc_data_t *)user_data)->alloc_size : 0;
	map = xptiQueryMetadata(event);
	for (const xpti_metadata_item_t *item = xpti_metadata_next(map, NULL); item;
	     item = xpti_metadata_next(map, item)) {
		xpti_object_data_t object = xptiLookupObject(item->value);

		if (!strcmp(xptiLookupString(item->key), "memory_size") &&
		    object.size == sizeof(bytes))
			memcpy(&bytes, object.data, sizeof(bytes));
	}
	return bytes;
}

static void received(unsigned stream, uint16_t type, xpti_event_data_t *event,
		     const void *user_data)
{
	const xpti_payload_data_t *payload;

	streams[stream].count[type & 255]++;
	if (type == xpti_mem_alloc_end)
		streams[stream].bytes += allocated_bytes(event, user_data);
	if (!event)
		return;
	if (!event->unique_id || xptiFindEvent(event->unique_id) != event)
		faults++;
	payload = xptiQueryPayload(event);
	if (!payload)
		unlocated++;
	if (type == xpti_node_create) {
		note("node", payload && payload->name ? payload->name : "(none)");
		look_at_metadata(event);
	} else if (type == xpti_edge_create) {
		edges_of_known +=
			xptiFindEvent(event->source_id) && xptiFindEvent(event->target_id);
	}
}

#define CALLBACK(n)                                                          \
	static void callback##n(uint16_t type, xpti_event_data_t *parent,    \
				xpti_event_data_t *event, uint64_t instance, \
				const void *user_data)                       \
	{                                                                    \
		(void)parent;                                                \
		(void)instance;                                              \
		received(n, type, event, user_data);                         \
	}
#define EACH(X) \
	X(0)    \
	X(1)    \
	X(2)    \
	X(3)    \
	X(4)    \
	X(5)    \
	X(6)    \
	X(7)    \
	X(8)    \
	X(9)    \
	X(10)   \
	X(11)   \
	X(12)   \
	X(13)   \
	X(14)   \
	X(15)   \
	X(16)   \
	X(17)   \
	X(18)   \
	X(19)   \
	X(20)   \
	X(21)   \
	X(22)   \
	X(23)
EACH(CALLBACK)
#define ADDRESS(n) callback##n,
static const xpti_callback_t callbacks[STREAMS] = {EACH(ADDRESS)};

static const struct {
	const char *name;
	uint16_t type;
} trace_points[] = {
#define X(name, number) {#name, number},
	XPTI_TRACE_POINTS(X)
#undef X
};

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void write_counts(void)
{
	const char *path = getenv("COUNT_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	pthread_mutex_lock(&lock);
	for (unsigned s = 0; s < stream_count; s++) {
		for (unsigned i = 0; i < sizeof(trace_points) / sizeof(trace_points[0]); i++)
			if (streams[s].count[trace_points[i].type])
				fprintf(file, "%s %s %lu\n", streams[s].name, trace_points[i].name,
					streams[s].count[trace_points[i].type]);
		if (streams[s].bytes)
			fprintf(file, "%s bytes %lu\n", streams[s].name, streams[s].bytes);
		fprintf(file, "%s finished %u\n", streams[s].name, streams[s].finished);
	}
	qsort(names, name_count, sizeof(names[0]), by_text);
	for (unsigned i = 0; i < name_count; i++)
		fprintf(file, "%s: %lu\n", names[i].text, names[i].count);
	fprintf(file,
		"faults %lu\nwithout payload %lu\nmetadata items %lu\nedges of known nodes %lu\n",
		faults, unlocated, metadata_items, edges_of_known);
	pthread_mutex_unlock(&lock);
	fclose(file);
}

static bool asked_for(const char *stream)
{
	const char *list = getenv("COUNT_STREAMS");
	size_t length = strlen(stream);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (!strncmp(list, stream, length) && (!list[length] || list[length] == ','))
			return true;
	return !getenv("COUNT_STREAMS");
}

void xptiTraceInit(unsigned major, unsigned minor, const char *version, const char *stream)
{
	xpti_stream_id_t id = xptiRegisterStream(stream);
	unsigned s = 0;

	(void)major;
	(void)minor;
	if (!version || !*version)
		faults++;
	if (!asked_for(stream))
		return;
	while (s < stream_count && strcmp(streams[s].name, stream))
		s++;
	if (s == STREAMS)
		return;
	if (s == stream_count) {
		snprintf(streams[s].name, sizeof(streams[s].name), "%s", stream);
		stream_count++;
	}
	for (unsigned i = 0; i < sizeof(trace_points) / sizeof(trace_points[0]); i++)
		if (xptiRegisterCallback(id, trace_points[i].type, callbacks[s]) ==
		    XPTI_RESULT_INVALIDARG)
			faults++;
}

void xptiTraceFinish(const char *stream)
{
	for (unsigned s = 0; s < stream_count; s++)
		if (!strcmp(streams[s].name, stream))
			streams[s].finished++;
	write_counts();
}

__attribute__((destructor)) static void unloaded(void)
{
	write_counts();
}
