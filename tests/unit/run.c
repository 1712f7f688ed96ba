/* SPDX-License-Identifier: MIT */
/* session.json read as without jansson against jansson's reading: of what
 * `tandem record` writes, whatever the words hold. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "trace/session/run.h"
#include "util/json.h"

/* What of the two this build has not. */
#define trace_run_parse plain_parse
int plain_parse(struct trace_run *run, const char *text, size_t bytes, uint64_t *offset, char *why,
		size_t why_bytes);
#include "trace/session/run_plain.c"
#undef trace_run_parse

static const char *const strange[] = {
	"plain",
	"",
	"a b",
	"it's",
	"say \": x",
	"\"quoted\": {",
	"back\\slash",
	"{",
	"[",
	"}",
	"]",
	"\t\n\r\b\f\001",
	"\"member\": \"value\",",
	"caf\xc3\xa9",
	"\xff\xfe",
	"ends, with,",
};

static void write(struct text *text)
{
	struct json json;

	text_clear(text);
	json_init(&json, text, true);
	json_begin_object(&json, NULL);
	json_string(&json, "tandem", "0.1.0");
	json_begin_object(&json, "snapshot");
	json_string(&json, "of", "run");
	json_string(&json, "reason", "call f > 5ms: f took \"7 ms\"");
	json_unsigned(&json, "at_monotonic_ns", 3677925000000u);
	json_end_object(&json);
	json_string(&json, "schema", "0123456789abcdef");
	json_string(&json, "program", "/tmp/a \"program\": {\\");
	json_begin_array(&json, "command");
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		json_string(&json, NULL, strange[i]);
	json_end_array(&json);
	json_string(&json, "host", "vm");
	json_string(&json, "kernel_release", "6.18");
	json_string(&json, "machine", "x86_64");
	json_string(&json, "boot_id", "7d600413");
	json_string(&json, "cwd", "/\xe2\x82\xac/\001");
	json_string(&json, "start", "2026-11-22T14:59:21.903057768+00:00");
	json_unsigned(&json, "start_realtime_ns", 1795359561903057768u);
	json_unsigned(&json, "start_monotonic_ns", 3677924366988u);
	json_unsigned(&json, "start_ticks", 9548615500387u);
	json_unsigned(&json, "ticks_hz", 2596134306u);
	json_begin_object(&json, "options");
	json_begin_array(&json, "domains");
	json_string(&json, NULL, "opencl");
	json_string(&json, NULL, "program");
	json_end_array(&json);
	json_unsigned(&json, "ticks_hz", 7); /* a namesake of the outer one */
	json_end_object(&json);
	json_begin_object(&json, "end");
	json_unsigned(&json, "ticks", 9548619795014u);
	json_unsigned(&json, "monotonic_ns", 3677926021217u);
	json_end_object(&json);
	json_begin_object(&json, "exit");
	json_signed(&json, "code", 0);
	json_signed(&json, "signal", 9);
	json_end_object(&json);
	json_begin_array(&json, "hosts");
	for (int i = 0; i < 4; i++) {
		json_begin_object(&json, NULL);
		json_string(&json, "name", i ? "node \"b\"" : "node-a");
		json_string(&json, "boot_id", i ? "" : "7d600413");
		json_string(&json, "clock", trace_host_clock_words[i]);
		json_signed(&json, "moved_ns", i * INT64_C(-3000000001));
		json_float(&json, "drift_ppm", i * -1.5, 3);
		json_unsigned(&json, "bound_ns", (uint64_t)i * 1000);
		json_unsigned(&json, "messages", (uint64_t)i * 7);
		json_unsigned(&json, "first_cpu", (uint64_t)i * 4);
		json_unsigned(&json, "cpus", 4);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_begin_array(&json, "processes");
	for (unsigned i = 0; i < 40; i++) {
		json_begin_object(&json, NULL);
		json_unsigned(&json, "pid", 100 + i);
		json_unsigned(&json, "ppid", 99);
		json_string(&json, "name", strange[i % (sizeof(strange) / sizeof(*strange))]);
		json_bool(&json, "exec", i % 2);
		json_unsigned(&json, "lived_ns", i * 1000);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_float(&json, "record_floor_ns", 19.234, 3);
	json_float(&json, "page_fault_ns", 412.5, 3);
	json_unsigned(&json, "recorder_cpu_ns", 2436000);
	json_end_object(&json);
	text_add_char(text, '\n');
}

#define SAME_TEXT(member) CHECK(!strcmp(ours.member, theirs.member))
#define SAME(member) CHECK(ours.member == theirs.member)

static void compare(const char *text, size_t bytes)
{
	struct trace_run ours, theirs;
	uint64_t offset;
	char why[256];

	trace_run_init(&ours);
	trace_run_init(&theirs);
	CHECK(plain_parse(&ours, text, bytes, &offset, why, sizeof(why)) == 0);
	CHECK(trace_run_parse(&theirs, text, bytes, &offset, why, sizeof(why)) == 0);
	CHECK(strstr(ours.command, "plain '' 'a b' 'it'\\''s'"));
	CHECK(ours.exit_signal == 9 && ours.has_exit && ours.has_end &&
	      ours.ticks_hz == 2596134306u);
	SAME_TEXT(tandem);
	SAME_TEXT(schema);
	SAME_TEXT(program);
	SAME_TEXT(command);
	SAME_TEXT(host);
	SAME_TEXT(boot_id);
	SAME_TEXT(release);
	SAME_TEXT(machine);
	SAME_TEXT(cwd);
	SAME_TEXT(start);
	SAME_TEXT(snapshot_of);
	SAME_TEXT(snapshot_reason);
	SAME(snapshot_at_ns);
	CHECK(!strcmp(ours.snapshot_of, "run") && strstr(ours.snapshot_reason, "took \"7 ms\""));
	SAME(ticks_hz);
	SAME(start_ticks);
	SAME(start_monotonic_ns);
	SAME(start_realtime_ns);
	SAME(has_end);
	SAME(end_ticks);
	SAME(end_monotonic_ns);
	SAME(has_exit);
	SAME(exit_code);
	SAME(exit_signal);
	SAME(record_floor_ns);
	SAME(page_fault_ns);
	SAME(recorder_cpu_ns);
	CHECK(ours.process_count == 40);
	SAME(process_count);
	for (size_t i = 0; i < ours.process_count && i < theirs.process_count; i++) {
		SAME(processes[i].pid);
		SAME(processes[i].ppid);
		SAME(processes[i].exec);
		SAME(processes[i].lived_ns);
		SAME_TEXT(processes[i].name);
	}
	CHECK(ours.host_count == 4);
	SAME(host_count);
	for (size_t i = 0; i < ours.host_count && i < theirs.host_count; i++) {
		SAME_TEXT(hosts[i].name);
		SAME_TEXT(hosts[i].boot_id);
		SAME(hosts[i].clock);
		SAME(hosts[i].moved_ns);
		SAME(hosts[i].drift_ppm);
		SAME(hosts[i].bound_ns);
		SAME(hosts[i].messages);
		SAME(hosts[i].first_cpu);
		SAME(hosts[i].cpus);
	}
	trace_run_free(&ours);
	trace_run_free(&theirs);
}

/* A piece of it: an error, and nothing is read beyond. */
static void cut(const char *text, size_t bytes)
{
	for (size_t length = 0; length + 2 < bytes; length += 7) {
		char *piece = malloc(length + 1);
		struct trace_run run;
		uint64_t offset;
		char why[256] = "";

		if (!piece)
			exit(2);
		memcpy(piece, text, length);
		piece[length] = 0;
		trace_run_init(&run);
		plain_parse(&run, piece, length, &offset, why, sizeof(why));
		trace_run_free(&run);
		free(piece);
	}
}

int main(void)
{
	struct text text = TEXT_INIT;
	struct trace_run run;
	uint64_t offset;
	char why[256];

	write(&text);
	compare(text.data, text.length);
	cut(text.data, text.length);
	trace_run_init(&run);
	CHECK(plain_parse(&run, "{\n  \"ticks_hz\": 1", 17, &offset, why, sizeof(why)) == -EINVAL);
	CHECK(plain_parse(&run, "", 0, &offset, why, sizeof(why)) == -EINVAL);
	trace_run_free(&run);
	text_free(&text);
	return check_status();
}
