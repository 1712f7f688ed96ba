/* SPDX-License-Identifier: MIT */
/* One CPU as the collector sees it: its perf events, the ring that they all
 * write to, and the stream that their records go to. One thread.
 */
#ifndef TANDEM_LINUX_CPU_H
#define TANDEM_LINUX_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "linux/decode.h"
#include "linux/perf/perf.h"
#include "linux/perf/ring.h"
#include "linux/perf/sample.h"
#include "linux/stream.h"
#include "schema/gen/kernel_records.h"

/* What the stream holds, for the record `collecting`. */
struct linux_scope {
	enum tandem_scope scope;
	bool switches, wakeups, migrations, syscalls;
};

struct linux_cpu_event {
	int fd;
	enum perf_who who;
};

struct linux_cpu {
	int number;
	struct linux_cpu_event *events; /* the first owns the ring */
	size_t event_count, event_capacity;
	size_t lead;		     /* of the events: what linux_cpu_stopped() looks at */
	uint64_t looked_ns, lead_ns; /* when, by CLOCK_MONOTONIC; what it had then */
	struct linux_ring ring;
	struct linux_stream stream;
	struct linux_scope scope;
	const struct linux_sampling *sampling; /* borrowed; NULL: none here */
	bool announced;			       /* by a record `collecting` */
	bool fresh;
	uint64_t scope_ticks; /* since when */
};

void linux_cpu_init(struct linux_cpu *cpu, struct linux_folder *folder, int number);

/* Takes over an open event as the owner of the ring. Returns 0 or -errno: then
 * the event is closed. */
int linux_cpu_open(struct linux_cpu *cpu, int event, enum perf_who who, size_t ring_bytes);

/* For the number of a tracepoint: page faults. */
#define LINUX_FAULTS 0

/* Adds a tracepoint, or LINUX_FAULTS. Returns 0 or -errno. */
int linux_cpu_add(struct linux_cpu *cpu, int id, enum perf_who who);

/* Adds samples of the program's stacks; fills what they are. Returns 0 or -errno. */
int linux_cpu_add_samples(struct linux_cpu *cpu, struct linux_sampling *sampling);

void linux_cpu_drop_samples(struct linux_cpu *cpu);

/* Adds perf's own records of switches. Returns 0 or -errno. */
int linux_cpu_add_switches(struct linux_cpu *cpu);

/* Whether the CPU was off-line for a moment: then what watched everybody there is dead,
 * and nothing else tells. Asked at intervals; the ring belongs to a perf_open_lead(). */
bool linux_cpu_stopped(struct linux_cpu *cpu);

/* Ends what watches everybody, and begins it again with the same tracepoint in the lead.
 * The ring stays, and so does what watches the program: that went on by itself. Returns
 * 0 or -errno. */
int linux_cpu_restart(struct linux_cpu *cpu, int id);

/* Says what the stream holds from these ticks on; fresh: as a fresh start. */
void linux_cpu_announce(struct linux_cpu *cpu, struct linux_scope scope, bool fresh,
			uint64_t ticks);

/* Reads what is in the ring, and writes it unless it is to be thrown away. Returns how
 * full it was, in percent. */
unsigned linux_cpu_drain(struct linux_cpu *cpu, struct linux_decoder *decoder, bool keep);

/* Whether it is collected from: it has events. */
static inline bool linux_cpu_active(const struct linux_cpu *cpu)
{
	return cpu->event_count > 0;
}

/* Moves its descriptors to `fds`, which has room for event_count; NULL: closes
 * them. The ring goes with them, the stream stays and may go on later. Returns
 * how many. */
size_t linux_cpu_release(struct linux_cpu *cpu, int *fds);

/* After linux_cpu_release(). */
void linux_cpu_destroy(struct linux_cpu *cpu);

#endif
