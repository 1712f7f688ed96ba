/* SPDX-License-Identifier: MIT */
/* Makes a synthetic session of a whole machine: several processes whose threads
 * share CPUs and a device, with the kernel's side of it. For the reading
 * benchmark, and for tests that want to know what really happened.
 *
 *	gen_machine [-n RECORDS] [-p PROCESSES] [-t THREADS] [-c CPUS]
 *	            [-w WINDOW_BYTES] [-s] DIR
 *
 * A thread makes synchronous calls, enqueues some kernels and waits for them in a
 * blocking read; the device does one command after another, whoever's. Each
 * process has one thread more, which makes no calls and is woken by the others,
 * and each CPU a program that is not traced. Threads are switched, woken (by the
 * device's interrupt, timers and each other), displaced at the end of their time
 * slice and moved to CPUs that have nothing to do. The device's clock runs fast,
 * and from another zero.
 *
 * With -s the stacks of the traced threads are sampled whenever they do something:
 * one of 1,024, of functions in 32 files.
 *
 * The simulation goes from event to event in the order of time. It ends at the
 * last record, whatever is in flight. What a right report must say is printed as
 * one JSON object on stdout: of threads from the first time they got a CPU on, as
 * nobody can know before.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"
#include "synthetic.h"

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
#define NEVER UINT64_MAX
#define SLICE_TICKS 250000u /* 0.1 ms */
#define COMMANDS 8u	    /* of an iteration, at most */
#define FILES 32u	    /* that samples are in */
#define DEPTH 8u	    /* of a sample's stack */
#define HELP 1000u	    /* the step of waking the helper */
#define DEVICE_OFFSET_NS INT64_C(-246000000)
#define DEVICE_PPM 41 /* faster than CLOCK_MONOTONIC */

enum role { CALLER, HELPER, STRANGER };
enum state { FRESH, READY, RUNNING, BLOCKED };

struct command {
	uint64_t op, queued, submitted, start, end; /* host's ticks */
	bool kernel;
};

struct task {
	enum role role;
	enum state state;
	uint32_t tid, pid;
	char name[16];
	uint32_t cpu;	     /* where it runs, waits or ran */
	uint64_t wake_ticks; /* of a blocked one */
	uint64_t since;	     /* it is in this state */
	uint64_t ns[BLOCKED + 1], switches, migrations;

	/* Of a caller: */
	struct writer writer;
	uint64_t thread, operation;
	unsigned step, batch;
	bool waits;	  /* within the blocking read, for the device */
	uint32_t pending; /* where in the window the blocking read's record is; 0: none */
	uint64_t read_ns[BLOCKED + 1]; /* of that call */
	struct command commands[COMMANDS + 1];
	unsigned in_flight;
};

struct cpu {
	struct writer writer;
	struct task *running;
	struct task **ready;
	unsigned ready_count;
	uint64_t next; /* when it does something */
	uint64_t slice_end;
};

static const char *const call_names[] = {
	"clSetKernelArg", "clSetKernelArg",	"clGetEventInfo", "clGetKernelInfo",
	"clSetKernelArg", "clGetMemObjectInfo", "clFlush",	  "clReleaseEvent",
};

static struct {
	uint64_t records;
	unsigned processes, threads, cpus;
	bool samples;
} options = {1000000, 3, 4, 4, false};

static struct template templates[COUNT(call_names)], launch, reading;
static struct task *tasks;
static struct cpu *cpus;
static unsigned task_count;
static uint64_t device_free, busy_ticks, call_count, operation_count, kernel_count, chance;
static uint64_t read_count, read_total_ns, read_sums[BLOCKED + 1];

static uint64_t chance_below(uint64_t most)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return chance % most;
}

/* --- the kernel's side */

static void *kernel_record(struct cpu *cpu, uint16_t id, size_t bytes, uint64_t now)
{
	cpu->writer.now = now;
	kernel_count++;
	return writer_record(&cpu->writer, id, (uint32_t)bytes, now);
}

#define KERNEL_RECORD(record, cpu, event, now)                                                \
	struct tandem_kernel_##event *record = kernel_record(                                 \
		cpu, TANDEM_KERNEL_EVENT_##event, sizeof(struct tandem_kernel_##event), now); \
	memset((uint8_t *)record + sizeof(record->head), 0, sizeof(*record) - sizeof(record->head))

static void task_is(struct task *task, enum state state, uint64_t now)
{
	uint64_t ns = synthetic_ns(now) - synthetic_ns(task->since);

	task->ns[task->state] += ns;
	if (task->pending)
		task->read_ns[task->state] += ns;
	task->state = state;
	task->since = now;
}

static void ready_add(struct cpu *cpu, struct task *task)
{
	cpu->ready[cpu->ready_count++] = task;
}

static struct task *ready_take(struct cpu *cpu)
{
	struct task *task = cpu->ready_count ? cpu->ready[0] : NULL;

	if (task)
		memmove(cpu->ready, cpu->ready + 1, --cpu->ready_count * sizeof(*cpu->ready));
	return task;
}

static void migrate(struct cpu *seen_by, struct task *task, uint32_t to, uint64_t now)
{
	KERNEL_RECORD(record, seen_by, sched_migrate_task, now);

	record->tid = task->tid;
	record->orig_cpu = (uint16_t)task->cpu;
	record->dest_cpu = (uint16_t)to;
	task->cpu = to;
	task->migrations += task->state != FRESH;
}

/* Who waits longest on the fullest other CPU. */
static struct task *steal(struct cpu *cpu, uint64_t now)
{
	struct cpu *fullest = NULL;
	struct task *task;

	for (unsigned i = 0; i < options.cpus; i++) {
		if (cpus[i].running && cpus[i].ready_count &&
		    (!fullest || cpus[i].ready_count > fullest->ready_count))
			fullest = &cpus[i];
	}
	if (!fullest)
		return NULL;
	task = ready_take(fullest);
	migrate(cpu, task, (uint32_t)(cpu - cpus), now);
	return task;
}

/* The CPU takes who is next, in place of who runs now. */
static void schedule(struct cpu *cpu, uint8_t prev_state, uint64_t now)
{
	struct task *prev = cpu->running, *next = ready_take(cpu);

	if (!next && prev_state == TANDEM_TASK_STATE_sleeping)
		next = steal(cpu, now);
	if (prev || next) {
		KERNEL_RECORD(record, cpu, sched_switch, now);
		record->prev_tid = prev ? prev->tid : 0;
		record->next_tid = next ? next->tid : 0;
		record->prev_state = prev ? prev_state : TANDEM_TASK_STATE_runnable;
		record->prev_prio = record->next_prio = 120;
	}
	if (prev) {
		prev->switches++;
		task_is(prev, prev_state == TANDEM_TASK_STATE_sleeping ? BLOCKED : READY, now);
		if (prev->state == READY)
			ready_add(cpu, prev);
	}
	if (next)
		task_is(next, RUNNING, now);
	cpu->running = next;
	cpu->next = next ? now + 400 + chance_below(400) : NEVER;
	cpu->slice_end = now + SLICE_TICKS;
}

static struct cpu *idle_cpu(struct task *task)
{
	struct cpu *own = &cpus[task->cpu];

	if (!own->running && !own->ready_count)
		return own;
	for (unsigned i = 0; i < options.cpus; i++) {
		if (!cpus[i].running && !cpus[i].ready_count)
			return &cpus[i];
	}
	return own;
}

/* On `cpu`, at `now`, by an interrupt or by who runs there. */
static void wake(struct cpu *cpu, struct task *task, uint8_t waker, uint64_t now)
{
	struct cpu *target = idle_cpu(task);

	{
		KERNEL_RECORD(record, cpu, sched_waking, now);
		record->tid = task->tid;
		record->by = cpu->running ? cpu->running->tid : 0;
		record->target_cpu = (uint16_t)task->cpu;
		record->waker = waker;
	}
	task->wake_ticks = NEVER;
	task_is(task, READY, now);
	if (target != &cpus[task->cpu])
		migrate(cpu, task, (uint32_t)(target - cpus), now);
	{
		KERNEL_RECORD(record, cpu, sched_wakeup, now);
		record->tid = task->tid;
		record->target_cpu = (uint16_t)task->cpu;
	}
	ready_add(target, task);
	if (!target->running && target->next == NEVER)
		target->next = now + 1000 + chance_below(4000); /* it has to wake up itself */
}

/* --- what the threads do */

static void block(struct cpu *cpu, uint64_t until, uint64_t now)
{
	cpu->running->wake_ticks = until;
	schedule(cpu, TANDEM_TASK_STATE_sleeping, now);
}

static uint64_t device_ns(uint64_t ticks)
{
	uint64_t since = synthetic_ns(ticks) - START_NS;

	return START_NS + (uint64_t)DEVICE_OFFSET_NS + since + since * DEVICE_PPM / 1000000;
}

static struct tandem_call_record *call_begin(struct task *task, const struct template *template,
					     uint64_t op, uint64_t now)
{
	struct tandem_call_record *record;

	task->writer.now = now;
	record = writer_record(&task->writer, template->id, template->bytes, now);
	memcpy((uint8_t *)record + sizeof(record->head), template->record + sizeof(record->head),
	       template->bytes - sizeof(record->head));
	if (op && template->op_offset)
		memcpy((uint8_t *)record + template->op_offset, &op, sizeof(op));
	call_count++;
	return record;
}

/* A command behind everything that the device has to do already. */
static void enqueue(struct task *task, bool kernel, uint64_t ticks, uint64_t now)
{
	struct command *command = &task->commands[task->in_flight++];

	*command = (struct command){
		.op = task->thread << 40 | ++task->operation,
		.queued = now + 100 + chance_below(1000),
		.kernel = kernel,
	};
	command->submitted = command->queued + 500 + chance_below(500);
	command->start = command->submitted + 1000;
	if (command->start < device_free)
		command->start = device_free;
	command->end = device_free = command->start + ticks;
}

static void record_operations(struct task *task, uint64_t now)
{
	uint32_t queue = QUEUES + (uint32_t)task->thread - 1;

	task->writer.now = now;
	for (unsigned i = 0; i < task->in_flight; i++) {
		const struct command *command = &task->commands[i];
		struct tandem_rec_operation *record =
			writer_record(&task->writer, TANDEM_EVENT_operation, sizeof(*record), now);

		*record = (struct tandem_rec_operation){
			.head = record->head,
			.op = command->op,
			.queued = device_ns(command->queued),
			.submitted = device_ns(command->submitted),
			.start = device_ns(command->start),
			.end = device_ns(command->end),
			.queue = queue,
			.kernel = command->kernel ? KERNEL : 0,
			.bytes = command->kernel ? 0 : 4096,
			.api = command->kernel ? launch.id : reading.id,
			.kind = command->kernel ? TANDEM_OPERATION_KIND_kernel
						: TANDEM_OPERATION_KIND_copy_d2h,
			.domain = TANDEM_DOMAIN_opencl,
			.completion_source = TANDEM_COMPLETION_SOURCE_blocking_call,
			.time_domain = 1,
		};
		busy_ticks += command->end - command->start;
		operation_count++;
	}
	task->in_flight = 0;
}

static void read_begins(struct task *task, uint64_t now)
{
	struct tandem_call_record *record;

	enqueue(task, false, 1000, now);
	record = call_begin(task, &reading, task->commands[task->in_flight - 1].op, now);
	task_is(task, RUNNING, now);
	task->pending = (uint32_t)((uint8_t *)record - task->writer.window);
	memset(task->read_ns, 0, sizeof(task->read_ns));
}

/* Asleep until the device's interrupt. */
static void read_waits(struct cpu *cpu, struct task *task, uint64_t now)
{
	uint64_t end = task->commands[task->in_flight - 1].end;

	task->waits = true;
	block(cpu, (end > now ? end : now) + 2500 + chance_below(5000), now);
}

static void read_ends(struct task *task, uint64_t now)
{
	struct tandem_call_record *record = (void *)(task->writer.window + task->pending);

	task_is(task, RUNNING, now);
	task->pending = 0;
	task->waits = false;
	record->end = now;
	read_count++;
	read_total_ns += synthetic_ns(now) - synthetic_ns(record->head.timestamp);
	for (int i = 0; i <= BLOCKED; i++)
		read_sums[i] += task->read_ns[i];
	record_operations(task, now + 100);
}

/* Something that a running caller does; returns when it is done, 0 where it gave
 * up the CPU. */
static uint64_t caller_step(struct cpu *cpu, struct task *task, uint64_t now)
{
	uint64_t length = 100 + chance_below(400);
	unsigned step = task->step++;

	if (task->pending && !task->waits) {
		read_waits(cpu, task, now);
		return 0;
	}
	if (task->waits) {
		read_ends(task, now);
		task->step = chance_below(8) ? 0 : HELP;
		return now + 600;
	}
	if (step == HELP) {
		struct task *helper = &tasks[task - tasks - (task->thread - 1) + options.threads];

		if (helper->state == BLOCKED)
			wake(cpu, helper, TANDEM_WAKER_thread, now);
		task->step = 0;
		return now + 200;
	}
	if (step < COUNT(call_names)) {
		call_begin(task, &templates[step], 0, now)->end = now + length;
		return now + length + 50 + chance_below(100);
	}
	if (step == COUNT(call_names))
		task->batch = 1 + (unsigned)chance_below(COMMANDS);
	if (step < COUNT(call_names) + task->batch) {
		enqueue(task, true, 200 + chance_below(1200), now);
		call_begin(task, &launch, task->commands[task->in_flight - 1].op, now)->end =
			now + 1500 + length;
		return now + 1600 + length;
	}
	read_begins(task, now);
	return now + 2000;
}

static uint64_t file_start(unsigned file)
{
	return UINT64_C(0x7f0000000000) + ((uint64_t)file << 20);
}

static void sampling_begins(struct cpu *cpu, uint64_t now)
{
	KERNEL_RECORD(record, cpu, sampling, now);
	record->period_ns = 100000;
	for (unsigned i = 0; i < options.processes * FILES; i++) {
		struct tandem_kernel_mapping *mapping;
		char path[32];
		size_t length =
			(size_t)snprintf(path, sizeof(path), "/nowhere/file-%u.so", i % FILES);

		mapping = kernel_record(cpu, TANDEM_KERNEL_EVENT_mapping, sizeof(*mapping) + length,
					now);
		memset((uint8_t *)mapping + sizeof(mapping->head), 0,
		       sizeof(*mapping) - sizeof(mapping->head));
		mapping->pid = 1000 * (i / FILES + 1);
		mapping->start = file_start(i % FILES);
		mapping->bytes = 1 << 20;
		mapping->path_count = (uint16_t)length;
		memcpy(mapping + 1, path, length);
	}
}

static void sample(struct cpu *cpu, const struct task *task, uint64_t now)
{
	uint64_t stack = chance_below(1024);
	struct tandem_kernel_sample *record = kernel_record(
		cpu, TANDEM_KERNEL_EVENT_sample, sizeof(*record) + DEPTH * sizeof(uint64_t), now);

	record->local_tid = task->tid;
	record->pid = task->pid;
	record->in_kernel = 0;
	record->frames_count = DEPTH;
	for (unsigned i = 0; i < DEPTH; i++) {
		uint64_t frame = file_start((unsigned)(stack >> (DEPTH - i)) % FILES) + 64 * i;

		memcpy((uint8_t *)(record + 1) + i * sizeof(frame), &frame, sizeof(frame));
	}
}

static void cpu_step(struct cpu *cpu, uint64_t now)
{
	struct task *task = cpu->running;

	if (options.samples && task && task->role != STRANGER)
		sample(cpu, task, now);
	if (!task) {
		schedule(cpu, TANDEM_TASK_STATE_sleeping, now);
	} else if (now >= cpu->slice_end && cpu->ready_count) {
		schedule(cpu, TANDEM_TASK_STATE_preempted, now);
	} else if (task->role == CALLER) {
		uint64_t done = caller_step(cpu, task, now);

		if (done)
			cpu->next = done;
	} else if (task->step++ % 2 == 0) {
		cpu->next = now + (task->role == HELPER ? 2000 + chance_below(20000)
							: 50000 + chance_below(450000));
	} else {
		block(cpu, task->role == HELPER ? NEVER : now + 500000 + chance_below(2000000),
		      now);
	}
}

/* --- beginning and end */

static struct task *task_add(enum role role, uint32_t pid, uint32_t tid, const char *name)
{
	struct task *task = &tasks[task_count];

	*task = (struct task){.role = role,
			      .tid = tid,
			      .pid = pid,
			      .since = START_TICKS,
			      .cpu = task_count % options.cpus,
			      .wake_ticks = NEVER};
	snprintf(task->name, sizeof(task->name), "%s", name);
	ready_add(&cpus[task->cpu], task);
	task_count++;
	return task;
}

static void make_process(unsigned number)
{
	uint32_t pid = 1000 * (number + 1);
	char folder[64], name[16];
	uint8_t uuid[16];

	snprintf(folder, sizeof(folder), "process-%u", pid);
	synthetic_folder(folder, pid, uuid);
	for (unsigned i = 0; i < options.threads; i++) {
		struct task *task;

		snprintf(name, sizeof(name), "caller-%u", (i + 1) % 100000);
		task = task_add(CALLER, pid, pid + i, name);
		task->thread = i + 1;
		task->writer =
			(struct writer){.number = i + 1, .tid = task->tid, .now = START_TICKS};
		memcpy(task->writer.uuid, uuid, sizeof(uuid));
		memcpy(task->writer.name, task->name, sizeof(task->name));
		writer_open(&task->writer, folder);
		if (!i)
			writer_objects(&task->writer, options.threads);
	}
	task_add(HELPER, pid, pid + options.threads, "helper");
}

static void make_cpus(void)
{
	uint8_t uuid[16];

	synthetic_folder("kernel", 0, uuid);
	for (unsigned i = 0; i < options.cpus; i++) {
		struct cpu *cpu = &cpus[i];

		cpu->writer = (struct writer){.number = i + 1, .tid = i, .now = START_TICKS};
		memcpy(cpu->writer.uuid, uuid, sizeof(uuid));
		snprintf(cpu->writer.name, sizeof(cpu->writer.name), "cpu %u", i);
		writer_open(&cpu->writer, "kernel");
		cpu->ready =
			calloc((size_t)options.processes * (options.threads + 1) + options.cpus,
			       sizeof(*cpu->ready));
		if (!cpu->ready)
			synthetic_fail("memory");
		cpu->next = START_TICKS + 1000 + 100 * i;
	}
}

static void kernel_begins(void)
{
	for (unsigned i = 0; i < options.cpus; i++) {
		KERNEL_RECORD(record, &cpus[i], collecting, START_TICKS);
		record->scope = TANDEM_SCOPE_system;
		record->anew = record->switches = record->wakeups = record->migrations = 1;
	}
	for (unsigned i = 0; i < task_count; i++) {
		size_t length = strlen(tasks[i].name);
		struct tandem_kernel_task *record = kernel_record(
			&cpus[0], TANDEM_KERNEL_EVENT_task, sizeof(*record) + length, START_TICKS);

		record->tid = record->local_tid = tasks[i].tid;
		record->pid = tasks[i].pid;
		record->how = TANDEM_KNOWN_BY_seen;
		record->name_count = (uint16_t)length;
		memcpy(record + 1, tasks[i].name, length);
	}
}

static uint64_t simulate(void)
{
	uint64_t now = START_TICKS;

	while (synthetic.records < options.records) {
		struct task *woken = NULL;
		struct cpu *cpu = &cpus[0];

		for (unsigned i = 1; i < options.cpus; i++) {
			if (cpus[i].next < cpu->next)
				cpu = &cpus[i];
		}
		now = cpu->next;
		for (unsigned i = 0; i < task_count; i++) {
			if (tasks[i].wake_ticks < now) {
				now = tasks[i].wake_ticks;
				woken = &tasks[i];
			}
		}
		if (!woken)
			cpu_step(cpu, now);
		else if (woken->role == CALLER)
			wake(&cpus[woken->thread % options.cpus], woken, TANDEM_WAKER_hardirq, now);
		else
			wake(&cpus[woken->cpu], woken, TANDEM_WAKER_softirq, now);
	}
	return now;
}

static void print_threads(void)
{
	const char *between = "";

	for (unsigned i = 0; i < task_count; i++) {
		const struct task *task = &tasks[i];

		if (task->role == STRANGER)
			continue;
		printf("%s\n {\"pid\": %u, \"tid\": %u, \"name\": \"%s\", \"running_ns\": %" PRIu64
		       ", \"wait_cpu_ns\": %" PRIu64 ", \"wait_blocked_ns\": %" PRIu64
		       ", \"switches\": %" PRIu64 ", \"migrations\": %" PRIu64 "}",
		       between, task->pid, task->tid, task->name, task->ns[RUNNING],
		       task->ns[READY], task->ns[BLOCKED], task->switches, task->migrations);
		between = ",";
	}
}

static void finish(uint64_t now)
{
	uint64_t unfinished = 0;
	char folder[64];

	for (unsigned i = 0; i < task_count; i++) {
		struct task *task = &tasks[i];

		task_is(task, task->state, now);
		if (task->role != CALLER)
			continue;
		/* That of a call that has not returned counts as its own. */
		unfinished += task->in_flight - (task->pending != 0);
		snprintf(folder, sizeof(folder), "process-%u", task->pid);
		writer_leave(&task->writer, folder);
	}
	for (unsigned i = 0; i < options.cpus; i++)
		writer_close(&cpus[i].writer);
	synthetic_session(now);
	printf("{\"records\": %" PRIu64 ", \"kernel_records\": %" PRIu64 ", \"calls\": %" PRIu64
	       ", \"operations\": %" PRIu64 ", \"unfinished\": %" PRIu64
	       ", \"duration_ns\": %" PRIu64 ", \"busy_ns\": %" PRIu64
	       ", \"clock\": {\"offset_ns\": %" PRId64 ", \"drift_ppm\": %d}"
	       ", \"read\": {\"calls\": %" PRIu64 ", \"total_ns\": %" PRIu64
	       ", \"on_cpu_ns\": %" PRIu64 ", \"wait_cpu_ns\": %" PRIu64
	       ", \"wait_blocked_ns\": %" PRIu64 "}, \"threads\": [",
	       synthetic.records, kernel_count, call_count, operation_count, unfinished,
	       synthetic_ns(now) - START_NS, busy_ticks * 1000 / (TICKS_HZ / 1000000),
	       -DEVICE_OFFSET_NS, -DEVICE_PPM, read_count, read_total_ns, read_sums[RUNNING],
	       read_sums[READY], read_sums[BLOCKED]);
	print_threads();
	puts("]}");
}

static void read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:p:t:c:w:s")) != -1) {
		uint64_t number = option == '?' || option == 's' ? 0 : synthetic_number(optarg);

		if (option == 'n')
			options.records = number;
		else if (option == 'p')
			options.processes = (unsigned)number;
		else if (option == 't')
			options.threads = (unsigned)number;
		else if (option == 'c')
			options.cpus = (unsigned)number;
		else if (option == 's')
			options.samples = true;
		else if (option == 'w' && number >= 1024)
			synthetic.subbuffer_bytes = (uint32_t)number & ~7u;
		else
			exit(2);
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "gen_machine: which directory?\n");
		exit(2);
	}
	synthetic.path = argv[optind];
}

int main(int argc, char **argv)
{
	char name[16];
	size_t most;

	read_options(argc, argv);
	most = (size_t)options.processes * (options.threads + 1) + options.cpus;
	tasks = calloc(most, sizeof(*tasks));
	cpus = calloc(options.cpus, sizeof(*cpus));
	chance = 88172645463325252u;
	if (!tasks || !cpus || (mkdir(synthetic.path, 0700) && errno != EEXIST))
		synthetic_fail(synthetic.path);
	for (size_t i = 0; i < COUNT(call_names); i++)
		template_init(&templates[i], call_names[i]);
	template_init(&launch, "clEnqueueNDRangeKernel");
	template_init(&reading, "clEnqueueReadBuffer");
	make_cpus();
	for (unsigned i = 0; i < options.processes; i++)
		make_process(i);
	for (unsigned i = 0; i < options.cpus; i++) {
		snprintf(name, sizeof(name), "stranger-%u", i % 100000);
		task_add(STRANGER, 100 + i, 100 + i, name);
	}
	kernel_begins();
	if (options.samples)
		sampling_begins(&cpus[0], START_TICKS);
	finish(simulate());
	return 0;
}
