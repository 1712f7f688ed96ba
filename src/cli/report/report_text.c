/* SPDX-License-Identifier: MIT */
#include "cli/report/report_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/colour.h"
#include "cli/findings/findings_print.h"
#include "cli/report/report_fold.h"
#include "cli/report/report_tables.h"
#include "cli/wrapped.h"
#include "util/units.h"

/* The words of a command line, where the terminal has no width. */
#define TITLE_MOST_WIDTH 200
#define NAME_MOST_WIDTH 72
#define FINDINGS_SHOWN 5
#define LOG_LINES 12
#define LOGS_SHOWN 3

static const char *const loss_words[] = {
#define X(name, words) words,
	TANDEM_LOSSES(X)
#undef X
};

static void add_count(struct text *out, uint64_t count, const char *noun, const char *nouns)
{
	char buffer[UNITS_BYTES];

	text_format(out, "%s %s", units_count(buffer, count), count == 1 ? noun : nouns);
}

/* Which part of the run this is. */
static void add_range(struct text *out, const struct report *report, bool colour)
{
	char from[UNITS_BYTES], to[UNITS_BYTES], span[UNITS_BYTES];

	text_format(out,
		    "  %sonly from %s s to %s s of it, %s%s: what began there counts, whole;\n"
		    "  states, and how busy and full devices were, as far as they lie inside\n",
		    colour_begin(colour, COLOUR_BOLD),
		    units_seconds(from, (int64_t)report->from_ns),
		    units_seconds(to, (int64_t)report->to_ns),
		    units_ns(span, (double)report->span_ns), colour_end(colour));
}

/* Nobody saw its end: what the recorder had yet to store went with it, and was not counted. */
static bool is_cut_off(const struct trace_run *run)
{
	return !run->has_end && !run->has_exit && !*run->snapshot_of;
}

/* What was recorded, of how many. */
static void add_counts(struct text *out, const struct report *report,
		       const struct trace_session *session, size_t width)
{
	struct text line = TEXT_INIT;

	if (!width)
		width = SIZE_MAX;
	add_count(&line, report->processes, "process", "processes");
	text_add_string(&line, ", ");
	add_count(&line, report->thread_count, "thread", "threads");
	if (report->threads && report->threads != report->thread_count) {
		text_format(&line, " (%" PRIu64 " with events)", report->threads);
		wrapped_add(out, line.failed ? "" : line.data, 2, 2, width);
		text_add_string(out, "  ");
		text_clear(&line);
	} else {
		text_add_string(&line, ", ");
	}
	add_count(&line, report->events, "event", "events");
	if (report->kernel_events) {
		text_add_string(&line, ", ");
		add_count(&line, report->kernel_events, "kernel event", "kernel events");
	}
	if (!report->lost_total && !report->damaged_places && !*session->run.lttng_incomplete)
		text_add_string(&line, is_cut_off(&session->run) ? "; no losses recorded"
								 : "; nothing lost");
	wrapped_add(out, line.failed ? "" : line.data, 2, 2, width);
	text_free(&line);
}

/* Where LTTng's trace is, and whether all of it. */
static void add_lttng(struct text *out, const struct trace_run *run, size_t width)
{
	struct text line = TEXT_INIT;

	if (*run->lttng_relay)
		text_format(&line, "recorded to LTTng's relay at %s", run->lttng_relay);
	if (*run->lttng_incomplete)
		text_format(&line, "%sparts of LTTng's trace may be missing: %s",
			    line.length ? "; " : "", run->lttng_incomplete);
	if (line.length) {
		text_add_string(out, "  ");
		wrapped_add(out, line.failed ? "" : line.data, 2, 2, width ? width : SIZE_MAX);
	}
	text_free(&line);
}

/* A host whose times cannot be placed by its time of day, with the fix. */
static void add_unsynchronised(struct text *out, const struct trace_run *run, size_t width)
{
	struct text line = TEXT_INIT;

	for (size_t i = 0; i < run->host_count; i++) {
		if (run->hosts[i].clock != TRACE_HOST_UNSYNCHRONISED)
			continue;
		text_add_string(&line, "times of ");
		text_escape(&line, run->hosts[i].name, strlen(run->hosts[i].name));
		text_add_string(&line, " may be off by any amount: its kernel, or that of ");
		text_escape(&line, run->hosts[0].name, strlen(run->hosts[0].name));
		text_add_string(&line,
				", says that nobody synchronises its clock (STA_UNSYNC); run "
				"chrony, ntpd, or ptp4l and phc2sys, on each host");
		text_add_string(out, "  ");
		wrapped_add(out, line.failed ? "" : line.data, 2, 2, width ? width : SIZE_MAX);
		text_clear(&line);
	}
	text_free(&line);
}

/* The program's own time, which others may outlive, and of which a part may be recorded. */
static uint64_t own_ns(const struct report *report, const struct trace_session *session)
{
	const struct trace_run *run = &session->run;

	return run->stopped_monotonic_ns && run->end_monotonic_ns > (uint64_t)session->start_ns
		       ? run->end_monotonic_ns - (uint64_t)session->start_ns
		       : report->duration_ns - session->outlived_ns;
}

/* Recording was paused, or stopped. */
static void add_recorded(struct text *out, const struct report *report,
			 const struct trace_session *session, size_t width)
{
	const struct trace_run *run = &session->run;
	char recorded[UNITS_BYTES], all[UNITS_BYTES];
	struct text line = TEXT_INIT;

	if (!run->recorded_ns && !run->stopped_monotonic_ns)
		return;
	units_ns(recorded, (double)run->recorded_ns);
	units_ns(all, (double)report->duration_ns);
	text_format(
		&line,
		run->stopped_monotonic_ns
			? "recorded for %s, until it was stopped after %s: percentages are of these %s"
			: "recorded for %s of these %s, and paused for the rest: percentages are of all %s",
		recorded, all, all);
	text_add_string(out, "  ");
	wrapped_add(out, line.failed ? "" : line.data, 2, 2, width ? width : SIZE_MAX);
	text_free(&line);
}

/* The run has an end, and its events go on. */
static void add_outlived(struct text *out, const struct report *report,
			 const struct trace_session *session, size_t width)
{
	char after[UNITS_BYTES], all[UNITS_BYTES];
	struct text line = TEXT_INIT;

	if (!session->outlived_ns)
		return;
	text_format(&line,
		    "processes that outlived the program recorded for %s after it: percentages "
		    "are of all %s",
		    units_ns(after, (double)session->outlived_ns),
		    units_ns(all, (double)report->duration_ns));
	text_add_string(out, "  ");
	wrapped_add(out, line.failed ? "" : line.data, 2, 2, width ? width : SIZE_MAX);
	text_free(&line);
}

/* Of which session this is a snapshot, and why it was saved. */
static void add_snapshot(struct text *out, const struct trace_session *session, size_t width)
{
	const struct trace_run *run = &session->run;
	char seconds[UNITS_BYTES];
	struct text line = TEXT_INIT;

	if (!*run->snapshot_of)
		return;
	text_add_string(&line, "snapshot of ");
	/* A path has no blanks to be broken at: it has a line, with the colon. */
	table_add_cut(&line, run->snapshot_of, width > 3 ? width - 3 : 0);
	text_format(&line, ": %s", run->snapshot_reason);
	if (run->snapshot_at_ns)
		text_format(
			&line, ", at %s s",
			units_seconds(seconds, (int64_t)run->snapshot_at_ns - session->start_ns));
	text_add_string(out, "  ");
	wrapped_add(out, line.failed ? "" : line.data, 2, 2, width ? width : SIZE_MAX);
	text_free(&line);
}

/* Where and when it ran, for how long, and how it ended. */
static void add_run_line(struct text *line, const struct report *report,
			 const struct trace_session *session)
{
	const struct trace_run *run = &session->run;
	char buffer[UNITS_BYTES];

	if (run->host_count)
		text_format(line, "on %zu hosts, ", run->host_count);
	else if (*run->host)
		text_format(line, "on %s, ", run->host);
	if (*run->start) {
		/* 2026-11-20T10:00:00.123+00:00: without fractions and zone. */
		text_add(line, run->start, strcspn(run->start, "T.+Z"));
		if (strchr(run->start, 'T')) {
			const char *time = strchr(run->start, 'T') + 1;

			text_add_char(line, ' ');
			text_add(line, time, strcspn(time, ".+Z"));
		}
		text_add_string(line, ", ");
	}
	text_format(line, "%s %s", run->has_end ? "ran" : "recorded for",
		    units_ns(buffer, (double)own_ns(report, session)));
	if (run->has_exit && run->exit_signal)
		text_format(line, ", ended by signal %" PRId64, run->exit_signal);
	else if (run->has_exit)
		text_format(line, ", exit status %" PRId64, run->exit_code);
	else if (!run->has_end)
		text_add_string(line, ", still running, or end not recorded");
}

static void add_title(struct text *out, const struct report *report,
		      const struct trace_session *session, const struct report_style *style)
{
	bool colour = style->colour;
	const struct trace_run *run = &session->run;
	const char *title = *run->command
				    ? run->command
				    : (session->traced_count ? session->processes[0].command : "");
	struct text line = TEXT_INIT;

	text_add_string(out, colour_begin(colour, COLOUR_BOLD));
	if (!*title)
		title = session->given;
	table_add_cut(out, title, style->width ? style->width : TITLE_MOST_WIDTH);
	text_format(out, "%s\n  ", colour_end(colour));
	add_run_line(&line, report, session);
	wrapped_add(out, line.failed ? "" : line.data, 2, 2,
		    style->width ? style->width : SIZE_MAX);
	text_free(&line);
	text_add_string(out, "  ");
	add_counts(out, report, session, style->width);
	add_outlived(out, report, session, style->width);
	add_recorded(out, report, session, style->width);
	add_lttng(out, &session->run, style->width);
	add_unsynchronised(out, &session->run, style->width);
	add_snapshot(out, session, style->width);
	if (report->ranged)
		add_range(out, report, colour);
}

/* One line for each thing that a reader of the tables must know. */
static void add_notes(struct text *out, const struct report *report, bool colour)
{
	const char *red = colour_begin(colour, COLOUR_RED);
	const char *yellow = colour_begin(colour, COLOUR_YELLOW);
	const char *end = colour_end(colour);
	char buffer[UNITS_BYTES];

	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++) {
		if (report->lost[i])
			text_format(out, "  %slost %s: %s%s\n", red,
				    units_count(buffer, report->lost[i]), loss_words[i], end);
	}
	if (report->damaged_places) {
		text_format(out, "  %sdamaged in ", red);
		add_count(out, report->damaged_places, "place", "places");
		if (report->skipped_bytes)
			text_format(out, ": %s could not be read",
				    units_bytes(buffer, (double)report->skipped_bytes));
		text_format(out, "%s\n", end);
	}
	if (report->unfinished) {
		text_format(out, "  %s", yellow);
		add_count(out, report->unfinished, "operation was", "operations were");
		text_format(out, " enqueued and did not complete in the recording%s\n", end);
	}
	if (report->open_calls_total) {
		text_format(out, "  %s", yellow);
		add_count(out, report->open_calls_total, "call", "calls");
		text_format(out, " did not return%s\n", end);
	}
	if (report->untimed_queues_total) {
		text_format(out, "  %s", yellow);
		add_count(out, report->untimed_queues_total, "queue has", "queues have");
		text_add_string(out, " no device times: no timestamps for ");
		add_count(out, report->untimed_commands, "command", "commands");
		text_format(out, "%s\n", end);
	}
	if (report->odd_operations) {
		text_format(out, "  %s", yellow);
		add_count(out, report->odd_operations, "operation has", "operations have");
		text_format(out, " device times out of order%s\n", end);
	}
	if (report->builds_failed) {
		text_format(out, "  %s", red);
		add_count(out, report->builds_failed, "program build", "program builds");
		text_format(out, " failed%s\n", end);
	}
}

/* The first lines of the logs of builds that failed. */
static void add_logs(struct text *out, const struct report *report)
{
	unsigned shown = 0;

	for (size_t i = 0; i < report->build_count && shown < LOGS_SHOWN; i++) {
		const struct report_build *build = &report->builds[i];
		const char *line = build->log;

		if (!build->status || !*build->log)
			continue;
		shown++;
		text_format(out, "  program %" PRIu64 " of process %" PRIu64 ":\n", build->program,
			    build->process);
		for (int lines = 0; *line && lines < LOG_LINES; lines++) {
			size_t length = strcspn(line, "\n");

			text_add_string(out, "    ");
			text_escape(out, line, length);
			text_add_char(out, '\n');
			line += length + (line[length] == '\n');
		}
		if (*line)
			text_add_string(out, "    ...\n");
	}
}

static void add_total(struct text *out, const struct report *report, enum report_table table)
{
	char buffer[UNITS_BYTES];

	if (table == REPORT_TABLE_api) {
		add_count(out, report->calls, "call", "calls");
		text_format(out, ", %s", units_ns(buffer, (double)report->api_ns));
	} else if (table == REPORT_TABLE_device) {
		add_count(out, report->operations, "operation", "operations");
		text_format(out, ", %s", units_ns(buffer, (double)report->device_ns));
	} else if (table == REPORT_TABLE_builds) {
		add_count(out, report->builds_total, "build", "builds");
		text_format(out, ", %s", units_ns(buffer, (double)report->builds_ns));
	} else if (table == REPORT_TABLE_process) {
		add_count(out, report->process_count, "process", "processes");
	} else if (table == REPORT_TABLE_thread) {
		add_count(out, report->thread_count, "thread", "threads");
	} else if (table == REPORT_TABLE_functions) {
		add_count(out, report->samples, "sample", "samples");
		text_format(out, " of %s each", units_ns(buffer, (double)report->sample_period_ns));
	} else if (table == REPORT_TABLE_devices) {
		text_format(out, "of %s", units_ns(buffer, (double)report->span_ns));
	}
}

/* Threads of a program that has one say nothing new; clocks are for those who
 * ask. */
static bool part_is_worth(const struct report *report, enum report_table which,
			  const struct report_part *part)
{
	if (which == REPORT_TABLE_thread)
		return report->thread_count > 1;
	return part->count > 0 && which != REPORT_TABLE_clocks;
}

/* "`tandem findings DIR` examines them", on two lines where one is too short. */
static void add_command(struct text *out, const char *command, const struct trace_session *session,
			const char *what, size_t column, const struct report_style *style)
{
	size_t length = column + strlen("`tandem  ` ") + strlen(command) +
			utf8_count(session->given, strlen(session->given)) + strlen(what);

	text_format(out, "`tandem %s ", command);
	text_escape(out, session->given, strlen(session->given));
	text_format(out, "`%s%s", style->width && length > style->width ? "\n  " : " ", what);
}

static void add_no_calls(struct text *out, const struct report *report, const struct trace_run *run,
			 size_t width)
{
	text_add_char(out, '\n');
	if (*run->lttng_relay) {
		wrapped_add(out,
			    "The events are in the folder of lttng-relayd there: copy it here, and "
			    "`tandem report FOLDER` reads it.",
			    0, 0, width ? width : 80);
		return;
	}
	/* The operating system's buffers aside. */
	if (report->lost_total > report->lost[TANDEM_LOSS_kernel_buffer]) {
		wrapped_add(out,
			    "No GPU API calls: what was recorded of them could not be written.", 0,
			    0, width ? width : 80);
		return;
	}
	wrapped_add(out,
		    "No GPU API calls: the program made none while recording was on, or they could "
		    "not be seen. `tandem doctor` says what this machine can record.",
		    0, 0, width ? width : 80);
}

/* What is worth a look first. */
static void add_findings(struct text *out, const struct report *report,
			 const struct findings *findings, const struct trace_session *session,
			 const struct report_style *wanted)
{
	bool colour = wanted->colour;
	struct findings_style style = {.least_percent = FINDING_LEAST_PERCENT,
				       .most = FINDINGS_SHOWN,
				       .brief = true,
				       .colour = colour,
				       .width = wanted->width};
	const char *what =
		findings ? "details: location, cause, confidence, suggestion" : "examines them";
	struct text command = TEXT_INIT;

	text_format(out, "\n%sFindings%s  %s", colour_begin(colour, COLOUR_BOLD),
		    colour_end(colour), colour_begin(colour, COLOUR_DIM));
	text_add_string(&command, "findings");
	if (report->ranged)
		text_format(&command, " --from %" PRIu64 "ns --to %" PRIu64 "ns", report->from_ns,
			    report->to_ns);
	add_command(out, command.failed ? "findings" : command.data, session, what,
		    strlen("Findings  "), wanted);
	text_free(&command);
	text_format(out, "%s\n", colour_end(colour));
	if (findings)
		findings_text_print(out, findings, &style);
}

/* One table with its heading. */
static void add_part(struct text *out, const struct report *report, enum report_table which,
		     const struct report_part *part, struct table_style style)
{
	size_t length;

	text_format(out, "%s%s%s  %s", colour_begin(style.colour, COLOUR_BOLD), part->words,
		    colour_end(style.colour), colour_begin(style.colour, COLOUR_DIM));
	length = out->length;
	add_total(out, report, which);
	if (out->length == length)
		add_count(out, part->count, "row", "rows");
	style.hidden = table_context(out, part->table, part->rows, part->count, style.width);
	text_format(out, "%s\n", colour_end(style.colour));
	table_text(out, part->table, part->rows, part->count, &style);
}

/* Waits on the program's own processes, then those on others: each with its largest. */
static void add_waits(struct text *out, const struct report *report, struct report_part *part,
		      struct table_style style)
{
	part->rows = report->wait_summary;
	part->count = report->own_wait_count;
	if (part->count || !report->wait_summary_count)
		add_part(out, report, REPORT_TABLE_waits, part, style);
	if (report->own_wait_count == report->wait_summary_count)
		return;
	if (part->count)
		text_add_char(out, '\n');
	part->words = "Thread waits on other processes, all threads";
	part->rows = report->wait_summary + report->own_wait_count;
	part->count = report->wait_summary_count - report->own_wait_count;
	add_part(out, report, REPORT_TABLE_waits, part, style);
}

/* Rows of one name as one; all of them where all were asked for. */
static void fold_part(const struct report *report, enum report_table which,
		      struct report_part *part, struct arena *arena)
{
	size_t count = 0;
	const void *rows = which == REPORT_TABLE_process
				   ? (const void *)report_fold_processes(report, arena, &count)
				   : (const void *)report_fold_threads(report, arena, &count);

	if (!rows)
		return;
	part->rows = rows;
	part->count = count;
}

void report_text(struct text *out, const struct report *report, const struct findings *findings,
		 const struct trace_session *session, int table, const struct report_style *wanted)
{
	bool colour = wanted->colour;
	struct table_style style = {.colour = colour,
				    .indent = "  ",
				    .most_rows = wanted->top,
				    .width = wanted->width,
				    .most_width = NAME_MOST_WIDTH};
	struct arena arena = {0};

	if (table < 0) {
		add_title(out, report, session, wanted);
		add_notes(out, report, colour);
		if (report->events || report->ranged || report->kernel_events)
			add_findings(out, report, findings, session, wanted);
	}
	for (int i = 0; i < REPORT_TABLE_COUNT; i++) {
		enum report_table which = (enum report_table)i;
		struct report_part part = report_part(report, which);

		if (table >= 0 ? table != i : !part_is_worth(report, which, &part))
			continue;
		if (table < 0)
			text_add_char(out, '\n');
		if (style.most_rows &&
		    (which == REPORT_TABLE_process || which == REPORT_TABLE_thread))
			fold_part(report, which, &part, &arena);
		if (which == REPORT_TABLE_waits)
			add_waits(out, report, &part, style);
		else
			add_part(out, report, which, &part, style);
		if (which == REPORT_TABLE_builds)
			add_logs(out, report);
	}
	arena_free(&arena);
	if (table >= 0)
		return;
	if (!report->events && report->ranged)
		text_add_string(out, "\nNo event of the traced runtimes began there.\n");
	else if (!report->events)
		add_no_calls(out, report, &session->run, wanted->width);
	else {
		text_format(out, "\n%sNext: ", colour_begin(colour, COLOUR_DIM));
		add_command(out, "print", session, "shows every event chronologically.",
			    strlen("Next: "), wanted);
		text_format(out, "%s\n", colour_end(colour));
	}
}
