/* SPDX-License-Identifier: MIT */
/* What was run: the contents of session.json, written by `tandem record` when it
 * starts and again when the program has ended. Owned by the session. */
#ifndef TANDEM_TRACE_RUN_H
#define TANDEM_TRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/text.h"

struct trace_run_process { /* that the recording started, whether it recorded or not */
	uint64_t pid, ppid;
	uint64_t lived_ns; /* 0: not known */
	bool exec;	   /* it ran another program than its parent's */
	const char *name;  /* of its first thread */
};

struct trace_run {
	struct arena arena;
	const char *tandem; /* version that recorded; "" where not known, as all of these */
	const char *schema;
	const char *program;
	const char *command; /* the words of the command line with a blank between */
	const char *host;
	const char *boot_id; /* of the machine: clocks of another boot are other clocks */
	const char *release; /* of its kernel */
	const char *machine; /* what hardware, as uname says: "x86_64" */
	const char *cwd;
	const char *start; /* date and time, RFC 3339 */

	uint64_t ticks_hz, start_ticks, start_monotonic_ns, start_realtime_ns;
	bool has_end; /* the program ended and was seen to */
	uint64_t end_ticks, end_monotonic_ns;
	bool has_exit;
	int64_t exit_code, exit_signal; /* of which one is 0 */
	double record_floor_ns; /* what recording a call costs there at least; 0: not known */
	struct trace_run_process *processes; /* the program first; none where it has no end */
	size_t process_count;
	uint64_t recorder_cpu_ns; /* what the recorder took of the machine */
};

/* Without any values. */
void trace_run_init(struct trace_run *run);

/* Takes the text of session.json; missing and strange members are left out.
 * Returns 0, -EINVAL (no JSON: *offset is where, `why` what), or -ENOMEM. */
int trace_run_parse(struct trace_run *run, const char *text, size_t bytes, uint64_t *offset,
		    char *why, size_t why_bytes);

/* Adds a word of the command as a shell would take it back. */
void trace_run_add_word(struct text *text, const char *word);

void trace_run_free(struct trace_run *run);

#endif
