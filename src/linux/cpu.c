/* SPDX-License-Identifier: MIT */
#include "linux/cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/array.h"
#include "util/counter.h"

/* The events' clock and CLOCK_MONOTONIC differ by less from one look to the next. Who
 * stopped later than that before a look is found by the one after. */
#define STOPPED_NS 20000000

static int event_keep(struct linux_cpu *cpu, int event, enum perf_who who)
{
	if (event < 0)
		return event;
	if (array_reserve(&cpu->events, &cpu->event_capacity, cpu->event_count + 1,
			  sizeof(*cpu->events))) {
		close(event);
		return -ENOMEM;
	}
	cpu->events[cpu->event_count++] = (struct linux_cpu_event){event, who};
	return 0;
}

void linux_cpu_init(struct linux_cpu *cpu, struct linux_folder *folder, int number)
{
	*cpu = (struct linux_cpu){.number = number};
	linux_stream_open(&cpu->stream, folder, number);
}

int linux_cpu_open(struct linux_cpu *cpu, int event, enum perf_who who, size_t ring_bytes)
{
	int error = linux_ring_map(&cpu->ring, event, ring_bytes);

	if (error) {
		close(event);
		return error;
	}
	error = event_keep(cpu, event, who);
	if (error)
		linux_ring_unmap(&cpu->ring);
	cpu->lead = 0;
	cpu->lead_ns = 0;
	cpu->looked_ns = counter_clock_ns(CLOCK_MONOTONIC);
	return error;
}

int linux_cpu_add(struct linux_cpu *cpu, int id, enum perf_who who)
{
	int owner = cpu->events[0].fd;

	return event_keep(cpu,
			  id == LINUX_FAULTS ? perf_open_faults(cpu->number, owner)
					     : perf_open_tracepoint(id, who, cpu->number, owner),
			  who);
}

int linux_cpu_add_samples(struct linux_cpu *cpu, struct linux_sampling *sampling)
{
	int error = event_keep(cpu, linux_sample_open(sampling, cpu->number, cpu->events[0].fd),
			       PERF_CHILDREN);

	if (!error)
		cpu->sampling = sampling;
	return error;
}

/* They are the latest event. */
void linux_cpu_drop_samples(struct linux_cpu *cpu)
{
	if (cpu->sampling)
		close(cpu->events[--cpu->event_count].fd);
	cpu->sampling = NULL;
}

int linux_cpu_add_switches(struct linux_cpu *cpu)
{
	return event_keep(cpu, perf_open_switches(PERF_EVERYBODY, cpu->number, cpu->events[0].fd),
			  PERF_EVERYBODY);
}

bool linux_cpu_stopped(struct linux_cpu *cpu)
{
	uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC), enabled_ns;
	bool stopped;

	if (perf_lead_enabled(cpu->events[cpu->lead].fd, &enabled_ns))
		return false;
	stopped = enabled_ns - cpu->lead_ns + STOPPED_NS < now_ns - cpu->looked_ns;
	cpu->lead_ns = enabled_ns;
	cpu->looked_ns = now_ns;
	return stopped;
}

int linux_cpu_restart(struct linux_cpu *cpu, int id)
{
	size_t kept = 1;
	int error;

	/* Its descriptor stands for the ring. */
	perf_disable(cpu->events[0].fd);
	for (size_t i = 1; i < cpu->event_count; i++) {
		if (cpu->events[i].who == PERF_EVERYBODY)
			close(cpu->events[i].fd);
		else
			cpu->events[kept++] = cpu->events[i];
	}
	cpu->event_count = kept;
	cpu->lead = kept;
	cpu->lead_ns = 0;
	cpu->looked_ns = counter_clock_ns(CLOCK_MONOTONIC);
	error = event_keep(cpu, perf_open_lead(id, cpu->number, cpu->events[0].fd), PERF_EVERYBODY);
	if (error)
		cpu->lead = 0;
	return error;
}

void linux_cpu_announce(struct linux_cpu *cpu, struct linux_scope scope, bool fresh, uint64_t ticks)
{
	cpu->scope = scope;
	/* What was to be announced and is not yet is part of this one. */
	cpu->fresh = fresh || (cpu->fresh && !cpu->announced);
	cpu->scope_ticks = ticks;
	cpu->announced = false;
}

static void scope_put(struct linux_cpu *cpu)
{
	struct tandem_kernel_collecting *record = linux_stream_put(
		&cpu->stream, TANDEM_KERNEL_EVENT_collecting, cpu->scope_ticks, sizeof(*record));

	if (!record)
		return;
	record->scope = (uint8_t)cpu->scope.scope;
	record->anew = cpu->fresh;
	record->switches = cpu->scope.switches;
	record->wakeups = cpu->scope.wakeups;
	record->migrations = cpu->scope.migrations;
	record->syscalls = cpu->scope.syscalls;
	if (cpu->sampling && cpu->scope.scope != TANDEM_SCOPE_nothing)
		linux_sampling_put(cpu->sampling, &cpu->stream, cpu->scope_ticks);
	cpu->announced = true;
}

static bool is_before(const struct linux_cpu *cpu, const struct linux_decoder *decoder,
		      const struct perf_event_header *record)
{
	return record->size > sizeof(struct perf_who_when) &&
	       perf_clock_ticks(decoder->clock, perf_current(record)->ns) < cpu->scope_ticks;
}

unsigned linux_cpu_drain(struct linux_cpu *cpu, struct linux_decoder *decoder, bool keep)
{
	const struct perf_event_header *record;
	unsigned percent;

	linux_ring_begin(&cpu->ring);
	percent = linux_ring_percent(&cpu->ring);
	while ((record = linux_ring_next(&cpu->ring))) {
		if (!keep) {
			linux_mappings_hold(&decoder->mappings, record);
			continue;
		}
		if (decoder->mappings.count) {
			if (!cpu->announced)
				scope_put(cpu);
			linux_mappings_put(&decoder->mappings, &cpu->stream, cpu->scope_ticks);
		}
		if (!cpu->announced && is_before(cpu, decoder, record)) {
			if (cpu->fresh)
				continue;
		} else if (!cpu->announced) {
			scope_put(cpu);
		}
		linux_decode(decoder, &cpu->stream, record);
	}
	linux_ring_release(&cpu->ring);
	if (keep && !cpu->announced)
		scope_put(cpu);
	linux_stream_flush(&cpu->stream);
	return percent;
}

size_t linux_cpu_release(struct linux_cpu *cpu, int *fds)
{
	size_t count = cpu->event_count;

	for (size_t i = 0; i < count; i++) {
		if (fds)
			fds[i] = cpu->events[i].fd;
		else
			close(cpu->events[i].fd);
	}
	cpu->event_count = 0;
	cpu->sampling = NULL;
	linux_ring_unmap(&cpu->ring);
	return count;
}

void linux_cpu_destroy(struct linux_cpu *cpu)
{
	linux_stream_close(&cpu->stream);
	free(cpu->events);
}
