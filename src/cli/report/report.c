/* SPDX-License-Identifier: MIT */
/* tandem report: the tables of a session. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/findings/findings_print.h"
#include "cli/live.h"
#include "cli/options/options.h"
#include "cli/options/part.h"
#include "cli/reading.h"
#include "cli/report/report_metrics.h"
#include "cli/report/report_path.h"
#include "cli/report/report_tables.h"
#include "cli/report/report_text.h"
#include "util/units.h"

static const char *table_at(size_t number, const char **about)
{
	static const struct report none;

	(void)about;
	return number < REPORT_TABLE_COUNT
		       ? report_part(&none, (enum report_table)number).table->name
		       : NULL;
}

#define REPORT_OPTIONS(X)                                                                      \
	X(format, 'f', "FORMAT", WORD("text json csv"), "%s (default: text)")                  \
	X(table, 't', "NAME", WORD_AT(table_at), "only this table: %s")                        \
	X(clocks, 'c', NULL, FLAG,                                                             \
	  "only clock synchronisation, and its error bounds: --table clocks")                  \
	PART_OPTIONS(X)                                                                        \
	X(findings, 0, "WHEN", WORD("auto on off"),                                            \
	  "what is wrong, before the tables: on, off, or auto (default): of a trace up "       \
	  "to 32 MiB, which takes a second at most")                                           \
	X(live, 0, NULL, FLAG, "while it is recorded: again each second, until it ends")       \
	X(with, 'w', "TRACE", FILE_NAME, "use kernel events from an LTTng or trace-cmd trace") \
	X(metrics, 'm', NULL, FLAG,                                                            \
	  "GPU metrics instead: time, bytes and counts of kernels, memory, fills, copies "     \
	  "and waits, and launch properties, theoretical occupancy included")                  \
	X(critical_path, 0, NULL, FLAG,                                                        \
	  "the critical path instead: what the run's length is made of, from its begin "       \
	  "to its end, through host, API calls and devices")                                   \
	X(top, 'n', "N", TEXT(NULL), "rows of each table in text (default 20; 0: all)")

OPTIONS(REPORT_OPTIONS)

const struct command command_report = {
	.name = "report",
	.usage = "[options] [DIR]",
	.about = "Shows where the time of a recorded session went: API calls, what the devices\n"
		 "did, where commands waited, memory, errors, and what was lost.\n",
	.examples =
		"  tandem report tandem-app-20261120-100000\n"
		"  tandem report --from 20ms --to 30ms DIR\n"
		"  tandem report --range step/2 DIR\n"
		"  tandem report --live --table api DIR\n"
		"  tandem report --format json DIR | jq '.device[] | select(.kind == \"kernel\")'\n",
	.column = 23,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSION,
};

/* Findings take some ten times as long as the tables: up to a second for a trace of
 * this size (doc/FINDINGS.md), beyond which people would wait who asked for tables. */
#define FINDINGS_AUTO_BYTES (UINT64_C(32) << 20)

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

enum { WHEN_AUTO, WHEN_ON, WHEN_OFF };

struct arguments {
	int format;
	int table; /* enum report_table; -1: all */
	uint64_t top;
	bool metrics, critical_path, live;
	bool goes_on; /* live: this is not the last time */
	int findings; /* WHEN_... */
	struct part part;
	struct range range; /* the part, since the session's start */
	const char *path, *with;
};

static void json_session(struct json *json, const struct report *report,
			 const struct trace_session *session)
{
	const struct trace_run *run = &session->run;

	json_begin_object(json, "session");
	json_string(json, "program", run->program);
	json_string(json, "command", run->command);
	json_string(json, "host", run->host);
	json_string(json, "start", run->start);
	json_unsigned(json, "duration_ns", report->duration_ns);
	json_unsigned(json, "outlived_ns", session->outlived_ns);
	if (run->recorded_ns || run->stopped_monotonic_ns)
		json_unsigned(json, "recorded_ns", run->recorded_ns);
	json_unsigned(json, "from_ns", report->from_ns);
	json_unsigned(json, "to_ns", report->to_ns);
	json_unsigned(json, "processes", report->processes);
	json_unsigned(json, "threads", report->thread_count);
	json_unsigned(json, "threads_with_events", report->threads);
	json_unsigned(json, "events", report->events);
	json_unsigned(json, "calls", report->calls);
	json_unsigned(json, "kernel_events", report->kernel_events);
	json_string(json, "scheduling", report->scheduling);
	json_unsigned(json, "samples", report->samples);
	json_unsigned(json, "samples_in_kernel", report->samples_in_kernel);
	json_unsigned(json, "sample_period_ns", report->sample_period_ns);
	json_string(json, "directory", session->given);
	json_string(json, "cwd", run->cwd);
	json_string(json, "tandem", run->tandem);
	if (*run->snapshot_of) {
		json_begin_object(json, "snapshot");
		json_string(json, "of", run->snapshot_of);
		json_string(json, "reason", run->snapshot_reason);
		if (run->snapshot_at_ns)
			json_signed(json, "at_ns",
				    (int64_t)run->snapshot_at_ns - session->start_ns);
		json_end_object(json);
	}
	json_bool(json, "ended", run->has_end);
	if (run->has_exit && run->exit_signal)
		json_signed(json, "exit_signal", run->exit_signal);
	else if (run->has_exit)
		json_signed(json, "exit_code", run->exit_code);
	json_end_object(json);
}

static void json_losses(struct json *json, const struct report *report)
{
	static const char *const names[] = {
#define X(name, words) #name,
		TANDEM_LOSSES(X)
#undef X
	};

	json_begin_object(json, "losses");
	json_unsigned(json, "total", report->lost_total);
	json_begin_object(json, "by_reason");
	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++)
		json_unsigned(json, names[i], report->lost[i]);
	json_end_object(json);
	json_end_object(json);
}

static void json_operations(struct json *json, const struct report *report)
{
	json_begin_object(json, "operations");
	json_unsigned(json, "total", report->operations);
	json_unsigned(json, "unfinished", report->unfinished);
	json_unsigned(json, "odd_times", report->odd_operations);
	json_unsigned(json, "untimed_queues", report->untimed_queues_total);
	json_unsigned(json, "untimed_commands", report->untimed_commands);
	json_unsigned(json, "open_calls", report->open_calls_total);
	json_unsigned(json, "builds", report->builds_total);
	json_unsigned(json, "builds_failed", report->builds_failed);
	json_unsigned(json, "builds_ns", report->builds_ns);
	json_end_object(json);
}

static void write_json(struct text *out, const struct report *report,
		       const struct findings *findings, const struct trace_session *session,
		       int table)
{
	struct json json;

	json_init(&json, out, true);
	json_begin_object(&json, NULL);
	if (table < 0) {
		json_session(&json, report, session);
		json_bool(&json, "findings_made", findings != NULL);
		if (findings)
			findings_json_print(&json, findings, 0);
		json_losses(&json, report);
		json_begin_object(&json, "damage");
		json_unsigned(&json, "places", report->damaged_places);
		json_unsigned(&json, "skipped_bytes", report->skipped_bytes);
		json_end_object(&json);
		json_operations(&json, report);
	}
	for (int i = 0; i < REPORT_TABLE_COUNT; i++) {
		struct report_part part = report_part(report, (enum report_table)i);

		if (table < 0 || table == i)
			table_json(&json, part.table, part.rows, part.count);
	}
	json_end_object(&json);
	text_add_char(out, '\n');
}

static void write_csv(struct text *out, const struct report *report, int table)
{
	for (int i = 0; i < REPORT_TABLE_COUNT; i++) {
		struct report_part part = report_part(report, (enum report_table)i);

		if (table >= 0 && table != i)
			continue;
		if (table < 0 && i)
			text_add_char(out, '\n');
		table_csv(out, part.table, part.rows, part.count);
	}
}

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;

	switch (option) {
	case OPTION_format:
		arguments->format = word;
		return 0;
	case OPTION_table:
		arguments->table = word;
		return 0;
	case OPTION_clocks:
		arguments->table = REPORT_TABLE_clocks;
		return 0;
	case OPTION_top:
		return cli_parse_number(value, UINT32_MAX, &arguments->top)
			       ? option_refuse("--top", value, "a number of rows")
			       : 0;
	case OPTION_from:
	case OPTION_to:
	case OPTION_range:
		return part_option(&arguments->part, option_rows[option].name, value);
	case OPTION_findings:
		arguments->findings = word;
		return 0;
	case OPTION_with:
		arguments->with = value;
		return 0;
	case OPTION_critical_path:
		arguments->critical_path = true;
		return 0;
	case OPTION_live:
		arguments->live = true;
		return 0;
	default:
		arguments->metrics = true;
		return 0;
	}
}

static int check_arguments(const struct arguments *arguments)
{
	if (arguments->critical_path && !part_is_whole(&arguments->part)) {
		cli_error("--critical-path: it is of the full run; omit --from, --to and --range");
		return options_wrong(&command_report);
	}
	if (arguments->critical_path && (arguments->metrics || arguments->table >= 0)) {
		cli_error(
			"--critical-path: it comes instead of tables; omit --metrics, --table and "
			"--clocks");
		return options_wrong(&command_report);
	}
	if (arguments->critical_path && arguments->findings == WHEN_ON) {
		cli_error("--findings on: there are none with --critical-path");
		return options_wrong(&command_report);
	}
	if (arguments->metrics && arguments->findings == WHEN_ON) {
		cli_error("--findings on: there are none with --metrics");
		return options_wrong(&command_report);
	}
	if (arguments->live &&
	    (arguments->critical_path || arguments->metrics || arguments->with)) {
		cli_error("--live shows tables; omit --metrics, --critical-path and --with");
		return options_wrong(&command_report);
	}
	return part_check(&arguments->part, &command_report);
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int status = options_parse_session(&command_report, argc, argv, handle_option, arguments,
					   &arguments->path);

	return status ? status : check_arguments(arguments);
}

static int write_report(struct reading *reading, const struct arguments *arguments,
			const struct report *report, const struct findings *findings)
{
	const struct report_style style = {
		.top = (size_t)arguments->top,
		.width = cli_width(STDOUT_FILENO),
		.colour = cli_colour(STDOUT_FILENO),
	};
	struct text out = TEXT_INIT;
	int status;

	if (arguments->live)
		live_text_begin(&out);
	if (arguments->format == FORMAT_JSON)
		write_json(&out, report, findings, &reading->session, arguments->table);
	else if (arguments->format == FORMAT_CSV)
		write_csv(&out, report, arguments->table);
	else
		report_text(&out, report, findings, &reading->session, arguments->table, &style);
	if (arguments->goes_on)
		live_text_cut(&out);
	status = reading_write(&out);
	text_free(&out);
	/* A pipe's reader that has seen enough is content, and so are we. */
	return status == -EPIPE ? CLI_DONE : status;
}

static int write_metrics(const struct arguments *arguments, const struct metrics *metrics)
{
	struct text out = TEXT_INIT;
	int status;

	if (arguments->format == FORMAT_JSON)
		report_metrics_json(&out, metrics);
	else if (arguments->format == FORMAT_CSV)
		report_metrics_csv(&out, metrics);
	else
		report_metrics_text(&out, metrics, (size_t)arguments->top,
				    cli_colour(STDOUT_FILENO));
	status = reading_write(&out);
	text_free(&out);
	return status == -EPIPE ? CLI_DONE : status;
}

static int show_metrics(struct reading *reading, const struct arguments *arguments)
{
	struct metrics_options options = {
		.progress = {.tell = reading_progress, .user = reading},
		.ranged = !range_is_whole(&arguments->range),
		.range = arguments->range,
	};
	struct error error = ERROR_INIT;
	struct metrics metrics;
	int status = metrics_make(&metrics, &reading->session, &options, &error);

	reading_progress_end(reading);
	if (status)
		return cli_fail(&error);
	status = write_metrics(arguments, &metrics);
	metrics_free(&metrics);
	return status;
}

static int show_path(struct reading *reading, const struct arguments *arguments)
{
	struct progress progress = {.tell = reading_progress, .user = reading};
	struct error error = ERROR_INIT;
	struct text out = TEXT_INIT;
	struct critical_path path;
	int status = critical_path_make(&path, &reading->session, &progress, &error);

	reading_progress_end(reading);
	if (status)
		return cli_fail(&error);
	if (arguments->format == FORMAT_JSON)
		report_path_json(&out, &path);
	else if (arguments->format == FORMAT_CSV)
		report_path_csv(&out, &path);
	else
		report_path_text(&out, &path, (size_t)arguments->top, cli_colour(STDOUT_FILENO));
	critical_path_free(&path);
	status = reading_write(&out);
	text_free(&out);
	return status == -EPIPE ? CLI_DONE : status;
}

static bool wants_findings(const struct reading *reading, const struct arguments *arguments)
{
	if (arguments->table >= 0 || arguments->format == FORMAT_CSV)
		return false;
	/* They change with each look. */
	if (arguments->goes_on && arguments->findings == WHEN_AUTO)
		return false;
	return arguments->findings == WHEN_ON ||
	       (arguments->findings == WHEN_AUTO &&
		reading->session.content_bytes <= FINDINGS_AUTO_BYTES);
}

static int show_report(struct reading *reading, const struct arguments *arguments)
{
	struct report_options options = {.ranged = !range_is_whole(&arguments->range),
					 .range = arguments->range};
	bool found = wants_findings(reading, arguments);
	struct findings findings;
	struct report report;
	int status;

	if (reading_report(reading, &options, &report, found ? &findings : NULL))
		return CLI_FAILED;
	status = write_report(reading, arguments, &report, found ? &findings : NULL);
	report_free(&report);
	if (found)
		findings_free(&findings);
	return status;
}

static int show_once(struct arguments *arguments, const char *path)
{
	struct reading reading;
	int status;

	if (reading_open(&reading, path) || reading_with(&reading, arguments->with))
		return CLI_FAILED;
	status = part_find(&arguments->part, &reading, &arguments->range);
	if (!status)
		status = arguments->critical_path ? show_path(&reading, arguments)
			 : arguments->metrics	  ? show_metrics(&reading, arguments)
						  : show_report(&reading, arguments);
	reading_close(&reading);
	return status;
}

static int show_look(void *user, const struct live *live, bool goes_on)
{
	struct arguments *arguments = user;

	arguments->goes_on = goes_on;
	return show_once(arguments, live->session);
}

int cmd_report(int argc, char **argv)
{
	struct arguments arguments = {.table = -1, .top = 20, .part = PART_WHOLE};
	int status = read_arguments(&arguments, argc, argv);

	if (status)
		return options_status(status);
	return arguments.live ? live_show(arguments.path, show_look, &arguments)
			      : show_once(&arguments, arguments.path);
}
