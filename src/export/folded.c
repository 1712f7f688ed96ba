/* SPDX-License-Identifier: MIT */
/* Folded stacks, a line for each with its number of samples, as flamegraph.pl,
 * inferno and speedscope read them: "process;main;work;leaf 12". */
#include <errno.h>
#include <stdlib.h>

#include "analysis/profile/samples.h"
#include "export/export.h"
#include "util/keyed_row.h"

struct folded_row { /* a process's samples that ended at a node */
	uint32_t pid, node;
	uint64_t count;
};

struct folded {
	struct samples samples;
	struct folded_row *rows;
	size_t count, capacity;
	struct map by_key;
	struct text line;
};

static int on_sample(void *user, const struct samples_sample *sample)
{
	struct folded *state = user;
	uint64_t key = (uint64_t)sample->pid << 32 | sample->node;
	const struct folded_row fresh = {.pid = sample->pid, .node = sample->node};
	struct folded_row *row = keyed_row(&state->by_key, key, &state->rows, &state->capacity,
					   &state->count, &fresh, sizeof(fresh));

	if (!row)
		return -ENOMEM;
	row->count++;
	return 0;
}

static int folded_session(struct export *export)
{
	struct folded *state = export->state;

	samples_init(&state->samples, on_sample, state);
	state->samples.range = export->range;
	return 0;
}

static int folded_any(struct export *export, const struct event_item *item)
{
	struct folded *state = export->state;

	if (!item->event || !item->event->stream->process->kernel)
		return 0;
	return samples_consume(&state->samples, item->event);
}

/* Names may have spaces; what parts frames and lines they may not have. */
static void add_name(struct text *line, const char *name)
{
	for (; *name; name++)
		text_add_char(line, *name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' : *name);
}

static const char *process_name(const struct export *export, uint32_t pid)
{
	const struct trace_session *session = export->iterator->session;

	for (size_t i = 0; i < session->process_count; i++) {
		if (!session->processes[i].kernel && session->processes[i].pid == pid)
			return session->processes[i].name;
	}
	return "";
}

static void add_line(struct export *export, const struct folded_row *row)
{
	struct folded *state = export->state;
	uint32_t frames[SAMPLES_DEEPEST];
	size_t depth = samples_stack(&state->samples, row->node, frames, SAMPLES_DEEPEST);
	const char *name = process_name(export, row->pid);

	text_clear(&state->line);
	if (*name)
		add_name(&state->line, name);
	else
		text_format(&state->line, "process %u", row->pid);
	while (depth) {
		text_add_char(&state->line, ';');
		add_name(&state->line, samples_name(&state->samples, frames[--depth]));
	}
	text_format(&state->line, " %llu\n", (unsigned long long)row->count);
	output_text(&export->output, &state->line);
}

static void clear(struct folded *state)
{
	samples_free(&state->samples);
	map_free(&state->by_key);
	state->count = 0;
}

static int folded_session_end(struct export *export)
{
	struct folded *state = export->state;

	if (!state->count)
		return error_add(export->error, -ENODATA,
				 "%s: has no samples of stacks; record it "
				 "with --sample HZ",
				 export->iterator->session->path);
	for (size_t i = 0; i < state->count; i++)
		add_line(export, &state->rows[i]);
	clear(state);
	return 0;
}

static void folded_release(struct export *export)
{
	struct folded *state = export->state;

	clear(state);
	free(state->rows);
	text_free(&state->line);
}

const struct export_ops export_folded = {
	.name = "folded",
	.words = "sampled stacks, a line each, for flame graphs",
	.suffix = ".folded",
	.state_bytes = sizeof(struct folded),
	.session = folded_session,
	.any = folded_any,
	.session_end = folded_session_end,
	.release = folded_release,
};
