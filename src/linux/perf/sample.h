/* SPDX-License-Identifier: MIT */
/* Stacks of the traced program's threads, taken by the kernel each period of their
 * time on a CPU, and where the program's code is mapped, without which the
 * addresses say nothing (perf_event_open(2): PERF_COUNT_SW_CPU_CLOCK). Events are
 * inherited by what the recorder starts; they go to the rings of its CPUs. One
 * thread.
 */
#ifndef TANDEM_LINUX_SAMPLE_H
#define TANDEM_LINUX_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/stream.h"

struct linux_sampling {
	uint32_t hz;	   /* 0: none */
	bool saved_stacks; /* to be unwound by the reader; else by frame pointers, here */
	bool in_kernel;	   /* permitted to take them while the system runs, too */
};

/* Mappings that were made while nothing is recorded: what is mapped then is
 * executed later. */
struct linux_mappings {
	struct perf_event_header **held;
	size_t count, capacity;
};

/* Opens the event on one CPU; it writes to the ring of `owner`. Fills in_kernel.
 * Returns a descriptor, or -errno: -ENOTSUP where this processor's registers are
 * not known here. */
int linux_sample_open(struct linux_sampling *sampling, int cpu, int owner);

/* Says in the stream that from here on it holds samples. */
void linux_sampling_put(const struct linux_sampling *sampling, struct linux_stream *stream,
			uint64_t ticks);

/* A sample record of the ring is either a tracepoint's or one of these. */
bool linux_sample_is(const struct perf_event_header *record);

/* Take a record of the ring; what makes no sense is passed over. */
void linux_sample_put(const struct linux_sampling *sampling, struct linux_stream *stream,
		      uint64_t ticks, const struct perf_event_header *record);
void linux_mapping_put(struct linux_stream *stream, uint64_t ticks,
		       const struct perf_event_header *record);

/* Keeps a record of the ring, if it tells of a mapping, for later. */
void linux_mappings_hold(struct linux_mappings *mappings, const struct perf_event_header *record);

/* Writes those that were kept. */
void linux_mappings_put(struct linux_mappings *mappings, struct linux_stream *stream,
			uint64_t ticks);

void linux_mappings_free(struct linux_mappings *mappings);

#endif
