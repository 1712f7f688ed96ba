/* SPDX-License-Identifier: MIT */
/* Fuzz target of what reads a whole session: session.json, the kernel's side of two
 * CPUs and a process's stream of any bytes, through the report with its states and
 * waits, the findings and the timeline's index.
 *
 * An input is session.json, the process's stream and that of CPU 0, each with its
 * length before it (scratch.h), and then that of CPU 1.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/report/report_make.h"
#include "scratch.h"
#include "trace/session/session_open.h"
#include "view/rows/index_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void make_folders(void)
{
	static const char metadata[] = "env {\n\tpid = 1000;\n\targs_level = 1;\n"
				       "\tprocname = \"synthetic\";\n};\n"
				       "clock {\n\tfreq = 2500000000;\n};\n";

	scratch_folder("process-1000");
	scratch_folder("kernel");
	scratch_put("process-1000/metadata", metadata, strlen(metadata));
	scratch_put("kernel/metadata", metadata, strlen(metadata));
	scratch_put_control();
}

/* No thread has more time than there is, whatever the records say. */
static void check_report(const struct report *report)
{
	for (size_t i = 0; i < report->thread_count; i++) {
		const struct report_thread *thread = &report->thread[i];

		if (thread->system_ns > thread->running_ns)
			abort();
	}
	for (size_t i = 0; i < report->busy_count; i++)
		if (report->devices[i].idle_ns > report->duration_ns)
			abort();
}

/* The report, and now and then what takes longer. */
static void read_all(struct trace_session *session, size_t turn)
{
	struct error error = ERROR_INIT;
	struct findings findings;
	struct view_store store;
	struct report report;

	if (!report_make(&report, session, NULL, &error)) {
		check_report(&report);
		report_free(&report);
	}
	if (turn % 8 == 1 && !findings_make(&findings, session, NULL, &error))
		findings_free(&findings);
	if (turn % 8 == 2 && !index_build(session, NULL, NULL, &store, &error))
		view_store_close(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct trace_problems problems = {.tell = NULL};
	struct trace_session session;
	struct error error = ERROR_INIT;
	struct scratch_part part;
	static bool made;

	if (!made) {
		make_folders();
		made = true;
	}
	part = scratch_part(&data, &bytes);
	scratch_put("session.json", part.data, part.bytes);
	part = scratch_part(&data, &bytes);
	scratch_put("process-1000/stream-1", part.data, part.bytes);
	part = scratch_part(&data, &bytes);
	scratch_put("kernel/stream-1", part.data, part.bytes);
	scratch_put("kernel/stream-2", data, bytes);
	if (!trace_session_open(&session, scratch(), &problems, &error)) {
		read_all(&session, bytes);
		trace_session_close(&session);
	}
	trace_problems_free(&problems);
	return 0;
}
