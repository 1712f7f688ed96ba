/* SPDX-License-Identifier: MIT */
#include "linux/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "linux/perf/reaper.h"
#include "util/array.h"

static const struct linux_scope nothing = {.scope = TANDEM_SCOPE_nothing};

static struct linux_scope machine_scope(const struct linux_machine *machine)
{
	if (!machine->plan)
		return (struct linux_scope){.scope = TANDEM_SCOPE_program, .switches = true};
	return linux_plan_scope(machine->plan, machine->opened);
}

static struct linux_cpu *cpu_find(struct linux_machine *machine, int number)
{
	for (size_t i = 0; i < machine->count; i++) {
		if (machine->cpus[i].number == number)
			return &machine->cpus[i];
	}
	if (array_reserve(&machine->cpus, &machine->capacity, machine->count + 1,
			  sizeof(*machine->cpus)))
		return NULL;
	linux_cpu_init(&machine->cpus[machine->count], machine->folder, number);
	return &machine->cpus[machine->count++];
}

/* The event that owns the ring, and those that are open on the other CPUs. */
static int cpu_begin(struct linux_machine *machine, int number)
{
	const struct linux_plan *plan = machine->plan;
	struct epoll_event wake = {.events = EPOLLIN};
	struct linux_cpu *cpu = cpu_find(machine, number);
	int event, error;

	if (!cpu)
		return -ENOMEM;
	event = plan ? perf_open_lead(plan->events[0].id, number, -1)
		     : perf_open_switches(PERF_CHILDREN, number, -1);
	error = event < 0 ? event
			  : linux_cpu_open(cpu, event, plan ? PERF_EVERYBODY : PERF_CHILDREN,
					   machine->ring_bytes);
	if (!error && epoll_ctl(machine->epoll, EPOLL_CTL_ADD, event, &wake))
		error = -errno;
	for (size_t i = 1; !error && plan && i < machine->opened; i++)
		error = linux_cpu_add(cpu, plan->events[i].id, plan->events[i].who);
	if (!error && machine->gaps_filled)
		linux_cpu_add_switches(cpu);
	if (error)
		linux_cpu_release(cpu, NULL);
	return error;
}

int linux_machine_open(struct linux_machine *machine, struct linux_folder *folder,
		       struct linux_plan *plan, size_t ring_bytes)
{
	int error = 0, active = 0;

	*machine = (struct linux_machine){
		.folder = folder, .plan = plan, .opened = 1, .ring_bytes = ring_bytes};
	machine->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (machine->epoll < 0)
		return -errno;
	if (linux_cpus_online(&machine->online) < 0)
		error = -ENODEV;
	for (int number = 0; !error && number < LINUX_CPUS; number++) {
		if (!linux_cpus_has(&machine->online, number))
			continue;
		error = cpu_begin(machine, number);
		active += !error;
		if (error == -ENODEV) /* it went off-line just now */
			error = 0;
	}
	if (!error && !active)
		error = -ENODEV;
	if (error)
		linux_machine_close(machine, -1, false);
	return error;
}

int linux_machine_add_samples(struct linux_machine *machine, struct linux_sampling *sampling)
{
	int error = 0;

	for (size_t i = 0; !error && i < machine->count; i++) {
		if (linux_cpu_active(&machine->cpus[i]))
			error = linux_cpu_add_samples(&machine->cpus[i], sampling);
	}
	for (size_t i = 0; error && i < machine->count; i++)
		linux_cpu_drop_samples(&machine->cpus[i]);
	return error;
}

bool linux_machine_open_next(struct linux_machine *machine)
{
	struct linux_plan *plan = machine->plan;
	const struct linux_plan_event *event;
	int error = 0;

	if (!plan || machine->opened >= plan->count)
		return false;
	event = &plan->events[machine->opened];
	for (size_t i = 0; !error && i < machine->count; i++) {
		if (linux_cpu_active(&machine->cpus[i]))
			error = linux_cpu_add(&machine->cpus[i], event->id, event->who);
	}
	if (error)
		linux_plan_remove(plan, machine->opened);
	else
		machine->opened++;
	return true;
}

void linux_machine_fill_gaps(struct linux_machine *machine)
{
	bool gaps = false;

	if (!machine->plan || machine->gaps_filled)
		return;
	for (size_t i = 0; i < machine->count; i++)
		gaps |= machine->cpus[i].stream.gaps > 0;
	for (size_t i = 0; gaps && i < machine->count; i++) {
		if (linux_cpu_active(&machine->cpus[i]))
			linux_cpu_add_switches(&machine->cpus[i]);
	}
	machine->gaps_filled = gaps;
}

void linux_machine_announce(struct linux_machine *machine, bool fresh, uint64_t ticks)
{
	for (size_t i = 0; i < machine->count; i++) {
		if (linux_cpu_active(&machine->cpus[i]))
			linux_cpu_announce(&machine->cpus[i], machine_scope(machine), fresh, ticks);
	}
}

void linux_machine_announce_end(struct linux_machine *machine, uint64_t ticks)
{
	for (size_t i = 0; i < machine->count; i++) {
		if (linux_cpu_active(&machine->cpus[i]))
			linux_cpu_announce(&machine->cpus[i], nothing, false, ticks);
	}
}

unsigned linux_machine_drain(struct linux_machine *machine, struct linux_decoder *decoder,
			     bool keep)
{
	unsigned percent, most = 0;

	for (size_t i = 0; i < machine->count; i++) {
		if (!linux_cpu_active(&machine->cpus[i]))
			continue;
		percent = linux_cpu_drain(&machine->cpus[i], decoder, keep);
		if (percent > most)
			most = percent;
	}
	return most;
}

static void cpu_end(struct linux_cpu *cpu, struct linux_decoder *decoder)
{
	linux_cpu_announce(cpu, nothing, true, decoder->clock->now.ticks);
	linux_cpu_drain(cpu, decoder, true);
	linux_cpu_release(cpu, NULL);
}

/* A child has copies of its parent's events: none on a CPU that came later. So
 * its system calls there are missing, and without privileges its switches:
 * then nobody knows any more which of its threads runs. */
static void cpu_came(struct linux_machine *machine, struct linux_decoder *decoder, int number)
{
	struct linux_scope scope = machine_scope(machine);

	if (!machine->plan) {
		for (size_t i = 0; i < machine->count; i++) {
			if (linux_cpu_active(&machine->cpus[i]))
				cpu_end(&machine->cpus[i], decoder);
		}
	} else if (!cpu_begin(machine, number)) {
		scope.syscalls = false;
		linux_cpu_announce(cpu_find(machine, number), scope, true,
				   decoder->clock->now.ticks);
	}
}

/* It was off-line between two looks, as at a suspend. */
static void cpu_was_away(struct linux_machine *machine, struct linux_decoder *decoder,
			 struct linux_cpu *cpu)
{
	const struct linux_plan *plan = machine->plan;
	int error = linux_cpu_restart(cpu, plan->events[0].id);

	for (size_t i = 1; !error && i < machine->opened; i++) {
		if (plan->events[i].who == PERF_EVERYBODY)
			error = linux_cpu_add(cpu, plan->events[i].id, PERF_EVERYBODY);
	}
	if (!error && machine->gaps_filled)
		linux_cpu_add_switches(cpu);
	if (error)
		cpu_end(cpu, decoder);
	else
		linux_cpu_announce(cpu, cpu->scope, true, decoder->clock->now.ticks);
}

void linux_machine_update(struct linux_machine *machine, struct linux_decoder *decoder)
{
	struct linux_cpus online;

	for (size_t i = 0; machine->plan && i < machine->count; i++) {
		struct linux_cpu *cpu = &machine->cpus[i];

		if (linux_cpu_active(cpu) && linux_cpu_stopped(cpu))
			cpu_was_away(machine, decoder, cpu);
	}
	if (linux_cpus_online(&online) < 0 || !memcmp(&online, &machine->online, sizeof(online)))
		return;
	for (int number = 0; number < LINUX_CPUS; number++) {
		bool is = linux_cpus_has(&online, number);
		bool was = linux_cpus_has(&machine->online, number);
		struct linux_cpu *cpu = was && !is ? cpu_find(machine, number) : NULL;

		if (cpu && linux_cpu_active(cpu))
			cpu_end(cpu, decoder);
		if (is && !was)
			cpu_came(machine, decoder, number);
	}
	machine->online = online;
}

void linux_machine_close(struct linux_machine *machine, int mount, bool ends)
{
	size_t count = 0, map_count = 0;
	struct iovec *maps;
	int *fds;

	for (size_t i = 0; i < machine->count; i++)
		count += machine->cpus[i].event_count;
	fds = calloc(count + 1, sizeof(*fds));
	/* To unmap a ring takes 20 us. */
	maps = ends && fds ? calloc(machine->count + 1, sizeof(*maps)) : NULL;
	count = 0;
	if (mount >= 0 && fds)
		fds[count++] = mount;
	else if (mount >= 0)
		close(mount);
	for (size_t i = 0; i < machine->count; i++) {
		if (maps && machine->cpus[i].ring.page)
			maps[map_count++] = linux_ring_leave(&machine->cpus[i].ring);
		count += linux_cpu_release(&machine->cpus[i], fds ? fds + count : NULL);
		linux_cpu_destroy(&machine->cpus[i]);
	}
	if (fds)
		linux_reap(fds, count, maps, map_count);
	free(maps);
	free(fds);
	free(machine->cpus);
	if (machine->epoll >= 0)
		close(machine->epoll);
	*machine = (struct linux_machine){.epoll = -1};
}
