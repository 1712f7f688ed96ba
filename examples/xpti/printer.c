/* SPDX-License-Identifier: MIT */
/*
 * A subscriber in C that prints what it gets on stderr, with metadata: XPTI_SUBSCRIBERS names it.
 * It works under any dispatcher, because it calls by the proxy (libxpti.a).
 */
#include <stdio.h>

#include "xpti/xpti_trace_framework.h"

static const struct {
	uint16_t type;
	const char *name;
} trace_points[] = {
#define X(name, number) {number, #name},
	XPTI_TRACE_POINTS(X)
#undef X
};

static const char *name_of(uint16_t type)
{
	for (size_t i = 0; i < sizeof(trace_points) / sizeof(trace_points[0]); i++)
		if (trace_points[i].type == type)
			return trace_points[i].name;
	return "user-defined";
}

static void print_object(xpti_object_data_t object)
{
	switch (object.type) {
	case xpti_object_string:
		fprintf(stderr, "%.*s", (int)object.size, object.data);
		break;
	case xpti_object_floating:
		fprintf(stderr, "%g",
			object.size == sizeof(double) ? *(const double *)object.data
						      : *(const float *)object.data);
		break;
	case xpti_object_binary:
		fprintf(stderr, "(%zu bytes)", object.size);
		break;
	default: {
		long long value = 0;

		__builtin_memcpy(&value, object.data, object.size < 8 ? object.size : 8);
		fprintf(stderr, "%lld", value);
	}
	}
}

static void print(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		  uint64_t instance, const void *user_data)
{
	const xpti_payload_data_t *payload = event ? xptiQueryPayload(event) : NULL;
	const xpti_metadata_map_t *metadata = event ? xptiQueryMetadata(event) : NULL;

	(void)parent;
	(void)user_data;
	fprintf(stderr, "%s %llu", name_of(type), (unsigned long long)instance);
	if (payload)
		fprintf(stderr, " %s", payload->name ? payload->name : "(no name)");
	if (payload && payload->source_file && payload->line_no != UINT32_MAX)
		fprintf(stderr, " (%s:%u)", payload->source_file, payload->line_no);
	if (type == xpti_edge_create)
		fprintf(stderr, " %llx -> %llx", (unsigned long long)event->source_id,
			(unsigned long long)event->target_id);
	if (metadata)
		for (const xpti_metadata_item_t *item = xpti_metadata_next(metadata, NULL); item;
		     item = xpti_metadata_next(metadata, item)) {
			fprintf(stderr, " %s=", xptiLookupString(item->key));
			print_object(xptiLookupObject(item->value));
		}
	fprintf(stderr, "\n");
}

void xptiTraceInit(unsigned major, unsigned minor, const char *version, const char *stream)
{
	xpti_stream_id_t id = xptiRegisterStream(stream);

	fprintf(stderr, "stream %s %u.%u (%s)\n", stream, major, minor, version);
	for (size_t i = 0; i < sizeof(trace_points) / sizeof(trace_points[0]); i++)
		xptiRegisterCallback(id, trace_points[i].type, print);
}

void xptiTraceFinish(const char *stream)
{
	fprintf(stderr, "end of stream %s\n", stream);
}
