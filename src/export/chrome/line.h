/* SPDX-License-Identifier: MIT */
/* A line of the Trace Event Format, which is an event's object. Part of the export `chrome`. One
 * thread.
 *
 *	chrome_line_begin(export, "X", name);
 *	chrome_add_place(export, pid, tid);
 *	chrome_add_time(export, "ts", begin_ns);
 *	chrome_line_end(export);
 */
#ifndef TANDEM_EXPORT_CHROME_LINE_H
#define TANDEM_EXPORT_CHROME_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/export.h"
#include "export/task_flows.h"
#include "export/tracks.h"
#include "util/json.h"
#include "util/text.h"

/* Above all thread ids that export_pid() gives for one machine. */
#define CHROME_FIRST_ROW_TID (UINT64_C(1) << 31)

struct chrome {
	struct text line;
	struct json json;
	struct tracks tracks;
	struct task_flows flows;
	const struct trace_stream **threads; /* of the session, by index */
	size_t thread_count, thread_capacity;
	uint64_t dependencies; /* numbers of earlier sessions' */
	bool begun;	       /* a line was written */
};

void chrome_line_begin(struct export *export, const char *phase, const char *name);

void chrome_line_end(struct export *export);

void chrome_add_place(struct export *export, uint64_t pid, uint64_t tid);

/* Microseconds, with every digit that a ns has. */
void chrome_add_us(struct json *json, const char *key, int64_t ns);

void chrome_add_time(struct export *export, const char *key, int64_t monotonic_ns);

void chrome_name_place(struct export *export, const char *what, const char *key, uint64_t pid,
		       uint64_t tid, const char *name);

#endif
