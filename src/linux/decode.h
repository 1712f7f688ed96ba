/* SPDX-License-Identifier: MIT */
/* Makes our records (schema/events/kernel.events) of perf's. One thread.
 *
 *	linux_decode(&decoder, &cpu->stream, record);
 */
#ifndef TANDEM_LINUX_DECODE_H
#define TANDEM_LINUX_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/perf/perf.h"
#include "linux/perf/perf_clock.h"
#include "linux/perf/sample.h"
#include "linux/process_tree.h"
#include "linux/stream.h"
#include "linux/tasks.h"
#include "linux/tracepoint/driver.h"
#include "linux/tracepoint/format.h"
#include "linux/tracepoint/syscall.h"

struct linux_decoder {
	const struct perf_clock *clock; /* borrowed */
	struct linux_formats formats;
	struct linux_tasks tasks;
	struct linux_process_tree *processes; /* borrowed; NULL: nobody asks */
	struct linux_drivers drivers;	/* of GPUs: the tracepoints that are stored as they are */
	struct linux_sampling sampling; /* hz 0: none */
	struct linux_mappings mappings; /* not written yet */
	struct linux_syscalls syscalls;
};

void linux_decoder_init(struct linux_decoder *decoder, const struct perf_clock *clock);
void linux_decoder_free(struct linux_decoder *decoder);

/* Everything that is described once (tasks, names, formats) has to be described
 * again: it did not reach the file. */
void linux_decoder_invalidate(struct linux_decoder *decoder);

/* Takes any record; what it does not know it passes over. */
void linux_decode(struct linux_decoder *decoder, struct linux_stream *stream,
		  const struct perf_event_header *record);

#endif
