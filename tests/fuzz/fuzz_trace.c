/* Fuzz target of the reader: a process's metadata, a stream and a window of any
 * bytes, through everything that `tandem print` and `tandem report` do with them.
 *
 * An input is 2 bytes: the metadata's length; 3 bytes: the stream's; then the
 * metadata, the stream and, as far as it goes, the window. Lengths are taken
 * modulo what is left. tests/fuzz/run makes the first inputs and starts it.
 *
 * With libFuzzer (clang -fsanitize=fuzzer) it looks for inputs by itself; linked
 * with tests/fuzz/replay.c it reads the files that are given.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/chronicle.h"
#include "analysis/report.h"
#include "cli/event_json.h"
#include "cli/event_text.h"
#include "cli/phase.h"
#include "schema/control.h"
#include "trace/merge.h"

struct ordered {
	struct walk walk;
	struct event_text view;
	int64_t last_ns;
};

static int keep_lines(void *user, enum chronicle_kind kind, int64_t ns,
		      const struct walk_item *item, struct text *kept)
{
	struct ordered *ordered = user;

	if (kind >= CHRONICLE_QUEUED && kind <= CHRONICLE_STOP)
		phase_text(&ordered->view, &ordered->walk, kept, kind, ns, item);
	else
		event_text_line(&ordered->view, kept, item->event, EVENT_END);
	return 0;
}

static int take_lines(void *user, const struct order_event *event)
{
	struct ordered *ordered = user;

	if (event->time_ns + event->moved_ns < ordered->last_ns)
		abort();
	ordered->last_ns = event->time_ns + event->moved_ns;
	return 0;
}

static void print_ordered(struct trace_session *session)
{
	static const struct chronicle_ops ops = {.keep = keep_lines, .take = take_lines};
	struct ordered ordered = {.last_ns = INT64_MIN};
	const struct walk_item *item;
	struct chronicle chronicle;

	if (walk_open(&ordered.walk, session, NULL))
		abort();
	ordered.view = (struct event_text){.session = session,
					   .objects = &ordered.walk.devices.objects};
	if (chronicle_open(&chronicle, &ordered.walk, &ops, &ordered))
		abort();
	while (walk_next(&ordered.walk, &item) > 0) {
		if (chronicle_add(&chronicle, item))
			abort();
	}
	if (chronicle_finish(&chronicle))
		abort();
	chronicle_close(&chronicle);
	walk_close(&ordered.walk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char folder[128];

static void put_file(const char *name, const void *data, size_t bytes)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file))
		abort();
}

static void remove_folder(void)
{
	static const char *const names[] = {"process-1/metadata", "process-1/stream-1",
					    "process-1/window-1", "process-1", "control"};
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	rmdir(folder);
}

static void make_folder(void)
{
	static struct tandem_control control = {
		.args_level = TANDEM_ARGS_BASIC,
		.magic = TANDEM_CONTROL_MAGIC,
		.version = TANDEM_CONTROL_VERSION,
		.ticks_hz = 2500000000u,
		.start_ticks = 1000000000000u,
		.start_monotonic_ns = 400000000000u,
	};
	char path[256];

	/* In memory where there is such a place: some thousand a second. */
	snprintf(folder, sizeof(folder), "%s/tandem-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/process-1", folder);
	if (mkdir(path, 0700))
		abort();
	put_file("control", &control, sizeof(control));
	atexit(remove_folder);
}

static void print_all(struct trace_session *session, bool json)
{
	struct trace_objects objects = {.device_count = 0};
	struct event_samples stacks;
	struct event_text view = {.session = session, .objects = &objects, .stacks = &stacks};
	const struct trace_event *event;
	struct text text = TEXT_INIT;
	struct trace_merge merge;
	uint64_t last = 0;

	event_samples_init(&stacks);
	if (trace_merge_open(&merge, session, 0))
		abort();
	while (trace_merge_next(&merge, &event) > 0) {
		if (event->ticks < last)
			abort();
		last = event->ticks;
		/* One of the two, to try more inputs. */
		if (trace_objects_learn(&objects, event) || event_samples_feed(&stacks, event))
			abort();
		if (json)
			event_json_line(&objects, session, &stacks, &text, event);
		else
			event_text_line(&view, &text, event, EVENT_WHOLE);
		text_clear(&text);
	}
	trace_merge_close(&merge);
	event_samples_free(&stacks);
	trace_objects_free(&objects);
	text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct trace_problems problems = {.tell = NULL};
	struct trace_session session;
	struct error error = ERROR_INIT;
	struct report report;
	size_t metadata, stream;

	if (bytes < 5)
		return 0;
	if (!*folder)
		make_folder();
	metadata = data[0] | (size_t)data[1] << 8;
	stream = data[2] | (size_t)data[3] << 8 | (size_t)data[4] << 16;
	data += 5;
	bytes -= 5;
	metadata = metadata <= bytes ? metadata : metadata % (bytes + 1);
	put_file("process-1/metadata", data, metadata);
	data += metadata;
	bytes -= metadata;
	stream = stream <= bytes ? stream : stream % (bytes + 1);
	put_file("process-1/stream-1", data, stream);
	put_file("process-1/window-1", data + stream, bytes - stream);

	if (!trace_session_open(&session, folder, &problems, &error)) {
		print_all(&session, bytes % 2);
		print_ordered(&session);
		if (!report_make(&report, &session, NULL, &error))
			report_free(&report);
		trace_session_close(&session);
	}
	trace_problems_free(&problems);
	return 0;
}
