/* SPDX-License-Identifier: MIT */
/* tandem status: what a session has recorded so far. */
#include "cli/cli.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/options/options.h"
#include "cli/record/summary.h"
#include "recorder/session/count_records.h"
#include "recorder/session/folder.h"
#include "recorder/session/live_processes.h"
#include "recorder/target.h"
#include "trace/session/session_open.h"
#include "util/counter.h"
#include "util/json.h"
#include "util/units.h"

#define STATUS_OPTIONS(X) X(format, 0, "text|json", WORD("text json"), "(text)")

OPTIONS(STATUS_OPTIONS)

const struct command command_status = {
	.name = "status",
	.usage = "[options] [DIR|PID]",
	.about = "Shows what a session has recorded so far, running or not.\n",
	.column = 27,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSION,
};

/* Processes that record into it now, its recorder aside. */
struct alive {
	pid_t recorder;
	bool has_recorder;
	unsigned processes;
};

static void found_process(pid_t pid, void *data)
{
	struct alive *alive = data;

	if (pid == alive->recorder)
		alive->has_recorder = true;
	else
		alive->processes++;
}

/* What `tandem report` says of it as well. */
struct described {
	uint64_t processes; /* also those without an API call */
	bool has_end;
};

/* Where the session cannot be read yet: what the control page counts, which made calls. */
static struct described describe(const struct target *target)
{
	struct described described = {.processes = atomic_load(&target->control->processes)};
	struct trace_session session;
	struct error error = ERROR_INIT;

	if (trace_session_open(&session, target->directory, NULL, &error))
		return described;
	described.processes = session.traced_count;
	described.has_end = session.run.has_end;
	trace_session_close(&session);
	return described;
}

static const char *state_words(const struct tandem_control *control, const struct alive *alive)
{
	if (!alive->has_recorder && !alive->processes)
		return "ended";
	switch (atomic_load(&control->state)) {
	case TANDEM_STATE_RECORDING:
		return "recording";
	case TANDEM_STATE_PAUSED:
		return "paused";
	default:
		return "stopped";
	}
}

/* Whoever was killed could not count all that it lost. */
static void add_losses(struct text *text, const struct tandem_control *control, bool has_end)
{
	uint64_t total = 0;

	for (int i = 0; i < TANDEM_LOSS_COUNT; i++)
		total += atomic_load(&control->lost[i]);
	if (total || has_end)
		summary_add_losses(text, control);
	else
		text_add_string(text, "no losses recorded");
}

static void print_text(const struct target *target, const struct alive *alive,
		       const struct record_count *counted)
{
	struct described described = describe(target);
	struct tandem_control *control = target->control;
	const char *state = state_words(control, alive);
	char number[UNITS_BYTES];
	struct text text = TEXT_INIT;

	text_add_string(&text, "session    ");
	text_escape(&text, target->directory, strlen(target->directory));
	text_format(&text, "\nstate      %s", state);
	if (strcmp(state, "ended") != 0)
		text_format(&text, ", %s after its start",
			    units_ns(number, (double)(counter_clock_ns(CLOCK_MONOTONIC) -
						      control->start_monotonic_ns)));
	else if (!described.has_end)
		text_add_string(&text, ", end not recorded");
	text_add_string(&text, "\nrecorded   ");
	summary_add_count(&text, counted->events, "event");
	if (counted->kernel_events) {
		text_add_string(&text, ", ");
		summary_add_count(&text, counted->kernel_events, "kernel event");
	}
	text_format(&text, "%s, %s", counted->estimated ? " (about)" : "",
		    units_bytes(number, (double)(counted->bytes + counted->kernel_bytes)));
	if (control->limit_bytes)
		text_format(&text, " of at most %s",
			    units_bytes(number, (double)control->limit_bytes));
	text_add_string(&text, "\nof         ");
	summary_add_count(&text, described.processes, "process");
	text_add_string(&text, ", ");
	summary_add_count(&text, atomic_load(&control->threads), "thread");
	text_format(&text, " with events\nalive      %u", alive->processes);
	text_add_string(&text, "\nlosses     ");
	add_losses(&text, control, described.has_end);
	puts(text.failed ? "" : text.data);
	text_free(&text);
}

static void print_json(const struct target *target, const struct alive *alive,
		       const struct record_count *counted)
{
	struct tandem_control *control = target->control;
	struct text text = TEXT_INIT;
	uint64_t total = 0;
	struct json json;

	json_init(&json, &text, true);
	json_begin_object(&json, NULL);
	json_string(&json, "session", target->directory);
	json_string(&json, "state", state_words(control, alive));
	json_signed(&json, "recorder_pid", alive->has_recorder ? alive->recorder : 0);
	json_unsigned(&json, "since_start_ns",
		      counter_clock_ns(CLOCK_MONOTONIC) - control->start_monotonic_ns);
	json_unsigned(&json, "events", counted->events);
	json_bool(&json, "events_estimated", counted->estimated);
	json_unsigned(&json, "kernel_events", counted->kernel_events);
	json_unsigned(&json, "bytes", counted->bytes + counted->kernel_bytes);
	json_unsigned(&json, "limit_bytes", control->limit_bytes);
	json_unsigned(&json, "processes", describe(target).processes);
	json_unsigned(&json, "threads_with_events", atomic_load(&control->threads));
	json_unsigned(&json, "processes_alive", alive->processes);
	json_unsigned(&json, "unfinished", atomic_load(&control->unfinished));
	json_unsigned(&json, "untimed_queues", atomic_load(&control->untimed_queues));
	json_begin_object(&json, "losses");
	for (int i = 0; i < TANDEM_LOSS_COUNT; i++)
		total += atomic_load(&control->lost[i]);
	json_unsigned(&json, "total", total);
	json_begin_object(&json, "by_reason");
#define X(name, words) json_unsigned(&json, #name, atomic_load(&control->lost[TANDEM_LOSS_##name]));
	TANDEM_LOSSES(X)
#undef X
	json_end_object(&json);
	json_end_object(&json);
	json_end_object(&json);
	puts(text.failed ? "" : text.data);
	text_free(&text);
}

int cmd_status(int argc, char **argv)
{
	struct target target;
	struct record_count counted;
	struct alive alive = {.recorder = 0};
	struct error error = ERROR_INIT;
	const char *session;
	int format = 0, status;

	status = options_parse_session(&command_status, argc, argv, option_set_word, &format,
				       &session);
	if (status)
		return options_status(status);
	if (target_open(&target, session, TARGET_READ, &error))
		return cli_fail(&error);
	alive.recorder = target.control->recorder_pid;
	live_processes_find(target.directory, 1, found_process, &alive);
	/* In another pid namespace, or another user's. */
	alive.has_recorder = alive.has_recorder || folder_is_locked(target.directory);
	if (alive.has_recorder && !alive.processes)
		alive.processes = live_processes_count_streams(target.directory);
	status = count_records(target.directory, &counted);
	if (status)
		cli_error("cannot read %s: %s", target.directory, strerror(-status));
	else if (format)
		print_json(&target, &alive, &counted);
	else
		print_text(&target, &alive, &counted);
	target_close(&target);
	return status ? CLI_FAILED : CLI_DONE;
}
