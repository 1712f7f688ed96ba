/* SPDX-License-Identifier: MIT */
#include "trace/session/session_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/directory.h"
#include "format/ticks.h"
#include "trace/schema/unpack.h"

/* A command line of 2 MiB fits. */
#define RUN_MAX_BYTES (16u << 20)
/* Descriptions of all domains are some 400 KiB, packed 65. */
#define SCHEMA_MAX_BYTES (8u << 20)

char *trace_session_file(const struct trace_session *session, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", session->path, name) < 0 ? NULL : path;
}

/* The fields of a control page that the reader takes; a page that a process is
 * still writing is read once, word by word. */
static void session_take_control(struct trace_session *session, struct tandem_control *control)
{
	struct trace_run *run = &session->run;

	tandem_control_upgrade(control);
	session->has_control = true;
	session->has_rings = control->ring_bytes != 0;
	if (control->args_level <= TANDEM_ARGS_FULL)
		session->args_level = (enum tandem_args_level)control->args_level;
	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++)
		session->lost[i] = atomic_load_explicit(&control->lost[i], memory_order_relaxed);
	session->untimed_queues =
		atomic_load_explicit(&control->untimed_queues, memory_order_relaxed);
	session->unfinished = atomic_load_explicit(&control->unfinished, memory_order_relaxed);
	session->ticks_monotonic = control->clock_source == TANDEM_CLOCK_MONOTONIC;
	run->ticks_hz = control->ticks_hz;
	run->start_ticks = control->start_ticks;
	run->start_monotonic_ns = control->start_monotonic_ns;
	run->start_realtime_ns = control->start_realtime_ns;
}

int trace_session_read_control(struct trace_session *session, struct trace_problems *problems)
{
	char *path = trace_session_file(session, DIRECTORY_CONTROL);
	struct tandem_control control;
	char *data = NULL;
	size_t bytes = 0;
	int status =
		path ? trace_file_load(&session->files, path, TANDEM_CONTROL_BYTES, &data, &bytes)
		     : -ENOMEM;

	if (!status && bytes < sizeof(control)) {
		trace_problem(problems, path, bytes, "the control page is cut off");
	} else if (!status) {
		memcpy(&control, data, sizeof(control));
		if (control.magic != TANDEM_CONTROL_MAGIC)
			trace_problem(problems, path, offsetof(struct tandem_control, magic),
				      "this is no control page");
		else if (!tandem_control_readable(&control))
			trace_problem(problems, path, offsetof(struct tandem_control, version),
				      "a control page of version %u; this tandem knows %u",
				      control.version, TANDEM_CONTROL_VERSION);
		else
			session_take_control(session, &control);
	} else if (status != -ENOMEM) {
		trace_problem(problems, path, 0, "cannot be read: %s", strerror(-status));
		status = 0;
	}
	free(data);
	free(path);
	return status;
}

/* Times are sums of these: nothing overflows. No machine runs for a century. */
static void check_times(struct trace_run *run, struct trace_problems *problems, const char *path)
{
	const uint64_t most = (uint64_t)100 * 366 * 24 * 3600 * 1000000000;
	uint64_t *times[] = {&run->start_monotonic_ns, &run->end_monotonic_ns};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		if (*times[i] <= most)
			continue;
		trace_problem(problems, path, TRACE_PROBLEM_WHOLE(i),
			      "the program %s %" PRIu64 " ns after the machine: it is passed over",
			      i ? "ended" : "began", *times[i]);
		*times[i] = 0;
	}
}

int trace_session_read_run(struct trace_session *session, struct trace_problems *problems)
{
	struct trace_run from_control = session->run;
	struct trace_run *run = &session->run;
	char *path = trace_session_file(session, DIRECTORY_DESCRIPTION);
	char *text = NULL, why[256];
	uint64_t offset;
	size_t bytes = 0;
	int status = path ? trace_file_load(&session->files, path, RUN_MAX_BYTES, &text, &bytes)
			  : -ENOMEM;

	if (!status) {
		status = trace_run_parse(run, text, bytes, &offset, why, sizeof(why));
		if (status == -EINVAL)
			trace_problem(problems, path, offset, "%s", why);
	} else if (status != -ENOMEM) {
		trace_problem(problems, path, 0, "cannot be read: %s", strerror(-status));
	}
	if (!run->ticks_hz)
		run->ticks_hz = from_control.ticks_hz;
	/* The three belong together: of one source. */
	if (!run->start_ticks || !run->start_monotonic_ns) {
		run->start_ticks = from_control.start_ticks;
		run->start_monotonic_ns = from_control.start_monotonic_ns;
		run->start_realtime_ns = from_control.start_realtime_ns;
	}
	if (path)
		check_times(run, problems, path);
	free(text);
	free(path);
	return status == -ENOMEM ? status : 0;
}

int trace_session_read_schema(struct trace_session *session)
{
	char *path = trace_session_file(session, "schema"), *text = NULL;
	struct trace_schema_said said;
	unsigned damaged = 0;
	size_t bytes = 0;
	int status = path ? trace_file_load(&session->files, path, SCHEMA_MAX_BYTES, &text, &bytes)
			  : -ENOMEM;

	if (!status)
		status = trace_schema_unpack(&text, &bytes, &damaged);
	if (damaged)
		trace_problem(session->problems, path, 0, "descriptions of %u domains are damaged",
			      damaged);
	if (!status) {
		trace_schema_measure(&session->schema, text, bytes);
		status =
			trace_schema_add(&session->schema, session->args_level, text, bytes, &said);
		if (!status && said.bad)
			trace_problem(session->problems, path, said.bad_offset,
				      "%u descriptions of events that make no sense", said.bad);
	} else if (status != -ENOMEM) {
		status = 0;
	}
	free(text);
	free(path);
	return status;
}
