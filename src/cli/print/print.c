/* SPDX-License-Identifier: MIT */
/* tandem print: the events of a session in the order of time. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "cli/options/options.h"
#include "cli/options/part.h"
#include "cli/print/chronology.h"
#include "cli/print/event_json.h"
#include "cli/print/event_text.h"
#include "cli/print/filter.h"
#include "cli/reading.h"
#include "trace/merge.h"

#define WRITE_BYTES 65536u

#define PRINT_OPTIONS(X)                                                                  \
	X(format, 'f', "FORMAT", WORD("text json"),                                       \
	  "text (default), or json: one object on each line")                             \
	X(pid, 'p', "PID", TEXT(NULL), "only this process (may be given several times)")  \
	X(tid, 't', "TID", TEXT(NULL), "only this thread (may be given several times)")   \
	X(name, 'n', "PATTERN", TEXT(NULL),                                               \
	  "only events of this name, with * and ? as in a shell (may be given several "   \
	  "times); operations also by kernel or call")                                    \
	PART_OPTIONS(X)                                                                   \
	X(limit, 'l', "N", TEXT(NULL), "stop after N lines; 0 is all of them")            \
	X(raw, 'r', NULL, FLAG,                                                           \
	  "as recorded: a call is one event, with its end; a device's operation is one, " \
	  "where its completion was seen")                                                \
	X(live, 0, NULL, FLAG, "while it is recorded, as recorded, a second behind, until it ends")

OPTIONS(PRINT_OPTIONS)

const struct command command_print = {
	.name = "print",
	.usage = "[options] [DIR]",
	.about =
		"Prints the events of a recorded session chronologically: when (seconds since\n"
		"the session's start), how long, which process and thread, the call with its\n"
		"arguments and its result. A call during which something else happened has a line\n"
		"for its begin and one for its end; what a device did has a line at each of its\n"
		"times: queued, submitted, start, end.\n",
	.examples = "  tandem print --name 'clEnqueue*' --from 20ms --to 30ms DIR\n"
		    "  tandem print --format json DIR | jq 'select(.result < 0)'\n",
	.column = 23,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSION,
};

enum { FORMAT_TEXT, FORMAT_JSON };

struct arguments {
	int format;
	bool raw, live;
	uint64_t limit, printed;
	bool headed; /* the columns' names are printed */
	const char *path;
	struct part part;
	struct filter filter;
};

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;
	struct filter *filter = &arguments->filter;

	switch (option) {
	case OPTION_format:
		arguments->format = word;
		return 0;
	case OPTION_pid:
		return filter_add_number(filter->pids, &filter->pid_count, value)
			       ? option_refuse("--pid", value, "up to 64 process ids")
			       : 0;
	case OPTION_tid:
		return filter_add_number(filter->tids, &filter->tid_count, value)
			       ? option_refuse("--tid", value, "up to 64 thread ids")
			       : 0;
	case OPTION_name:
		return filter_add_name(filter, value)
			       ? option_refuse("--name", value, "up to 64 patterns")
			       : 0;
	case OPTION_from:
	case OPTION_to:
	case OPTION_range:
		return part_option(&arguments->part, option_rows[option].name, value);
	case OPTION_limit:
		return cli_parse_number(value, UINT64_MAX, &arguments->limit)
			       ? option_refuse("--limit", value, "a number of events")
			       : 0;
	case OPTION_live:
		arguments->live = true;
		return 0;
	default:
		arguments->raw = true;
		return 0;
	}
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int status = options_parse_session(&command_print, argc, argv, handle_option, arguments,
					   &arguments->path);

	return status ? status : part_check(&arguments->part, &command_print);
}

/* Descriptions before the first printed event are needed for its names; a
 * packet's time is enough to pass over all others. */
static uint64_t first_ticks(const struct reading *reading, const struct filter *filter)
{
	const struct trace_session *session = &reading->session;
	uint64_t hz = session->run.ticks_hz, start = session->run.start_ticks;
	double after;

	/* A millisecond early: the nominal rate is not exact. */
	if (filter->from_ns <= 1000000 || !hz || !start)
		return 0;
	after = (double)(filter->from_ns - 1000000) * 0.999 * (double)hz / 1e9;
	/* The rate may be anything in a damaged session. */
	return after < (double)(UINT64_MAX - start) ? start + (uint64_t)after : UINT64_MAX;
}

static int print_events(struct reading *reading, struct arguments *arguments,
			struct trace_merge *merge, struct text *out, struct trace_objects *objects)
{
	struct trace_session *session = &reading->session;
	struct filter *filter = &arguments->filter;
	struct event_samples stacks;
	struct event_text view = {.session = session,
				  .objects = objects,
				  .stacks = &stacks,
				  .colour = cli_colour(STDOUT_FILENO)};
	const struct trace_event *event;
	int status;

	event_samples_init(&stacks);
	if (arguments->format == FORMAT_TEXT && !arguments->headed)
		event_text_header(&view, out);
	arguments->headed = true;
	while ((status = trace_merge_next(merge, &event)) > 0) {
		int64_t time = event->ns - session->start_ns;

		if (time >= filter->to_ns ||
		    (arguments->limit && arguments->printed == arguments->limit)) {
			status = 0;
			break;
		}
		status = trace_objects_learn(objects, event);
		if (!status)
			status = event_samples_feed(&stacks, event);
		if (status)
			break;
		if (time < filter->from_ns || !filter_takes(filter, event, objects))
			continue;
		if (arguments->format == FORMAT_JSON)
			event_json_line(objects, session, &stacks, out, event);
		else
			event_text_line(&view, out, event, EVENT_WHOLE);
		arguments->printed++;
		if (out->length >= WRITE_BYTES) {
			status = reading_write(out);
			if (status)
				break;
		}
	}
	event_samples_free(&stacks);
	return status;
}

static int print_raw(struct reading *reading, struct arguments *arguments)
{
	struct trace_objects objects = {.device_count = 0};
	struct text out = TEXT_INIT;
	struct trace_merge merge;
	int status = trace_merge_open(&merge, &reading->session,
				      first_ticks(reading, &arguments->filter));

	if (status)
		return status;
	status = print_events(reading, arguments, &merge, &out, &objects);
	trace_merge_close(&merge);
	if (!status)
		status = reading_write(&out);
	text_free(&out);
	trace_objects_free(&objects);
	return status;
}

static int print_ordered(struct reading *reading, struct arguments *arguments)
{
	struct chronology_request request = {
		.filter = &arguments->filter,
		.json = arguments->format == FORMAT_JSON,
		.limit = arguments->limit,
	};

	return chronology_print(reading, &request);
}

static int print_session(struct reading *reading, struct arguments *arguments)
{
	struct range range;
	int status = part_find(&arguments->part, reading, &range);

	if (status)
		return status;
	arguments->filter.from_ns = range.from_ns;
	arguments->filter.to_ns = range.to_ns;
	return arguments->raw ? print_raw(reading, arguments) : print_ordered(reading, arguments);
}

/* What a thread or a relay has not handed over yet may be so old. */
#define BEHIND_NS INT64_C(1000000000)

/* What has happened since the last look. */
static int print_look(struct reading *reading, struct arguments *arguments, bool last,
		      int64_t *until_ns)
{
	struct filter *filter = &arguments->filter;
	int64_t seen_ns = (int64_t)trace_session_duration_ns(&reading->session) - BEHIND_NS;
	struct range range;
	int status = part_find(&arguments->part, reading, &range);

	if (status)
		return status;
	filter->from_ns = range.from_ns > *until_ns ? range.from_ns : *until_ns;
	filter->to_ns = last || seen_ns > range.to_ns ? range.to_ns : seen_ns;
	if (filter->to_ns <= filter->from_ns)
		return 0;
	*until_ns = filter->to_ns;
	return print_raw(reading, arguments);
}

static int print_live(struct arguments *arguments)
{
	int64_t until_ns = INT64_MIN;
	struct reading reading;
	struct live live;
	bool runs = true;
	int status = 0;

	if (live_open(&live, arguments->path))
		return CLI_FAILED;
	while (runs && !status && !(arguments->limit && arguments->printed == arguments->limit)) {
		runs = live_runs(&live);
		if (reading_open(&reading, live.session)) {
			live_close(&live);
			return CLI_FAILED;
		}
		status = print_look(&reading, arguments, !runs, &until_ns);
		reading_close(&reading);
		if (runs && !status)
			live_wait();
	}
	live_close(&live);
	return status;
}

static int print_once(struct arguments *arguments)
{
	struct reading reading;
	int status;

	if (reading_open(&reading, arguments->path))
		return CLI_FAILED;
	status = print_session(&reading, arguments);
	reading_close(&reading);
	return status;
}

int cmd_print(int argc, char **argv)
{
	struct arguments arguments = {.format = FORMAT_TEXT, .part = PART_WHOLE};
	int status;

	filter_init(&arguments.filter);
	status = read_arguments(&arguments, argc, argv);
	if (status)
		return options_status(status);
	status = arguments.live ? print_live(&arguments) : print_once(&arguments);
	if (status < 0 && status != -EPIPE)
		status = cli_error("%s: %s", arguments.path, strerror(-status));
	filter_free(&arguments.filter);
	/* A pipe's reader that has seen enough is content, and so are we. */
	return status == -EPIPE ? CLI_DONE : status;
}
