#include "linux/cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/ticks.h"
#include "util/array.h"

/* The events' clock and CLOCK_MONOTONIC differ by less from one look to the next. Who
 * stopped later than that before a look is found by the one after. */
#define STOPPED_NS 20000000

static int event_keep(struct kernel_cpu *cpu, int event, enum perf_who who)
{
	if (event < 0)
		return event;
	if (array_reserve(&cpu->events, &cpu->event_capacity, cpu->event_count + 1,
			  sizeof(*cpu->events))) {
		close(event);
		return -ENOMEM;
	}
	cpu->events[cpu->event_count++] = (struct kernel_cpu_event){event, who};
	return 0;
}

void kernel_cpu_init(struct kernel_cpu *cpu, struct kernel_folder *folder, int number)
{
	*cpu = (struct kernel_cpu){ .number = number };
	kernel_stream_open(&cpu->stream, folder, number);
}

int kernel_cpu_open(struct kernel_cpu *cpu, int event, enum perf_who who, size_t ring_bytes)
{
	int error = kernel_ring_map(&cpu->ring, event, ring_bytes);

	if (error) {
		close(event);
		return error;
	}
	error = event_keep(cpu, event, who);
	if (error)
		kernel_ring_unmap(&cpu->ring);
	cpu->lead = 0;
	cpu->lead_ns = 0;
	cpu->looked_ns = tandem_monotonic_ns();
	return error;
}

int kernel_cpu_add(struct kernel_cpu *cpu, int id, enum perf_who who)
{
	return event_keep(cpu, perf_open_tracepoint(id, who, cpu->number, cpu->events[0].fd), who);
}

int kernel_cpu_add_samples(struct kernel_cpu *cpu, struct kernel_sampling *sampling)
{
	int error = event_keep(cpu, kernel_sample_open(sampling, cpu->number, cpu->events[0].fd),
			       PERF_CHILDREN);

	if (!error)
		cpu->sampling = sampling;
	return error;
}

/* They are the latest event. */
void kernel_cpu_drop_samples(struct kernel_cpu *cpu)
{
	if (cpu->sampling)
		close(cpu->events[--cpu->event_count].fd);
	cpu->sampling = NULL;
}

int kernel_cpu_add_switches(struct kernel_cpu *cpu)
{
	return event_keep(cpu, perf_open_switches(PERF_EVERYBODY, cpu->number, cpu->events[0].fd),
			  PERF_EVERYBODY);
}

bool kernel_cpu_stopped(struct kernel_cpu *cpu)
{
	uint64_t now_ns = tandem_monotonic_ns(), enabled_ns;
	bool stopped;

	if (perf_lead_enabled(cpu->events[cpu->lead].fd, &enabled_ns))
		return false;
	stopped = enabled_ns - cpu->lead_ns + STOPPED_NS < now_ns - cpu->looked_ns;
	cpu->lead_ns = enabled_ns;
	cpu->looked_ns = now_ns;
	return stopped;
}

int kernel_cpu_restart(struct kernel_cpu *cpu, int id)
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
	cpu->looked_ns = tandem_monotonic_ns();
	error = event_keep(cpu, perf_open_lead(id, cpu->number, cpu->events[0].fd), PERF_EVERYBODY);
	if (error)
		cpu->lead = 0;
	return error;
}

void kernel_cpu_announce(struct kernel_cpu *cpu, struct kernel_scope scope, bool anew,
			 uint64_t ticks)
{
	cpu->scope = scope;
	/* What was to be announced and is not yet is part of this one. */
	cpu->anew = anew || (cpu->anew && !cpu->announced);
	cpu->scope_ticks = ticks;
	cpu->announced = false;
}

static void scope_put(struct kernel_cpu *cpu)
{
	struct tandem_kernel_collecting *record =
		kernel_stream_put(&cpu->stream, TANDEM_KERNEL_EVENT_collecting, cpu->scope_ticks,
				  sizeof(*record));

	if (!record)
		return;
	record->scope = (uint8_t)cpu->scope.scope;
	record->anew = cpu->anew;
	record->switches = cpu->scope.switches;
	record->wakeups = cpu->scope.wakeups;
	record->migrations = cpu->scope.migrations;
	record->syscalls = cpu->scope.syscalls;
	if (cpu->sampling && cpu->scope.scope != TANDEM_SCOPE_nothing)
		kernel_sampling_put(cpu->sampling, &cpu->stream, cpu->scope_ticks);
	cpu->announced = true;
}

static bool is_before(const struct kernel_cpu *cpu, const struct kernel_decoder *decoder,
		      const struct perf_event_header *record)
{
	return record->size > sizeof(struct perf_who_when) &&
	       kernel_timeline_ticks(decoder->timeline, perf_current(record)->ns) <
		       cpu->scope_ticks;
}

unsigned kernel_cpu_drain(struct kernel_cpu *cpu, struct kernel_decoder *decoder, bool keep)
{
	const struct perf_event_header *record;
	unsigned percent;

	kernel_ring_begin(&cpu->ring);
	percent = kernel_ring_percent(&cpu->ring);
	while ((record = kernel_ring_next(&cpu->ring))) {
		if (!keep) {
			kernel_mappings_hold(&decoder->mappings, record);
			continue;
		}
		if (decoder->mappings.count) {
			if (!cpu->announced)
				scope_put(cpu);
			kernel_mappings_put(&decoder->mappings, &cpu->stream, cpu->scope_ticks);
		}
		if (!cpu->announced && is_before(cpu, decoder, record)) {
			if (cpu->anew)
				continue;
		} else if (!cpu->announced) {
			scope_put(cpu);
		}
		kernel_decode(decoder, &cpu->stream, record);
	}
	kernel_ring_release(&cpu->ring);
	if (keep && !cpu->announced)
		scope_put(cpu);
	kernel_stream_flush(&cpu->stream);
	return percent;
}

size_t kernel_cpu_release(struct kernel_cpu *cpu, int *fds)
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
	kernel_ring_unmap(&cpu->ring);
	return count;
}

void kernel_cpu_destroy(struct kernel_cpu *cpu)
{
	kernel_stream_close(&cpu->stream);
	free(cpu->events);
}
