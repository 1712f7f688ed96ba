/* SPDX-License-Identifier: MIT */
/* speedscope's file format (speedscope.app/file-format-schema.json): the sampled
 * stacks of each thread in the order of time, a profile each. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/profile/samples.h"
#include "export/export.h"
#include "util/array.h"
#include "util/json.h"
#include "util/keyed_row.h"

struct speedscope_thread {
	uint32_t pid, tid;
	uint32_t *nodes; /* of its samples */
	size_t count, capacity;
	int64_t first_ns;
};

struct speedscope {
	struct samples samples;
	struct speedscope_thread *threads;
	size_t count, capacity;
	struct map by_thread;
	struct text line;
	struct json json;
};

static int on_sample(void *user, const struct samples_sample *sample)
{
	struct speedscope *state = user;
	uint64_t key = (uint64_t)sample->pid << 32 | sample->tid;
	const struct speedscope_thread fresh = {
		.pid = sample->pid, .tid = sample->tid, .first_ns = sample->ns};
	struct speedscope_thread *thread =
		keyed_row(&state->by_thread, key, &state->threads, &state->capacity, &state->count,
			  &fresh, sizeof(fresh));

	return thread ? ARRAY_ADD(thread->nodes, thread->capacity, thread->count, sample->node)
		      : -ENOMEM;
}

static int speedscope_session(struct export *export)
{
	struct speedscope *state = export->state;

	if (export->session)
		return error_add(export->error, -EINVAL,
				 "%s: speedscope takes one session at a "
				 "time",
				 export->iterator->session->path);
	samples_init(&state->samples, on_sample, state);
	state->samples.range = export->range;
	return 0;
}

static int speedscope_any(struct export *export, const struct event_item *item)
{
	struct speedscope *state = export->state;

	if (!item->event || !item->event->stream->process->kernel)
		return 0;
	return samples_consume(&state->samples, item->event);
}

/* The JSON that was made so far goes to the file now and then. */
static void pour(struct export *export)
{
	struct speedscope *state = export->state;

	if (state->line.length < 65536)
		return;
	output_text(&export->output, &state->line);
	text_clear(&state->line);
}

static void add_frames(struct export *export)
{
	struct speedscope *state = export->state;
	struct json *json = &state->json;

	json_begin_object(json, "shared");
	json_begin_array(json, "frames");
	for (uint32_t i = 0; i < state->samples.frame_count; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name", samples_name(&state->samples, i));
		if (*samples_file(&state->samples, i))
			json_string(json, "file", samples_file(&state->samples, i));
		json_end_object(json);
		pour(export);
	}
	json_end_array(json);
	json_end_object(json);
}

static const char *thread_name(const struct export *export, const struct speedscope_thread *thread)
{
	const struct trace_session *session = export->iterator->session;

	for (size_t i = 0; i < session->process_count; i++) {
		const struct trace_process *process = &session->processes[i];

		if (process->kernel || process->pid != thread->pid)
			continue;
		for (size_t j = 0; j < process->stream_count; j++) {
			if (process->streams[j].tid == thread->tid)
				return process->streams[j].thread_name;
		}
		return process->name;
	}
	return "";
}

static void add_profile(struct export *export, const struct speedscope_thread *thread)
{
	struct speedscope *state = export->state;
	struct json *json = &state->json;
	uint64_t period = state->samples.period_ns;
	uint32_t frames[SAMPLES_DEEPEST];
	struct text name = TEXT_INIT;

	text_format(&name, "%s %u/%u", thread_name(export, thread), thread->pid, thread->tid);
	json_begin_object(json, NULL);
	json_string(json, "type", "sampled");
	json_string(json, "name", name.data ? name.data : "");
	json_string(json, "unit", "nanoseconds");
	json_unsigned(json, "startValue", 0);
	json_unsigned(json, "endValue", thread->count * period);
	json_begin_array(json, "samples");
	for (size_t i = 0; i < thread->count; i++) {
		size_t depth =
			samples_stack(&state->samples, thread->nodes[i], frames, SAMPLES_DEEPEST);

		json_begin_array(json, NULL);
		while (depth)
			json_unsigned(json, NULL, frames[--depth]);
		json_end_array(json);
		pour(export);
	}
	json_end_array(json);
	json_begin_array(json, "weights");
	for (size_t i = 0; i < thread->count; i++) {
		json_unsigned(json, NULL, period);
		pour(export);
	}
	json_end_array(json);
	json_end_object(json);
	text_free(&name);
}

static int speedscope_session_end(struct export *export)
{
	struct speedscope *state = export->state;
	struct json *json = &state->json;
	const char *name = export->iterator->session->run.program;

	if (!state->count)
		return error_add(export->error, -ENODATA,
				 "%s: has no samples of stacks; record it "
				 "with --sample HZ",
				 export->iterator->session->path);
	json_init(json, &state->line, false);
	json_begin_object(json, NULL);
	json_string(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_string(json, "name", name ? name : "");
	json_string(json, "exporter", "tandem " TANDEM_VERSION);
	add_frames(export);
	json_begin_array(json, "profiles");
	for (size_t i = 0; i < state->count; i++)
		add_profile(export, &state->threads[i]);
	json_end_array(json);
	json_end_object(json);
	text_add_char(&state->line, '\n');
	output_text(&export->output, &state->line);
	return state->line.failed ? -ENOMEM : 0;
}

static void speedscope_release(struct export *export)
{
	struct speedscope *state = export->state;

	samples_free(&state->samples);
	for (size_t i = 0; i < state->count; i++)
		free(state->threads[i].nodes);
	free(state->threads);
	map_free(&state->by_thread);
	text_free(&state->line);
}

const struct export_ops export_speedscope = {
	.name = "speedscope",
	.words = "sampled stacks of each thread, for speedscope.app",
	.suffix = ".speedscope.json",
	.state_bytes = sizeof(struct speedscope),
	.session = speedscope_session,
	.any = speedscope_any,
	.session_end = speedscope_session_end,
	.release = speedscope_release,
};
