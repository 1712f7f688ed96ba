/* SPDX-License-Identifier: MIT */
/* A damaged session is read as far as it is whole, and every damage is told: each
 * byte of a stream changed in turn, files cut off, missing, empty, full of
 * garbage, packets twice. argv[1] is bench/gen_trace. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/events/ordered_events.h"
#include "analysis/report/report_make.h"
#include "check.h"
#include "cli/print/event_json.h"
#include "cli/print/event_text.h"
#include "cli/record/phase.h"
#include "format/packet.h"
#include "schema/record.h"
#include "trace/merge.h"
#include "trace/session/session_open.h"

struct outcome {
	int status; /* of opening */
	uint64_t events, problems, skipped_bytes;
};

struct file {
	char path[256];
	char *data;
	size_t bytes;
};

static char session_path[128];
static struct outcome whole;

/* --- files */

static void load(struct file *file, const char *name)
{
	struct stat status;
	FILE *stream;

	snprintf(file->path, sizeof(file->path), "%s/%s", session_path, name);
	if (stat(file->path, &status) || !(stream = fopen(file->path, "r"))) {
		perror(file->path);
		exit(1);
	}
	file->bytes = (size_t)status.st_size;
	file->data = malloc(file->bytes + 1);
	if (fread(file->data, 1, file->bytes, stream) != file->bytes)
		exit(1);
	fclose(stream);
}

static void save(const struct file *file, const char *data, size_t bytes)
{
	FILE *stream = fopen(file->path, "w");

	if (!stream || fwrite(data, 1, bytes, stream) != bytes || fclose(stream)) {
		perror(file->path);
		exit(1);
	}
}

static void put_byte(const struct file *file, size_t at, char byte)
{
	FILE *stream = fopen(file->path, "r+");

	if (!stream || fseek(stream, (long)at, SEEK_SET) || fputc(byte, stream) == EOF ||
	    fclose(stream))
		exit(1);
}

static void restore(struct file *file)
{
	save(file, file->data, file->bytes);
	free(file->data);
}

/* --- reading */

static int sound_order(const struct trace_event *event, uint64_t *last)
{
	int sound = event->ticks >= *last;

	*last = event->ticks;
	return sound;
}

struct ordered {
	struct event_iterator iterator;
	struct event_text view;
	int64_t last_ns;
};

static int keep_lines(void *user, enum ordered_event_kind kind, int64_t ns,
		      const struct event_item *item, struct text *kept)
{
	struct ordered *ordered = user;

	if (kind >= ORDERED_QUEUED && kind <= ORDERED_STOP) {
		phase_text(&ordered->view, &ordered->iterator, kept, kind, ns, item);
		phase_json(&ordered->iterator, kept, kind, ns, item);
		return 0;
	}
	event_text_line(&ordered->view, kept, item->event,
			kind == ORDERED_END ? EVENT_END : EVENT_BEGIN);
	return 0;
}

static int take_lines(void *user, const struct reorder_event *event)
{
	struct ordered *ordered = user;

	CHECK(event->time_ns + event->moved_ns >= ordered->last_ns);
	CHECK(((const char *)event->payload)[event->bytes - 1] == '\n');
	ordered->last_ns = event->time_ns + event->moved_ns;
	return 0;
}

/* Whatever the damage: every event in the order of time. */
static void read_in_order(struct trace_session *session)
{
	static const struct ordered_events_ops ops = {.keep = keep_lines, .take = take_lines};
	struct ordered ordered = {.last_ns = INT64_MIN};
	const struct event_item *item;
	struct ordered_events ordered_events;

	CHECK(event_iterator_open(&ordered.iterator, session, NULL) == 0);
	ordered.view = (struct event_text){.session = session,
					   .objects = &ordered.iterator.devices.objects};
	CHECK(ordered_events_open(&ordered_events, &ordered.iterator, &ops, &ordered) == 0);
	while (event_iterator_next(&ordered.iterator, &item) > 0)
		CHECK(ordered_events_add(&ordered_events, item) == 0);
	CHECK(ordered_events_finish(&ordered_events) == 0);
	ordered_events_close(&ordered_events);
	event_iterator_close(&ordered.iterator);
}

/* What is cut off once the session is open. */
static const struct file *cut_when_open;

/* Reads everything there is; `print` also looks into every field. */
static struct outcome session_read(bool print)
{
	struct trace_problems problems = {.tell = NULL};
	struct trace_objects objects = {.device_count = 0};
	struct error error = ERROR_INIT;
	struct outcome outcome = {.status = 0};
	struct trace_session session;
	struct text text = TEXT_INIT;
	struct trace_merge merge;
	const struct trace_event *event;
	struct event_samples stacks;
	uint64_t last = 0;

	outcome.status = trace_session_open(&session, session_path, &problems, &error);
	if (outcome.status) {
		CHECK(error.count > 0);
		trace_problems_free(&problems);
		return outcome;
	}
	if (cut_when_open)
		CHECK(!truncate(cut_when_open->path, (off_t)cut_when_open->bytes));
	event_samples_init(&stacks);
	CHECK(trace_merge_open(&merge, &session, 0) == 0);
	while (trace_merge_next(&merge, &event) > 0) {
		struct event_text view = {
			.session = &session, .objects = &objects, .stacks = &stacks};

		CHECK(sound_order(event, &last));
		outcome.events++;
		if (!print)
			continue;
		CHECK(trace_objects_learn(&objects, event) == 0);
		CHECK(event_samples_feed(&stacks, event) == 0);
		event_text_line(&view, &text, event, EVENT_WHOLE);
		event_json_line(&objects, &session, &stacks, &text, event);
		text_clear(&text);
	}
	trace_merge_close(&merge);
	event_samples_free(&stacks);
	if (print) {
		struct report report;

		CHECK(report_make(&report, &session, NULL, &error) == 0);
		CHECK(report.events == outcome.events);
		report_free(&report);
		read_in_order(&session);
	}
	outcome.problems = problems.count;
	outcome.skipped_bytes = problems.skipped_bytes;
	text_free(&text);
	trace_objects_free(&objects);
	trace_session_close(&session);
	trace_problems_free(&problems);
	return outcome;
}

/* --- damages */

/* Places where any value is as good as another: payloads, results, times within
 * their bounds. There a change may go unseen; elsewhere it must be told. Whatever
 * it is, no more than two packets may be lost of it. */
static void every_byte_changed(const char *name, uint64_t packet_events)
{
	struct file file;

	load(&file, name);
	for (size_t i = 0; i < file.bytes; i++) {
		struct outcome outcome;

		put_byte(&file, i, (char)(file.data[i] ^ (i % 2 ? 0xff : 1 << i % 8)));
		outcome = session_read(i % 16 == 0);
		put_byte(&file, i, file.data[i]);
		CHECK(outcome.status == 0);
		CHECK(outcome.events <= whole.events);
		CHECK(outcome.events + 2 * packet_events >= whole.events);
		CHECK(outcome.events == whole.events || outcome.problems > 0);
	}
	restore(&file);
}

static void cut_off(const char *name)
{
	struct file file;
	uint64_t before = 0;

	load(&file, name);
	for (size_t bytes = 0; bytes < file.bytes; bytes += bytes < 300 ? 1 : 61) {
		struct outcome outcome;

		save(&file, file.data, bytes);
		outcome = session_read(bytes % 7 == 0);
		CHECK(outcome.status == 0);
		CHECK(outcome.events >= before && outcome.events <= whole.events);
		before = outcome.events;
	}
	restore(&file);
}

static void expect(const char *what, bool events, bool told)
{
	struct outcome outcome = session_read(true);

	if (outcome.status || (events && !outcome.events) ||
	    (told ? !outcome.problems : outcome.problems > 0)) {
		fprintf(stderr, "%s: status %d, %llu events, %llu problems\n", what, outcome.status,
			(unsigned long long)outcome.events, (unsigned long long)outcome.problems);
		check_failures++;
	}
}

static void whole_files(const char *name, bool missing_is_told)
{
	struct file file;
	char *garbage;

	load(&file, name);
	garbage = malloc(file.bytes);
	for (size_t i = 0; i < file.bytes; i++)
		garbage[i] = (char)(i * 2654435761u >> 13);
	unlink(file.path);
	expect(name, true, missing_is_told);
	mkdir(file.path, 0700);
	expect(name, true, true);
	rmdir(file.path);
	save(&file, garbage, file.bytes);
	expect(name, true, true);
	save(&file, garbage, 0);
	expect(name, true, true);
	free(garbage);
	restore(&file);
	expect(name, true, false);
}

/* A process that was killed between appending its window and beginning it anew:
 * the packet stands in both files, in the first perhaps only in part. */
static void packet_twice(void)
{
	struct file stream, window;
	struct tandem_packet_header header;
	size_t content;
	char *both;

	load(&stream, "process-1000/stream-1");
	load(&window, "process-1000/window-1");
	memcpy(&header, window.data, sizeof(header));
	content = (size_t)((header.content_bits / 8 + 7) & ~7u);
	header.packet_bits = content * 8;
	both = malloc(stream.bytes + content);
	memcpy(both, stream.data, stream.bytes);
	memcpy(both + stream.bytes, window.data, content);
	memcpy(both + stream.bytes, &header, sizeof(header));
	for (size_t part = 0; part <= content; part += part < 200 ? 8 : 40) {
		struct outcome outcome;

		save(&stream, both, stream.bytes + part);
		outcome = session_read(false);
		CHECK(outcome.status == 0);
		CHECK(outcome.events == whole.events);
		CHECK(!outcome.problems || (part && part < sizeof(header)));
	}
	free(both);
	restore(&window);
	restore(&stream);
}

/* Packets of a thread in another order, twice, and one missing. */
static void packets_moved(void)
{
	struct file file;
	struct tandem_packet_header header;
	struct outcome outcome;
	size_t first;
	char *twice;

	load(&file, "process-1000/stream-1");
	memcpy(&header, file.data, sizeof(header));
	first = (size_t)(header.packet_bits / 8);
	save(&file, file.data + first, file.bytes - first);
	outcome = session_read(true);
	CHECK(outcome.status == 0 && outcome.events < whole.events);
	twice = malloc(file.bytes + first);
	memcpy(twice, file.data, first);
	memcpy(twice + first, file.data, file.bytes);
	save(&file, twice, file.bytes + first);
	outcome = session_read(true);
	CHECK(outcome.status == 0 && outcome.events == whole.events && outcome.problems == 1);
	free(twice);
	restore(&file);
}

/* A process that ends between the opening of its session and the reading: it begins an empty
 * packet behind its last one, and cuts the file there. */
static void ends_meanwhile(void)
{
	const size_t reserved = 65536;
	struct tandem_packet_header empty;
	struct outcome outcome;
	struct file file;
	char *longer;

	load(&file, "process-1000/stream-1");
	longer = calloc(1, file.bytes + reserved);
	CHECK(longer != NULL);
	memcpy(longer, file.data, file.bytes);
	memcpy(&empty, file.data, sizeof(empty));
	empty.content_bits = sizeof(empty) * 8;
	empty.packet_bits = reserved * 8;
	for (size_t at = 0; at < file.bytes; empty.packet_seq_num++) {
		struct tandem_packet_header header;

		memcpy(&header, file.data + at, sizeof(header));
		at += header.packet_bits / 8;
	}
	memcpy(longer + file.bytes, &empty, sizeof(empty));
	save(&file, longer, file.bytes + reserved);
	outcome = session_read(false);
	CHECK(outcome.events == whole.events && !outcome.problems);
	cut_when_open = &file;
	outcome = session_read(false);
	CHECK(outcome.events == whole.events && !outcome.problems && !outcome.skipped_bytes);
	/* In the middle of a packet it is damage. */
	save(&file, longer, file.bytes + reserved);
	file.bytes -= 50;
	outcome = session_read(false);
	CHECK(outcome.problems);
	file.bytes += 50;
	cut_when_open = NULL;
	free(longer);
	restore(&file);
}

static void no_session(void)
{
	struct file control, run, metadata;

	load(&control, "control");
	load(&run, "session.json");
	load(&metadata, "process-1000/metadata");
	unlink(control.path);
	unlink(run.path);
	CHECK(session_read(true).events == whole.events);
	unlink(metadata.path);
	CHECK(session_read(true).status == 0);
	restore(&metadata);
	restore(&control);
	restore(&run);
}

static void another_schema(void)
{
	struct file file;
	char *place;

	load(&file, "process-1000/metadata");
	file.data[file.bytes] = '\0';
	place = strstr(file.data, "schema = \"");
	CHECK(place);
	put_byte(&file, (size_t)(place - file.data) + 12, 'z');
	CHECK(session_read(true).events == whole.events);
	restore(&file);
}

static int make(const char *generator)
{
	char size[] = "240", window[] = "2048", threads[] = "2";
	const char *folder = getenv("TANDEM_TMP");
	/* In memory where there is such a place: it is written some 10,000 times. */
	bool memory = !access("/dev/shm", W_OK);
	pid_t child;
	int status;

	snprintf(session_path, sizeof(session_path), "%s/damage-XXXXXX",
		 memory	  ? "/dev/shm"
		 : folder ? folder
			  : "/tmp");
	if (!mkdtemp(session_path))
		return -1;
	child = fork();
	if (!child) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		execl(generator, generator, "-n", size, "-w", window, "-t", threads, session_path,
		      (char *)NULL);
		_exit(127);
	}
	return waitpid(child, &status, 0) == child && !status ? 0 : -1;
}

static void remove_session(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s'", session_path);
	if (system(command))
		perror(session_path);
}

int main(int argc, char **argv)
{
	if (argc < 2 || make(argv[1])) {
		fprintf(stderr, "damage: cannot make a session\n");
		return 1;
	}
	whole = session_read(true);
	CHECK(whole.status == 0 && whole.events == 240 && whole.problems == 0);
	every_byte_changed("process-1000/stream-1", 60);
	every_byte_changed("process-1000/window-2", 60);
	cut_off("process-1000/stream-2");
	cut_off("process-1000/window-1");
	cut_off("process-1000/metadata");
	cut_off("control");
	cut_off("session.json");
	whole_files("process-1000/stream-1", true);
	whole_files("process-1000/window-2", false);
	whole_files("process-1000/metadata", true);
	whole_files("control", true);
	whole_files("session.json", true);
	packet_twice();
	packets_moved();
	ends_meanwhile();
	no_session();
	another_schema();
	remove_session();
	return check_status();
}
