/* SPDX-License-Identifier: MIT */
#include "cli/print/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "schema/gen/core_records.h"
#include "trace/session/session.h"

void filter_init(struct filter *filter)
{
	*filter = (struct filter){.from_ns = INT64_MIN, .to_ns = INT64_MAX};
}

int filter_add_number(uint64_t *list, size_t *count, const char *text)
{
	uint64_t number;

	if (cli_parse_number(text, UINT64_MAX, &number))
		return -EINVAL;
	if (*count == FILTER_MOST)
		return -E2BIG;
	list[(*count)++] = number;
	return 0;
}

int filter_add_name(struct filter *filter, const char *pattern)
{
	if (filter->name_count == FILTER_MOST)
		return -E2BIG;
	filter->names[filter->name_count++] = pattern;
	return 0;
}

static bool list_has(const uint64_t *list, size_t count, uint64_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i] == number)
			return true;
	}
	return !count;
}

static bool name_matches(const struct filter *filter, const char *name)
{
	for (size_t i = 0; i < filter->name_count; i++) {
		if (!fnmatch(filter->names[i], name, 0))
			return true;
	}
	return false;
}

static bool operation_matches(const struct filter *filter, const struct trace_event *event,
			      const struct trace_objects *objects)
{
	const struct tandem_rec_operation *record = (const void *)event->record;
	const struct tandem_event *api =
		trace_session_event(event->stream->process->session, record->api);
	uint32_t kernel =
		trace_objects_kernel(objects, event->stream->process->index, record->kernel);

	if (kernel != TRACE_NONE && name_matches(filter, intern_text(&objects->names, kernel)))
		return true;
	return api && name_matches(filter, api->name);
}

/* "drm_run_job", "gpu_scheduler:*". */
static bool tracepoint_matches(const struct filter *filter, const struct trace_event *event,
			       const struct trace_objects *objects)
{
	struct tracepoint_data data;
	uint32_t tid;
	const struct tracepoint *kind = tracepoints_of(objects->tracepoints, event, &data, &tid);
	char whole[160];

	if (!kind)
		return false;
	snprintf(whole, sizeof(whole), "%s:%s", kind->system, kind->name);
	return name_matches(filter, kind->name) || name_matches(filter, whole);
}

/* A pattern is matched once for each kind of event, not for each event. */
static bool event_matches(struct filter *filter, const struct trace_event *event)
{
	uint8_t *verdict;

	if (!filter->verdicts) {
		filter->verdicts = calloc(event->stream->process->session->event_count + 1u, 1);
		if (!filter->verdicts)
			return name_matches(filter, event->layout->event->name);
	}
	verdict = &filter->verdicts[event->layout->index];
	if (!*verdict)
		*verdict = name_matches(filter, event->layout->event->name) ? 2 : 1;
	return *verdict == 2;
}

bool filter_takes(struct filter *filter, const struct trace_event *event,
		  const struct trace_objects *objects)
{
	if (!list_has(filter->pids, filter->pid_count, event->stream->process->pid) ||
	    !list_has(filter->tids, filter->tid_count, event->tid))
		return false;
	if (!filter->name_count || event_matches(filter, event))
		return true;
	if (event->record->id == TANDEM_EVENT_operation)
		return operation_matches(filter, event, objects);
	return tracepoint_matches(filter, event, objects);
}

void filter_free(struct filter *filter)
{
	free(filter->verdicts);
}
