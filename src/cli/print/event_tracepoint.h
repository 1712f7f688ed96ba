/* SPDX-License-Identifier: MIT */
/* A GPU driver's tracepoint for a reader: by its own name, with its own fields.
 * One thread. */
#ifndef TANDEM_CLI_PRINT_EVENT_TRACEPOINT_H
#define TANDEM_CLI_PRINT_EVENT_TRACEPOINT_H

#include <stdbool.h>

#include "trace/objects.h"
#include "util/json.h"
#include "util/text.h"

/* "gpu_scheduler:drm_run_job(name="gfx", job_count=1)". False: it is none, or one
 * that was not described. */
bool event_tracepoint_text(struct text *out, const struct trace_objects *objects,
			   const struct trace_event *event);

/* As a member "tracepoint" of the object that was begun: system, name, fields. */
void event_tracepoint_json(struct json *json, const struct trace_objects *objects,
			   const struct trace_event *event);

#endif
