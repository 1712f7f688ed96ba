/* SPDX-License-Identifier: MIT */
#include "cli/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "setup/library.h"

/* Work shorter than this needs no progress line. */
#define PROGRESS_AFTER_MS 700
#define PROGRESS_EVERY_MS 100

static void print_warning(void *user, const char *file, uint64_t offset, const char *text)
{
	struct reading *reading = user;
	struct text line = TEXT_INIT;

	reading_progress_end(reading);
	text_escape(&line, file, strlen(file));
	text_add_string(&line, ": ");
	if (offset < TRACE_PROBLEM_WHOLE(0))
		text_format(&line, "byte %" PRIu64 ": ", offset);
	text_add_visible(&line, text, strlen(text));
	fprintf(stderr, "tandem: warning: %s\n", line.data ? line.data : "");
	text_free(&line);
}

int reading_open(struct reading *reading, const char *path)
{
	struct error error = ERROR_INIT;
	char user[PATH_MAX], kernel[PATH_MAX];
	struct lttng_modules modules = {
		.user = library_module(user, READING_LTTNG_MODULE) ? NULL : user,
		.kernel = library_module(kernel, "tandem-ctf.so") ? NULL : kernel,
	};

	memset(reading, 0, sizeof(*reading));
	reading->problems.tell = print_warning;
	reading->problems.user = reading;
	clock_gettime(CLOCK_MONOTONIC, &reading->progress_at);
	if ((lttng_import_is_trace(path) &&
	     lttng_import_make(&reading->lttng, path, &modules, &error)) ||
	    trace_session_open(&reading->session,
			       reading->lttng.session ? reading->lttng.session : path,
			       &reading->problems, &error)) {
		lttng_import_close(&reading->lttng);
		trace_problems_free(&reading->problems);
		return cli_fail(&error);
	}
	reading->session.given = path;
	if (*reading->lttng.problem)
		trace_problem(&reading->problems, path, TRACE_PROBLEM_WHOLE(0),
			      "its kernel's side is left out: %s", reading->lttng.problem);
	return CLI_DONE;
}

int reading_with(struct reading *reading, const char *trace)
{
	struct error error = ERROR_INIT;
	char module[PATH_MAX];
	int status = 0;

	if (trace)
		status = ctf_import_make(&reading->import, &reading->session, trace,
					 library_module(module, "tandem-ctf.so") ? NULL : module,
					 &error);
	if (trace && !status)
		status = trace_session_replace_kernel(&reading->session, reading->import.folder,
						      &error);
	if (!status)
		return CLI_DONE;
	reading_close(reading);
	return cli_fail(&error);
}

void reading_close(struct reading *reading)
{
	reading_progress_end(reading);
	trace_session_close(&reading->session);
	ctf_import_remove(&reading->import);
	lttng_import_close(&reading->lttng);
	trace_problems_free(&reading->problems);
}

static int64_t since_ms(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - then->tv_sec) * 1000 +
	       (now.tv_nsec - then->tv_nsec) / 1000000;
}

void reading_progress(void *user, uint64_t done, uint64_t total)
{
	struct reading *reading = user;

	if (!isatty(STDERR_FILENO) ||
	    since_ms(&reading->progress_at) <
		    (reading->progress_shown ? PROGRESS_EVERY_MS : PROGRESS_AFTER_MS))
		return;
	clock_gettime(CLOCK_MONOTONIC, &reading->progress_at);
	reading->progress_shown = true;
	fprintf(stderr, "\rreading %3.0f %%",
		total && done < total ? 100.0 * (double)done / (double)total : 100.0);
	fflush(stderr);
}

void reading_progress_end(struct reading *reading)
{
	if (reading->progress_shown)
		fputs("\r\033[K", stderr);
	reading->progress_shown = false;
}

bool reading_has_events(const struct reading *reading)
{
	const struct trace_session *session = &reading->session;

	for (size_t i = 0; i < session->traced_count; i++)
		for (size_t j = 0; j < session->processes[i].stream_count; j++)
			if (session->processes[i].streams[j].packets)
				return true;
	return false;
}

int reading_report(struct reading *reading, const struct report_options *options,
		   struct report *report, struct findings *findings)
{
	struct progress progress = {.tell = reading_progress, .user = reading};
	struct error error = ERROR_INIT;
	struct pass pass;
	int status;

	if (findings)
		memset(findings, 0, sizeof(*findings));
	pass_init(&pass, &reading->session, &progress);
	status = report_join(&pass, report, options);
	if (!status && findings)
		status = findings_join(&pass, findings, NULL, &error);
	status = pass_run(&pass, status);
	reading_progress_end(reading);
	if (!status)
		return CLI_DONE;
	report_free(report);
	if (findings)
		findings_free(findings);
	error_add(&error, status, "%s: %s", reading->session.given, strerror(-status));
	return cli_fail(&error);
}

int reading_write(struct text *out)
{
	bool failed = out->failed;
	bool written = !out->length || fwrite(out->data, 1, out->length, stdout) == out->length;

	text_clear(out);
	if (failed)
		return cli_error("out of memory");
	if (written && !fflush(stdout))
		return CLI_DONE;
	if (errno == EPIPE)
		return -EPIPE;
	return cli_error("cannot write the output: %s", strerror(errno));
}
