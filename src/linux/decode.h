/* Makes our records (schema/kernel.events) of perf's. One thread.
 *
 *	kernel_decode(&decoder, &cpu->stream, record);
 */
#ifndef TANDEM_LINUX_DECODE_H
#define TANDEM_LINUX_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/driver.h"
#include "linux/format.h"
#include "linux/perf.h"
#include "linux/sample.h"
#include "linux/stream.h"
#include "linux/tasks.h"
#include "linux/timeline.h"
#include "util/map.h"

struct kernel_decoder {
	const struct kernel_timeline *timeline; /* borrowed */
	struct kernel_formats formats;
	struct kernel_tasks tasks;
	struct kernel_drivers drivers; /* of GPUs: the tracepoints that are stored as they are */
	struct kernel_sampling sampling; /* hz 0: none */
	struct kernel_mappings mappings; /* not written yet */
	struct map syscalls; /* numbers whose names were written */
	bool system; /* scope: everybody, not only the program's threads */
	bool arguments; /* of system calls, too */
};

void kernel_decoder_init(struct kernel_decoder *decoder, const struct kernel_timeline *timeline);
void kernel_decoder_free(struct kernel_decoder *decoder);

/* Everything that is described once (tasks, names, formats) has to be described
 * again: it did not reach the file. */
void kernel_decoder_forget(struct kernel_decoder *decoder);

/* Takes any record; what it does not know it passes over. */
void kernel_decode(struct kernel_decoder *decoder, struct kernel_stream *stream,
		   const struct perf_event_header *record);

#endif
