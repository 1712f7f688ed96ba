/* SPDX-License-Identifier: MIT */
#include "cli/print/event_sample.h"

#include <string.h>

/* Deeper stacks are cut in a line; --format json has all of it. */
#define MOST_FRAMES 16u

static int on_sample(void *user, const struct samples_sample *sample)
{
	struct event_samples *stacks = user;

	stacks->node = sample->node;
	return 0;
}

void event_samples_init(struct event_samples *stacks)
{
	stacks->record = NULL;
	samples_init(&stacks->samples, on_sample, stacks);
}

int event_samples_feed(struct event_samples *stacks, const struct trace_event *event)
{
	uint64_t before = stacks->samples.count;
	int status;

	stacks->record = NULL;
	if (!event || !event->stream->process->kernel)
		return 0;
	status = samples_consume(&stacks->samples, event);
	if (!status && stacks->samples.count != before)
		stacks->record = event->record;
	return status;
}

static bool is_fed(const struct event_samples *stacks, const struct trace_event *event)
{
	return stacks && stacks->record && stacks->record == event->record;
}

bool event_sample_text(struct text *out, const struct event_samples *stacks,
		       const struct trace_event *event)
{
	uint32_t frames[SAMPLES_DEEPEST];
	const char *name;
	size_t depth;

	if (!is_fed(stacks, event))
		return false;
	depth = samples_stack(&stacks->samples, stacks->node, frames, SAMPLES_DEEPEST);
	text_add_string(out, "sample(");
	for (size_t i = 0; i < depth && i < MOST_FRAMES; i++) {
		name = samples_name(&stacks->samples, frames[i]);
		text_add_string(out, i ? " < " : "");
		text_escape(out, name, strlen(name));
	}
	text_add_string(out, depth > MOST_FRAMES ? " < ...)" : ")");
	return true;
}

void event_sample_json(struct json *json, const struct event_samples *stacks,
		       const struct trace_event *event)
{
	uint32_t frames[SAMPLES_DEEPEST];
	size_t depth;

	if (!is_fed(stacks, event))
		return;
	depth = samples_stack(&stacks->samples, stacks->node, frames, SAMPLES_DEEPEST);
	json_begin_array(json, "stack");
	for (size_t i = 0; i < depth; i++)
		json_string(json, NULL, samples_name(&stacks->samples, frames[i]));
	json_end_array(json);
}

void event_samples_free(struct event_samples *stacks)
{
	samples_free(&stacks->samples);
}
