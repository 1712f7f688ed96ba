/* SPDX-License-Identifier: MIT */
/* Without libtraceevent nobody can read the descriptions of drivers' tracepoints. */
#include "trace/tracepoint.h"

struct tracepoints *tracepoints_create(void)
{
	return NULL;
}

void tracepoints_destroy(struct tracepoints *tracepoints)
{
	(void)tracepoints;
}

int tracepoints_describe(struct tracepoints *tracepoints, uint32_t id, const char *system,
			 const char *name, const char *text, size_t length)
{
	(void)tracepoints, (void)id, (void)system, (void)name, (void)text, (void)length;
	return 0;
}

int tracepoints_learn(struct tracepoints *tracepoints, const struct trace_event *event)
{
	(void)tracepoints, (void)event;
	return 0;
}

const struct tracepoint *tracepoints_find(const struct tracepoints *tracepoints, uint32_t id)
{
	(void)tracepoints, (void)id;
	return NULL;
}

const struct tracepoint *tracepoints_of(const struct tracepoints *tracepoints,
					const struct trace_event *event,
					struct tracepoint_data *data, uint32_t *tid)
{
	(void)tracepoints, (void)event, (void)data, (void)tid;
	return NULL;
}

const struct tracepoint_field *tracepoint_field(const struct tracepoint *tracepoint,
						const char *name)
{
	(void)tracepoint, (void)name;
	return NULL;
}

uint64_t tracepoint_number(const struct tracepoint_field *field, const struct tracepoint_data *data)
{
	(void)field, (void)data;
	return 0;
}

const char *tracepoint_string(const struct tracepoint_field *field,
			      const struct tracepoint_data *data, size_t *length)
{
	(void)field, (void)data;
	*length = 0;
	return "";
}
