/* SPDX-License-Identifier: MIT */
/* Fuzz target of the reader of a session's control page, of each version that can be read:
 * any bytes as DIR/control, whose magic and version are put right, and as session.json, with
 * a process's stream. What is believed of it (clock, counter's rate, level of arguments) is
 * used by the report and by what prints.
 *
 * An input is a byte that chooses the version, then session.json and the stream, each with
 * its length before it (scratch.h), and then the page: what it lacks is zeros. */
#include <stddef.h>
#include <string.h>

#include "analysis/report/report_make.h"
#include "cli/print/event_text.h"
#include "schema/control.h"
#include "scratch.h"
#include "trace/merge.h"
#include "trace/session/session_open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void put_control(uint8_t choice, const uint8_t *data, size_t bytes)
{
	static uint8_t page[TANDEM_CONTROL_BYTES];
	const uint64_t magic = TANDEM_CONTROL_MAGIC;
	/* The versions that are read, the ones around them, and whatever is there. */
	uint32_t version = TANDEM_CONTROL_VERSION_LEAST - 1 + choice % 8;

	memset(page, 0, sizeof(page));
	if (bytes)
		memcpy(page, data, bytes < sizeof(page) ? bytes : sizeof(page));
	memcpy(page + offsetof(struct tandem_control, magic), &magic, sizeof(magic));
	if (choice % 8 <= TANDEM_CONTROL_VERSION - TANDEM_CONTROL_VERSION_LEAST + 2)
		memcpy(page + offsetof(struct tandem_control, version), &version, sizeof(version));
	scratch_put("control", page, choice < 128 ? sizeof(page) : choice * 32u % sizeof(page));
}

static void print_all(struct trace_session *session)
{
	struct trace_objects objects = {.device_count = 0};
	struct event_samples stacks;
	struct event_text view = {.session = session, .objects = &objects, .stacks = &stacks};
	const struct trace_event *event;
	struct text text = TEXT_INIT;
	struct trace_merge merge;

	event_samples_init(&stacks);
	if (!trace_merge_open(&merge, session, 0)) {
		while (trace_merge_next(&merge, &event) > 0) {
			trace_objects_learn(&objects, event);
			event_text_line(&view, &text, event, EVENT_WHOLE);
			text_clear(&text);
		}
		trace_merge_close(&merge);
	}
	event_samples_free(&stacks);
	trace_objects_free(&objects);
	text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char metadata[] = "env {\n\tpid = 1000;\n\tprocname = \"synthetic\";\n};\n";
	struct trace_problems problems = {.tell = NULL};
	struct trace_session session;
	struct error error = ERROR_INIT;
	struct scratch_part part;
	struct report report;
	static bool made;
	uint8_t choice;

	if (!bytes)
		return 0;
	if (!made) {
		scratch_folder("process-1000");
		scratch_put("process-1000/metadata", metadata, strlen(metadata));
		made = true;
	}
	choice = *data++;
	bytes--;
	part = scratch_part(&data, &bytes);
	scratch_put("session.json", part.data, part.bytes);
	part = scratch_part(&data, &bytes);
	scratch_put("process-1000/stream-1", part.data, part.bytes);
	put_control(choice, data, bytes);
	if (!trace_session_open(&session, scratch(), &problems, &error)) {
		print_all(&session);
		if (!report_make(&report, &session, NULL, &error))
			report_free(&report);
		trace_session_close(&session);
	}
	trace_problems_free(&problems);
	return 0;
}
