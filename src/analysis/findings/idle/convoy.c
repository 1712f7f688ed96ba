/* SPDX-License-Identifier: MIT */
#include "analysis/findings/idle/convoy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/operations/room.h"
#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Who enqueues less often feeds no device, and who sleeps less often is not kept from it. */
#define ENQUEUES_LEAST 8u
#define SLEEPS_LEAST 8u

/* One of them waits for another for such a part of the time at the least. */
#define WAITED_PART 2u

/* Threads that are kept apart make calls at the same time for less than such a part. */
#define AT_ONCE_PART 20u

/* Of a thread's commands as much is what the others do, or it has a part of the work of its own. */
#define ALIKE_PART 0.5

int convoy_begin(struct convoy *convoy, const struct findings *findings)
{
	const struct trace_session *session = findings->session;

	convoy->threads = calloc(session->stream_count + 1, sizeof(*convoy->threads));
	convoy->processes = calloc(session->process_count + 1, sizeof(*convoy->processes));
	return convoy->threads && convoy->processes ? 0 : -ENOMEM;
}

/* A thread that has waited in vain for its first turn, as a lock is not fair. */
static void take_early(const struct convoy *convoy, struct convoy_thread *thread,
		       struct convoy_process *process, uint64_t tid)
{
	uint64_t index = convoy->early_count ? map_get(&convoy->early_of, tid) : MAP_NONE;
	const struct convoy_early *early = index == MAP_NONE ? NULL : &convoy->earlies[index];

	if (!early || early->sleeps < SLEEPS_LEAST)
		return;
	thread->first_ns = early->first_ns;
	thread->sleeps = early->sleeps;
	thread->slept_ns = early->slept_ns;
	if (!process->first_ns || early->first_ns < process->first_ns) {
		process->first_ns = early->first_ns;
		process->first = early->first;
	}
}

static void note_call(struct convoy *convoy, const struct event_item *item)
{
	uint32_t stream = item->event->stream->index;
	struct convoy_thread *thread = &convoy->threads[stream];
	struct convoy_process *process = &convoy->processes[item->event->stream->process->index];
	int64_t begin_ns = item->event->ns, end_ns = item->end_ns;

	if (end_ns < begin_ns)
		return;
	if (!thread->first_ns) {
		thread->first_ns = begin_ns;
		take_early(convoy, thread, process, item->event->tid);
	}
	if (end_ns > thread->last_ns)
		thread->last_ns = end_ns;
	thread->enqueues += trace_event_op(item->event) != 0;
	thread->latest = item->event->layout->event;
	if (thread->woken)
		thread->from = thread->latest;
	thread->woken = false;
	if (!thread->enqueues)
		return;
	process->called_ns += (uint64_t)(end_ns - begin_ns);
	if (process->stream != stream && begin_ns < process->until_ns)
		process->at_once_ns +=
			(uint64_t)((end_ns < process->until_ns ? end_ns : process->until_ns) -
				   begin_ns);
	if (end_ns > process->until_ns) {
		process->until_ns = end_ns;
		process->stream = stream;
	}
}

static uint64_t use_key(uint32_t stream, const char *name)
{
	return (uint64_t)(uintptr_t)name * 31 + stream;
}

/* Returns 0 or -ENOMEM. */
static int note_use(struct convoy *convoy, const struct operation *operation)
{
	struct convoy_use fresh = {.name = operation->name, .stream = operation->stream};
	struct convoy_thread *thread;
	struct convoy_use *use;

	if (operation->kind != TANDEM_OPERATION_KIND_kernel || operation->stream == TRACE_NONE)
		return 0;
	thread = &convoy->threads[operation->stream];
	thread->kernels++;
	if (!thread->use || convoy->uses[thread->use - 1].name != operation->name) {
		use = keyed_row(&convoy->use_of, use_key(operation->stream, operation->name),
				&convoy->uses, &convoy->use_capacity, &convoy->use_count, &fresh,
				sizeof(fresh));
		if (!use)
			return -ENOMEM;
		thread->use = (size_t)(use - convoy->uses) + 1;
	}
	convoy->uses[thread->use - 1].count++;
	return 0;
}

static void note_command(struct convoy *convoy, const struct findings *findings,
			 const struct operation *operation)
{
	struct convoy_process *process = &convoy->processes[operation->process];
	double ns = (double)(operation->times.end_ns - operation->times.start_ns);

	process->device = operation->device;
	process->timed = true;
	if (operation->kind == TANDEM_OPERATION_KIND_copy_h2d)
		process->done.device_ns[CONVOY_TO_DEVICE] += ns;
	else if (operation->kind == TANDEM_OPERATION_KIND_copy_d2h)
		process->done.device_ns[CONVOY_TO_HOST] += ns;
	else
		process->done.device_ns[CONVOY_COMPUTE] +=
			ns * room_taken(&convoy->configs, &findings->iterator->devices, operation);
}

int convoy_item(struct convoy *convoy, const struct findings *findings,
		const struct event_item *item)
{
	if (item->kind == ITEM_CALL)
		note_call(convoy, item);
	else if (item->kind == ITEM_OTHER)
		return launch_configs_learn(&convoy->configs, item->event);
	if (item->kind != ITEM_OPERATION || !item->operation.placed)
		return 0;
	note_command(convoy, findings, &item->operation);
	return note_use(convoy, &item->operation);
}

/* Whether a thread that feeds the device ended the sleep, which was in no call. */
static bool is_kept(const struct convoy *convoy, const struct findings *findings,
		    const struct wait_thread *waiter, const struct states_interval *interval)
{
	const struct states_thread *by;
	const struct wait_thread *feeder;

	if (interval->state != STATE_WAIT_BLOCKED || !interval->last ||
	    interval->by != WAKER_THREAD || interval->by_pid != waiter->thread->pid ||
	    (waiter->stream && interval->from < convoy->threads[waiter->stream - 1].last_ns))
		return false;
	by = states_of_kernel(&findings->waits->states, interval->by_tid);
	feeder = by && by->watched ? by->user : NULL;
	return feeder && feeder->stream && feeder != waiter &&
	       convoy->threads[feeder->stream - 1].enqueues >= ENQUEUES_LEAST;
}

static int note_early(struct convoy *convoy, const struct convoy_process *process,
		      const struct wait_thread *waiter, const struct states_interval *interval)
{
	const struct convoy_early fresh = {.first_ns = interval->from, .first = process->done};
	struct convoy_early *early =
		keyed_row(&convoy->early_of, waiter->thread->local_tid, &convoy->earlies,
			  &convoy->early_capacity, &convoy->early_count, &fresh, sizeof(fresh));

	if (!early)
		return -ENOMEM;
	early->sleeps++;
	early->slept_ns += (uint64_t)(interval->to - interval->from);
	return 0;
}

int convoy_interval(struct convoy *convoy, const struct findings *findings, uint32_t index,
		    const struct wait_thread *waiter, const struct states_interval *interval)
{
	uint64_t ns = (uint64_t)(interval->to - interval->from);
	struct convoy_process *process;
	struct convoy_thread *thread;

	process = &convoy->processes[index];
	if (interval->state == STATE_RUNNING)
		process->done.running_ns += ns;
	if (!is_kept(convoy, findings, waiter, interval))
		return 0;
	if (!waiter->stream)
		return note_early(convoy, process, waiter, interval);
	thread = &convoy->threads[waiter->stream - 1];
	if (!process->first_ns) {
		process->first_ns = interval->from;
		process->first = process->done;
	}
	process->last_ns = interval->to;
	process->last = process->done;
	if (interval->to - interval->from > thread->longest_to_ns - thread->longest_from_ns) {
		thread->longest_from_ns = interval->from;
		thread->longest_to_ns = interval->to;
	}
	thread->woken = true;
	thread->to = thread->latest;
	thread->sleeps++;
	thread->slept_ns += ns;
	wakers_add(&thread->wakers,
		   &(struct waker){.by = WAKER_THREAD,
				   .tid = interval->by_tid,
				   .pid = interval->by_pid,
				   .name = interval->by_name},
		   ns);
	return 0;
}

struct kept { /* threads of a process that keep each other from the device */
	unsigned threads;
	uint64_t slept_ns, active_ns; /* all of them, in its stretch */
	uint32_t stream;	      /* of the one that slept the longest */
};

/* What the feeding threads of a process give the device, each kernel by its name. */
struct fed {
	struct map count_of; /* name -> count */
	uint64_t kernels;
};

static bool feeds(const struct convoy *convoy, const struct findings *findings, uint32_t stream,
		  size_t process)
{
	return convoy->threads[stream].enqueues >= ENQUEUES_LEAST &&
	       findings_stream(findings, stream)->process->index == process;
}

/* Returns 0 or -ENOMEM. */
static int find_fed(const struct convoy *convoy, const struct findings *findings, size_t process,
		    struct fed *fed)
{
	for (size_t i = 0; i < convoy->use_count; i++) {
		const struct convoy_use *use = &convoy->uses[i];

		if (!feeds(convoy, findings, use->stream, process))
			continue;
		fed->kernels += use->count;
		if (map_count(&fed->count_of, (uintptr_t)use->name, use->count))
			return -ENOMEM;
	}
	return 0;
}

/* Adds to each thread how much of what it gives the device is what the others do, each by its own part. */
static void find_alike(struct convoy *convoy, const struct findings *findings, size_t process,
		       const struct fed *fed)
{
	for (size_t i = 0; i < convoy->use_count; i++) {
		const struct convoy_use *use = &convoy->uses[i];
		struct convoy_thread *thread = &convoy->threads[use->stream];
		uint64_t all = fed->kernels - thread->kernels, others;
		double own, part;

		if (!feeds(convoy, findings, use->stream, process) || !all)
			continue;
		thread->compared = true;
		others = map_get(&fed->count_of, (uintptr_t)use->name) - use->count;
		own = (double)use->count / (double)thread->kernels;
		part = (double)others / (double)all;
		thread->alike += own < part ? own : part;
	}
}

static struct kept find_kept(const struct convoy *convoy, const struct findings *findings,
			     size_t index)
{
	const struct convoy_process *process = &convoy->processes[index];
	struct kept kept = {0};
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < findings->session->stream_count; i++) {
		const struct convoy_thread *thread = &convoy->threads[i];
		int64_t from_ns =
			thread->first_ns > process->first_ns ? thread->first_ns : process->first_ns;
		int64_t to_ns = thread->longest_to_ns > thread->last_ns ? thread->longest_to_ns
									: thread->last_ns;

		if (findings_stream(findings, i)->process->index != index ||
		    (thread->enqueues < ENQUEUES_LEAST && thread->sleeps < SLEEPS_LEAST))
			continue;
		/* Who only transfers brings and fetches what another one works on. */
		if (thread->enqueues >= ENQUEUES_LEAST && !thread->kernels)
			continue;
		if (to_ns > process->last_ns)
			to_ns = process->last_ns;
		/* Its begin and its end aside. */
		if (to_ns <= from_ns || (thread->compared && thread->alike < ALIKE_PART))
			continue;
		kept.threads++;
		kept.slept_ns += thread->slept_ns;
		if (from_ns + (int64_t)thread->slept_ns < to_ns)
			kept.active_ns += (uint64_t)(to_ns - from_ns) - thread->slept_ns;
		if (thread->slept_ns > most_ns) {
			most_ns = thread->slept_ns;
			kept.stream = i;
		}
	}
	return kept;
}

/* What the device, and the CPUs, need in any case. */
static double needed_ns(const struct findings *findings, const struct convoy_process *process)
{
	uint32_t cores = (uint32_t)findings->waits->states.cpu_count;
	double most = (double)(process->last.running_ns - process->first.running_ns) / cores;

	if (devices_taken_part(&findings->iterator->devices.rows[process->device]) > 0)
		return most;
	for (unsigned i = 0; i < CONVOY_ENGINES; i++) {
		double ns = process->last.device_ns[i] - process->first.device_ns[i];

		most = ns > most ? ns : most;
	}
	return most;
}

static uint64_t saved_ns(const struct findings *findings, const struct convoy_process *process,
			 const struct kept *kept)
{
	double each_ns = (double)kept->active_ns / kept->threads;
	double needed = needed_ns(findings, process);
	double ns = (double)(process->last_ns - process->first_ns) -
		    (each_ns > needed ? each_ns : needed);

	return ns > 0 ? (uint64_t)ns : 0;
}

/* What is said already of the process's threads that sleep; NULL: nothing. */
static struct finding *find_blocked(struct findings *findings, uint64_t pid)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		if (finding->pid == pid && !strcmp(finding->name, "idle-device") &&
		    !strcmp(finding->cause, "host-blocked"))
			return finding;
	}
	return NULL;
}

/* From its first call behind such a sleep to its last one before the next. */
static const char *held_words(struct findings *findings, const struct convoy_thread *thread)
{
	/* One that never had it has no such calls. */
	return thread->from && thread->to && thread->enqueues >= ENQUEUES_LEAST
		       ? findings_text(findings, "from %s to %s", thread->from->name,
				       thread->to->name)
		       : "over its commands";
}

static int add_finding(const struct convoy *convoy, struct findings *findings,
		       const struct kept *kept, uint64_t ns)
{
	const struct convoy_thread *thread = &convoy->threads[kept->stream];
	uint64_t pid = findings_stream(findings, kept->stream)->process->pid;
	struct finding *finding = find_blocked(findings, pid);
	char slept[UNITS_BYTES];

	if (finding && finding->cost_ns >= ns)
		return 0;
	if (!finding) {
		finding = findings_add(findings, "idle-device", "host-blocked");
		if (!finding)
			return -ENOMEM;
		finding_place(findings, finding, kept->stream);
	}
	finding->cost_ns = ns;
	finding->count = kept->threads;
	finding->object = "";
	finding->what = findings_text(
		findings,
		"%u threads that enqueue commands take turns: no two make calls at the same time, and "
		"they slept for %s until another one of them woke them, as with a lock that is held %s",
		kept->threads, units_ns(slept, (double)kept->slept_ns),
		held_words(findings, thread));
	finding->culprit = wakers_text(findings, &thread->wakers, pid);
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"the kernel recorded who woke them; that they need not wait for each other's "
		"commands is assumed, and that the device can do more";
	finding->suggestion =
		"hold the lock only for what the threads share, and give each a queue "
		"and buffers of its own";
	finding_time(findings, finding, thread->longest_from_ns, thread->longest_to_ns);
	return 0;
}

int convoy_say(struct convoy *convoy, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < findings->session->process_count; i++) {
		const struct convoy_process *process = &convoy->processes[i];
		struct fed fed = {.kernels = 0};
		struct kept kept;
		uint64_t ns;

		if (!process->first_ns || !process->timed ||
		    AT_ONCE_PART * process->at_once_ns > process->called_ns)
			continue;
		status = find_fed(convoy, findings, i, &fed);
		if (!status)
			find_alike(convoy, findings, i, &fed);
		map_free(&fed.count_of);
		if (status)
			break;
		kept = find_kept(convoy, findings, i);
		if (kept.threads < 2 ||
		    WAITED_PART * kept.slept_ns < (uint64_t)(process->last_ns - process->first_ns))
			continue;
		ns = saved_ns(findings, process, &kept);
		if (ns)
			status = add_finding(convoy, findings, &kept, ns);
	}
	return status;
}

void convoy_free(struct convoy *convoy)
{
	free(convoy->threads);
	free(convoy->processes);
	free(convoy->uses);
	free(convoy->earlies);
	map_free(&convoy->early_of);
	map_free(&convoy->use_of);
	launch_configs_free(&convoy->configs);
}
