#include "linux/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "linux/reaper.h"
#include "util/array.h"

static const struct kernel_scope nothing = { .scope = TANDEM_SCOPE_nothing };

static struct kernel_scope machine_scope(const struct kernel_machine *machine)
{
	if (!machine->plan)
		return (struct kernel_scope){ .scope = TANDEM_SCOPE_program, .switches = true };
	return kernel_plan_scope(machine->plan, machine->opened);
}

static struct kernel_cpu *cpu_find(struct kernel_machine *machine, int number)
{
	for (size_t i = 0; i < machine->count; i++) {
		if (machine->cpus[i].number == number)
			return &machine->cpus[i];
	}
	if (array_reserve(&machine->cpus, &machine->capacity, machine->count + 1,
			  sizeof(*machine->cpus)))
		return NULL;
	kernel_cpu_init(&machine->cpus[machine->count], machine->folder, number);
	return &machine->cpus[machine->count++];
}

/* The event that owns the ring, and those that are open on the other CPUs. */
static int cpu_begin(struct kernel_machine *machine, int number)
{
	const struct kernel_plan *plan = machine->plan;
	struct epoll_event wake = { .events = EPOLLIN };
	struct kernel_cpu *cpu = cpu_find(machine, number);
	int event, error;

	if (!cpu)
		return -ENOMEM;
	event = plan ? perf_open_lead(plan->events[0].id, number, -1)
		     : perf_open_switches(PERF_CHILDREN, number, -1);
	error = event < 0 ? event
			  : kernel_cpu_open(cpu, event, plan ? PERF_EVERYBODY : PERF_CHILDREN,
					    machine->ring_bytes);
	if (!error && epoll_ctl(machine->epoll, EPOLL_CTL_ADD, event, &wake))
		error = -errno;
	for (size_t i = 1; !error && plan && i < machine->opened; i++)
		error = kernel_cpu_add(cpu, plan->events[i].id, plan->events[i].who);
	if (!error && machine->gaps_filled)
		kernel_cpu_add_switches(cpu);
	if (error)
		kernel_cpu_release(cpu, NULL);
	return error;
}

int kernel_machine_open(struct kernel_machine *machine, struct kernel_folder *folder,
			struct kernel_plan *plan, size_t ring_bytes)
{
	int error = 0, active = 0;

	*machine = (struct kernel_machine){ .folder = folder, .plan = plan, .opened = 1,
					    .ring_bytes = ring_bytes };
	machine->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (machine->epoll < 0)
		return -errno;
	if (kernel_cpus_online(&machine->online) < 0)
		error = -ENODEV;
	for (int number = 0; !error && number < KERNEL_CPUS; number++) {
		if (!kernel_cpus_has(&machine->online, number))
			continue;
		error = cpu_begin(machine, number);
		active += !error;
		if (error == -ENODEV) /* it went off-line just now */
			error = 0;
	}
	if (!error && !active)
		error = -ENODEV;
	if (error)
		kernel_machine_close(machine);
	return error;
}

int kernel_machine_add_samples(struct kernel_machine *machine, struct kernel_sampling *sampling)
{
	int error = 0;

	for (size_t i = 0; !error && i < machine->count; i++) {
		if (kernel_cpu_active(&machine->cpus[i]))
			error = kernel_cpu_add_samples(&machine->cpus[i], sampling);
	}
	for (size_t i = 0; error && i < machine->count; i++)
		kernel_cpu_drop_samples(&machine->cpus[i]);
	return error;
}

bool kernel_machine_open_next(struct kernel_machine *machine)
{
	struct kernel_plan *plan = machine->plan;
	const struct kernel_plan_event *event;
	int error = 0;

	if (!plan || machine->opened >= plan->count)
		return false;
	event = &plan->events[machine->opened];
	for (size_t i = 0; !error && i < machine->count; i++) {
		if (kernel_cpu_active(&machine->cpus[i]))
			error = kernel_cpu_add(&machine->cpus[i], event->id, event->who);
	}
	if (error)
		kernel_plan_remove(plan, machine->opened);
	else
		machine->opened++;
	return true;
}

void kernel_machine_fill_gaps(struct kernel_machine *machine)
{
	bool gaps = false;

	if (!machine->plan || machine->gaps_filled)
		return;
	for (size_t i = 0; i < machine->count; i++)
		gaps |= machine->cpus[i].stream.gaps > 0;
	for (size_t i = 0; gaps && i < machine->count; i++) {
		if (kernel_cpu_active(&machine->cpus[i]))
			kernel_cpu_add_switches(&machine->cpus[i]);
	}
	machine->gaps_filled = gaps;
}

void kernel_machine_announce(struct kernel_machine *machine, bool anew, uint64_t ticks)
{
	for (size_t i = 0; i < machine->count; i++) {
		if (kernel_cpu_active(&machine->cpus[i]))
			kernel_cpu_announce(&machine->cpus[i], machine_scope(machine), anew,
					    ticks);
	}
}

unsigned kernel_machine_drain(struct kernel_machine *machine, struct kernel_decoder *decoder,
			      bool keep)
{
	unsigned percent, most = 0;

	for (size_t i = 0; i < machine->count; i++) {
		if (!kernel_cpu_active(&machine->cpus[i]))
			continue;
		percent = kernel_cpu_drain(&machine->cpus[i], decoder, keep);
		if (percent > most)
			most = percent;
	}
	return most;
}

static void cpu_end(struct kernel_cpu *cpu, struct kernel_decoder *decoder)
{
	kernel_cpu_announce(cpu, nothing, true, decoder->timeline->now.ticks);
	kernel_cpu_drain(cpu, decoder, true);
	kernel_cpu_release(cpu, NULL);
}

/* A child has copies of its parent's events: none on a CPU that came later. So
 * its system calls there are missing, and without privileges its switches:
 * then nobody knows any more which of its threads runs. */
static void cpu_came(struct kernel_machine *machine, struct kernel_decoder *decoder, int number)
{
	struct kernel_scope scope = machine_scope(machine);

	if (!machine->plan) {
		for (size_t i = 0; i < machine->count; i++) {
			if (kernel_cpu_active(&machine->cpus[i]))
				cpu_end(&machine->cpus[i], decoder);
		}
	} else if (!cpu_begin(machine, number)) {
		scope.syscalls = false;
		kernel_cpu_announce(cpu_find(machine, number), scope, true,
				    decoder->timeline->now.ticks);
	}
}

/* It was off-line between two looks, as at a suspend. */
static void cpu_was_away(struct kernel_machine *machine, struct kernel_decoder *decoder,
			 struct kernel_cpu *cpu)
{
	const struct kernel_plan *plan = machine->plan;
	int error = kernel_cpu_restart(cpu, plan->events[0].id);

	for (size_t i = 1; !error && i < machine->opened; i++) {
		if (plan->events[i].who == PERF_EVERYBODY)
			error = kernel_cpu_add(cpu, plan->events[i].id, PERF_EVERYBODY);
	}
	if (!error && machine->gaps_filled)
		kernel_cpu_add_switches(cpu);
	if (error)
		cpu_end(cpu, decoder);
	else
		kernel_cpu_announce(cpu, cpu->scope, true, decoder->timeline->now.ticks);
}

void kernel_machine_update(struct kernel_machine *machine, struct kernel_decoder *decoder)
{
	struct kernel_cpus online;

	for (size_t i = 0; machine->plan && i < machine->count; i++) {
		struct kernel_cpu *cpu = &machine->cpus[i];

		if (kernel_cpu_active(cpu) && kernel_cpu_stopped(cpu))
			cpu_was_away(machine, decoder, cpu);
	}
	if (kernel_cpus_online(&online) < 0 || !memcmp(&online, &machine->online, sizeof(online)))
		return;
	for (int number = 0; number < KERNEL_CPUS; number++) {
		bool is = kernel_cpus_has(&online, number);
		bool was = kernel_cpus_has(&machine->online, number);
		struct kernel_cpu *cpu = was && !is ? cpu_find(machine, number) : NULL;

		if (cpu && kernel_cpu_active(cpu))
			cpu_end(cpu, decoder);
		if (is && !was)
			cpu_came(machine, decoder, number);
	}
	machine->online = online;
}

void kernel_machine_close(struct kernel_machine *machine)
{
	size_t count = 0;
	int *fds;

	for (size_t i = 0; i < machine->count; i++)
		count += machine->cpus[i].event_count;
	fds = calloc(count + 1, sizeof(*fds));
	count = 0;
	for (size_t i = 0; i < machine->count; i++) {
		count += kernel_cpu_release(&machine->cpus[i], fds ? fds + count : NULL);
		kernel_cpu_destroy(&machine->cpus[i]);
	}
	if (fds)
		kernel_reap(fds, count);
	free(fds);
	free(machine->cpus);
	if (machine->epoll >= 0)
		close(machine->epoll);
	*machine = (struct kernel_machine){ .epoll = -1 };
}
