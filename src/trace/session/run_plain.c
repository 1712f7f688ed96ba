/* SPDX-License-Identifier: MIT */
/* session.json where there is no jansson: the members that are wanted, in one pass and
 * without a tree. Of what is no JSON it finds only that brackets don't match. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/session/run.h"
#include "util/text.h"

#define MEMBER_BYTES 64

struct values {
	const char *at, *end;
	unsigned depth;
	char object[MEMBER_BYTES];     /* whose value this is in; "": the outermost */
	char member[MEMBER_BYTES];     /* the value's own name; "": an element */
	const char *value, *value_end; /* of a string with its quotes */
};

static void member_set(char member[MEMBER_BYTES], const char *from, const char *end)
{
	size_t bytes = (size_t)(end - from);

	bytes = bytes < MEMBER_BYTES ? bytes : MEMBER_BYTES - 1;
	memcpy(member, from, bytes);
	member[bytes] = 0;
}

static const char *space_skip(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r\n,", *at))
		at++;
	return at;
}

/* Behind a string, or a number or a word. */
static const char *value_skip(const char *at, const char *end)
{
	if (*at != '"') {
		while (at < end && !strchr(" \t\r\n,:{}[]\"", *at))
			at++;
		return at;
	}
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < end;
	return at < end ? at + 1 : end;
}

static void bracket_take(struct values *values, char bracket)
{
	values->depth += strchr("{[", bracket) ? 1u : -1u;
	if (values->depth == 2 && strchr("{[", bracket))
		memcpy(values->object, values->member, MEMBER_BYTES);
	if (values->depth < 2)
		values->object[0] = 0;
	values->member[0] = 0;
	values->at++;
}

/* The next string, number or word that is no name; false at the end. */
static bool values_next(struct values *values)
{
	while ((values->at = space_skip(values->at, values->end)) < values->end) {
		const char *at = values->at, *behind;

		if (strchr("{}[]", *at)) {
			bracket_take(values, *at);
			if (!values->depth)
				return false;
			continue;
		}
		values->value = at;
		values->value_end = value_skip(at, values->end);
		behind = space_skip(values->value_end, values->end);
		values->at = values->value_end > at ? values->value_end : at + 1;
		if (*at != '"' || behind == values->end || *behind != ':')
			return true;
		member_set(values->member, at + 1, values->value_end - 1);
		values->at = behind + 1;
	}
	return false;
}

static void add_character(struct text *text, unsigned long code)
{
	if (code < 0x80) {
		text_add_char(text, (char)code);
		return;
	}
	if (code >= 0x800)
		text_add_char(text, (char)(0xe0 | code >> 12));
	text_add_char(text, (char)(code >= 0x800 ? 0x80 | (code >> 6 & 63) : 0xc0 | code >> 6));
	text_add_char(text, (char)(0x80 | (code & 63)));
}

/* The line's value, a string, without its escapes. */
static void string_take(const struct values *values, struct text *text)
{
	static const char escapes[] = "nrtbf", meant[] = "\n\r\t\b\f";

	text_clear(text);
	for (const char *at = values->value + 1; at < values->value_end - 1; at++) {
		const char *escape;
		char digits[5] = "";

		if (*at != '\\') {
			text_add_char(text, *at);
		} else if (*++at == 'u' && values->value_end - at > 5) {
			memcpy(digits, at + 1, 4);
			add_character(text, strtoul(digits, NULL, 16));
			at += 4;
		} else {
			escape = *at ? strchr(escapes, *at) : NULL;
			text_add_char(text, escape ? meant[escape - escapes] : *at);
		}
	}
}

static const char *kept(struct trace_run *run, const struct text *text)
{
	const char *copy = text->failed || !text->length
				   ? NULL
				   : arena_copy(&run->arena, text->data, text->length);

	return copy ? copy : "";
}

static uint64_t number(const struct values *values)
{
	long long value = strtoll(values->value, NULL, 10);

	return value > 0 ? (uint64_t)value : 0;
}

static void string_member(struct trace_run *run, const struct values *values, struct text *text)
{
	const struct {
		const char *object, *name;
		const char **to;
	} members[] = {
		{"", "tandem", &run->tandem},
		{"", "schema", &run->schema},
		{"", "program", &run->program},
		{"", "host", &run->host},
		{"", "boot_id", &run->boot_id},
		{"", "machine", &run->machine},
		{"", "cwd", &run->cwd},
		{"", "start", &run->start},
		{"", "kernel_release", &run->release},
		{"snapshot", "of", &run->snapshot_of},
		{"snapshot", "reason", &run->snapshot_reason},
		{"lttng", "relay", &run->lttng_relay},
		{"lttng", "incomplete", &run->lttng_incomplete},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		if (!strcmp(members[i].object, values->object) &&
		    !strcmp(members[i].name, values->member)) {
			string_take(values, text);
			*members[i].to = kept(run, text);
		}
	}
}

static void number_member(struct trace_run *run, const struct values *values)
{
	const struct {
		const char *object, *name;
		uint64_t *to;
	} members[] = {
		{"", "ticks_hz", &run->ticks_hz},
		{"", "start_ticks", &run->start_ticks},
		{"", "start_monotonic_ns", &run->start_monotonic_ns},
		{"", "start_realtime_ns", &run->start_realtime_ns},
		{"", "recorder_cpu_ns", &run->recorder_cpu_ns},
		{"", "recorded_ns", &run->recorded_ns},
		{"", "stopped_monotonic_ns", &run->stopped_monotonic_ns},
		{"", "streams", &run->streams},
		{"end", "ticks", &run->end_ticks},
		{"end", "monotonic_ns", &run->end_monotonic_ns},
		{"snapshot", "at_monotonic_ns", &run->snapshot_at_ns},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (!strcmp(members[i].object, values->object) &&
		    !strcmp(members[i].name, values->member))
			*members[i].to = number(values);
	run->has_end |= !strcmp(values->object, "end");
	run->has_exit |= !strcmp(values->object, "exit");
	if (!strcmp(values->object, "exit") && !strcmp(values->member, "code"))
		run->exit_code = strtoll(values->value, NULL, 10);
	if (!strcmp(values->object, "exit") && !strcmp(values->member, "signal"))
		run->exit_signal = strtoll(values->value, NULL, 10);
	if (!*values->object && !strcmp(values->member, "record_floor_ns"))
		run->record_floor_ns = strtod(values->value, NULL);
	if (!*values->object && !strcmp(values->member, "page_fault_ns"))
		run->page_fault_ns = strtod(values->value, NULL);
}

/* Of one of "processes"; its number comes first. */
static void process_member(struct trace_run *run, const struct values *values, struct text *text,
			   size_t *capacity)
{
	struct trace_run_process *process, *more;

	if (!strcmp(values->member, "pid") && run->process_count == *capacity) {
		*capacity = *capacity ? 2 * *capacity : 16;
		more = arena_alloc(&run->arena, *capacity * sizeof(*more));
		if (!more) {
			*capacity = run->process_count;
			return;
		}
		if (run->process_count)
			memcpy(more, run->processes, run->process_count * sizeof(*more));
		run->processes = more;
	}
	if (!strcmp(values->member, "pid")) {
		run->processes[run->process_count++] =
			(struct trace_run_process){.pid = number(values), .name = ""};
		return;
	}
	if (!run->process_count)
		return;
	process = &run->processes[run->process_count - 1];
	if (!strcmp(values->member, "ppid"))
		process->ppid = number(values);
	if (!strcmp(values->member, "lived_ns"))
		process->lived_ns = number(values);
	if (!strcmp(values->member, "exec"))
		process->exec = *values->value == 't';
	if (!strcmp(values->member, "name") && *values->value == '"') {
		string_take(values, text);
		process->name = kept(run, text);
	}
}

static void host_string(struct trace_run *run, struct trace_run_host *host,
			const struct values *values, struct text *text)
{
	string_take(values, text);
	if (!strcmp(values->member, "boot_id"))
		host->boot_id = kept(run, text);
	for (unsigned i = 0; !strcmp(values->member, "clock") && i < TRACE_HOST_CLOCK_COUNT; i++)
		if (!text->failed && text->length && !strcmp(text->data, trace_host_clock_words[i]))
			host->clock = (enum trace_host_clock)i;
}

/* Of one of "hosts"; its name comes first. */
static void host_member(struct trace_run *run, const struct values *values, struct text *text)
{
	struct trace_run_host *host;

	if (!run->hosts)
		run->hosts = arena_alloc(&run->arena, TRACE_HOSTS_MOST * sizeof(*run->hosts));
	if (!run->hosts)
		return;
	if (!strcmp(values->member, "name") && *values->value == '"' &&
	    run->host_count < TRACE_HOSTS_MOST) {
		string_take(values, text);
		run->hosts[run->host_count++] = (struct trace_run_host){
			.name = kept(run, text), .boot_id = "", .clock = TRACE_HOST_TIME_OF_DAY};
		return;
	}
	if (!run->host_count)
		return;
	host = &run->hosts[run->host_count - 1];
	if (*values->value == '"')
		host_string(run, host, values, text);
	else if (!strcmp(values->member, "moved_ns"))
		host->moved_ns = strtoll(values->value, NULL, 10);
	else if (!strcmp(values->member, "drift_ppm"))
		host->drift_ppm = strtod(values->value, NULL);
	else if (!strcmp(values->member, "bound_ns"))
		host->bound_ns = number(values);
	else if (!strcmp(values->member, "messages"))
		host->messages = number(values);
	else if (!strcmp(values->member, "first_cpu"))
		host->first_cpu = (uint32_t)number(values);
	else if (!strcmp(values->member, "cpus"))
		host->cpus = (uint32_t)number(values);
}

int trace_run_parse(struct trace_run *run, const char *text, size_t bytes, uint64_t *offset,
		    char *why, size_t why_bytes)
{
	struct values values = {.at = space_skip(text, text + bytes), .end = text + bytes};
	struct text word = TEXT_INIT, command = TEXT_INIT;
	size_t capacity = 0;
	bool begins = values.at < values.end && *values.at == '{';

	while (begins && values_next(&values)) {
		if (values.depth == 3 && !strcmp(values.object, "processes"))
			process_member(run, &values, &word, &capacity);
		if (values.depth == 3 && !strcmp(values.object, "hosts"))
			host_member(run, &values, &word);
		if (values.depth > 2)
			continue;
		if (*values.value != '"') {
			number_member(run, &values);
		} else if (!*values.object || !strcmp(values.object, "snapshot") ||
			   !strcmp(values.object, "lttng")) {
			string_member(run, &values, &word);
		} else if (!strcmp(values.object, "command")) {
			string_take(&values, &word);
			if (command.length)
				text_add_char(&command, ' ');
			trace_run_add_word(&command, word.failed || !word.length ? "" : word.data);
		}
		values.member[0] = 0;
	}
	if (run->host_count < 2)
		run->host_count = 0;
	run->command = kept(run, &command);
	text_free(&word);
	text_free(&command);
	*offset = 0;
	if (begins && !values.depth && space_skip(values.at, values.end) == values.end)
		return 0;
	*offset = (uint64_t)(values.at - text);
	snprintf(why, why_bytes, "%s",
		 begins ? "a JSON object that has no end" : "not a JSON object");
	return -EINVAL;
}
