/* SPDX-License-Identifier: MIT */
#include "export/chrome/line.h"

void chrome_line_begin(struct export *export, const char *phase, const char *name)
{
	struct chrome *state = export->state;

	text_clear(&state->line);
	text_add_string(&state->line, state->begun ? ",\n" : "\n");
	state->begun = true;
	json_init(&state->json, &state->line, false);
	json_begin_object(&state->json, NULL);
	json_string(&state->json, "ph", phase);
	json_string(&state->json, "name", name);
}

void chrome_line_end(struct export *export)
{
	struct chrome *state = export->state;

	json_end_object(&state->json);
	output_text(&export->output, &state->line);
}

void chrome_add_place(struct export *export, uint64_t pid, uint64_t tid)
{
	struct chrome *state = export->state;

	json_signed(&state->json, "pid", export_pid(export, pid));
	json_unsigned(&state->json, "tid", tid);
}

void chrome_add_us(struct json *json, const char *key, int64_t ns)
{
	json_thousandths(json, key, ns);
}

void chrome_add_time(struct export *export, const char *key, int64_t monotonic_ns)
{
	struct chrome *state = export->state;

	chrome_add_us(&state->json, key, export_time(export, monotonic_ns) - export->origin_ns);
}

void chrome_name_place(struct export *export, const char *what, const char *key, uint64_t pid,
		       uint64_t tid, const char *name)
{
	struct chrome *state = export->state;

	chrome_line_begin(export, "M", what);
	chrome_add_place(export, pid, tid);
	json_begin_object(&state->json, "args");
	json_string(&state->json, key, name);
	json_end_object(&state->json);
	chrome_line_end(export);
}
