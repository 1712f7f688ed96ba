/* SPDX-License-Identifier: MIT */
/* What a device's gaps cost, by their cause, and what to do about it. */
#include "analysis/findings/idle/idle.h"

#include <errno.h>

#include "util/units.h"

/* Fewer gaps of the host's doing are no habit: a program has to begin and to end. */
#define HABIT_COUNT IDLE_LONG

/* A build or two are worth a thread of their own from this part of the run on. */
#define BUILD_PART 14u

/* Nor are fewer than these, if they come before a smaller part of the commands: a program that
 * begins slowly, and then runs. */
#define HABIT_SURE 16u
#define HABIT_PART 64u

/* Gaps that are so much shorter than the commands are no loss that more work a launch removes. */
#define COMMANDS_A_GAP 20u

/* A device that has its next command takes no such time to start it. */
#define HELD_BACK_NS 100000

/* What passes between two calls is no time that a flush would save. */
#define UNFLUSHED_NS 20000u

/* Builds of which less than such a part fits into the waits before them come at the beginning. */
#define AHEAD_PART 10u

/* So much a wait for a device of its own costs at the least; where all of them are such a part of the run, they may be needed:
 * what comes next may hang on what the host has waited for. */
#define WAIT_NS 20000u
#define WAIT_SHARE 33u

/* A thread that waits for less than such a part of a device's gaps does not wait. */
#define NEVER 16

/* Gaps between commands that were enqueued are such a part of what they took, where that can be
 * mended: of commands that take no longer than a launch, less has to be. */
#define GAPS 2
#define SHORT_GAPS 4
#define SHORT_NS 10000u

/* Launches, which have to be, are the main calls where others take less than such a part. */
#define ENQUEUES 4u

/* The function, of those that build or of the others, in which most of the time was spent; what enqueues
 * nothing counts `others` times. */
static const char *main_call(const struct findings *findings, const struct map *calls,
			     unsigned others, bool builds)
{
	const struct tandem_event *call = NULL;
	uint64_t id, ns, most = 0;
	size_t at = 0;

	while (map_next(calls, &at, &id, &ns)) {
		const struct tandem_event *one =
			trace_session_event(findings->session, (unsigned)id);

		if ((one->class == TANDEM_CLASS_BUILD) != builds)
			continue;
		ns *= one->class == TANDEM_CLASS_ENQUEUE ? 1 : others;
		if (ns > most) {
			most = ns;
			call = one;
		}
	}
	return call ? call->name : "";
}

/* Its commands take no longer than a launch does: so does most of each. */
static bool is_short(const struct idle_device *device)
{
	return device->busy_ns < device->count * SHORT_NS;
}

/* The command before which most of the time passed. */
static const char *late_command(const struct map *before)
{
	uint64_t name = 0, ns, most = 0, key;
	size_t at = 0;

	while (map_next(before, &at, &key, &ns)) {
		if (ns > most) {
			most = ns;
			name = key;
		}
	}
	return name ? (const char *)(uintptr_t)name : "";
}

/* Whether most of the gaps' time in other calls, builds aside, was in such that only ask. */
static bool is_asking(const struct findings *findings, const struct idle_device *device)
{
	uint64_t id, ns, asked = 0, others = 0, enqueues = 0;
	size_t at = 0;

	while (map_next(&device->calls, &at, &id, &ns)) {
		enum tandem_event_class class =
			trace_session_event(findings->session, (unsigned)id)->class;

		if (class == TANDEM_CLASS_QUERY)
			asked += ns;
		else if (class == TANDEM_CLASS_ENQUEUE)
			enqueues += ns;
		else if (class != TANDEM_CLASS_BUILD)
			others += ns;
	}
	return asked > others && ENQUEUES * asked > enqueues;
}

/* What work of the host takes that would be done while the device works: no time of its own,
 * but where the device is the CPU, a part of what the device does meanwhile. */
static uint64_t saving_beside(const struct findings *findings, uint32_t index, uint64_t ns)
{
	const struct device_row *row = &findings->iterator->devices.rows[index];

	return (uint64_t)((1 - devices_taken_part(row)) * (double)ns);
}

/* Several threads may build in one gap. */
static uint64_t ahead_ns(const struct findings *findings, uint32_t index,
			 const struct idle_device *device, const struct idle_cause *cause)
{
	uint64_t ns =
		(uint64_t)device->ahead_ns < cause->ns ? (uint64_t)device->ahead_ns : cause->ns;
	bool few = ns * AHEAD_PART < cause->ns;

	ns = saving_beside(findings, index, ns);
	/* A program has to begin. */
	few |= cause->count < HABIT_COUNT && ns < findings->duration_ns / BUILD_PART;
	return few ? 0 : ns;
}

/* The time of those that are how the program works: what it did now and then, as at its beginning,
 * is not. Of many, the longest are taken to be like the rest. 0: there is no such habit. */
static uint64_t habit_ns(const struct idle_device *device, const struct idle_cause *cause)
{
	uint64_t rest_ns = cause->ns;

	if (cause->count < HABIT_COUNT ||
	    (cause->count < HABIT_SURE && cause->count * HABIT_PART < device->count))
		return 0;
	if (cause->count < 2 * HABIT_COUNT)
		return cause->ns;
	for (unsigned i = 0; i < IDLE_LONG; i++)
		rest_ns -= cause->long_ns[i];
	return rest_ns + rest_ns * IDLE_LONG / (cause->count - IDLE_LONG);
}

/* What was done while that work was not. */
static uint64_t rest_ns(const struct idle_device *device, enum idle_cause_kind kind)
{
	uint64_t rest = device->busy_ns;

	for (unsigned i = 0; i < CAUSES; i++)
		rest += i == kind ? 0 : device->causes[i].ns;
	return rest > device->causes[kind].worked_ns ? rest - device->causes[kind].worked_ns : 0;
}

/* Whether work of the host, or what it waits for, keeps a device of its own from work, and the
 * thread that feeds it never has to wait for it: then another thread would have to do that
 * beforehand. */
static bool is_never_waited(const struct findings *findings, uint32_t index,
			    const struct idle_device *device, enum idle_cause_kind kind)
{
	return (kind == HOST_WORK || kind == HOST_BLOCKED) &&
	       device->waited_ns * NEVER < (int64_t)device->causes[kind].ns &&
	       !(devices_taken_part(&findings->iterator->devices.rows[index]) > 0);
}

/* Whether the host sleeps of its own accord, or until data are on a disk: it need not. Who waits for the device
 * less than such a part of that time has something else to wait for, and does so while the device works. */
#define ASLEEP_PART 8

static bool is_asleep(const struct idle_device *device, enum idle_cause_kind kind)
{
	int64_t waited_ns =
		device->waited_ns +
		(2 * device->in_call_ns > (int64_t)device->busy_ns ? device->in_call_ns : 0);

	return kind == HOST_BLOCKED && wakers_are_timers(&device->wakers) &&
	       waited_ns * ASLEEP_PART > (int64_t)device->causes[kind].ns;
}

/* Whether the host sleeps instead of waiting: it wakes up some time after the device is done. */
static bool is_overslept(const struct idle_cause *cause)
{
	return cause->overslept >= HABIT_SURE && 2 * cause->overslept_ns > cause->ns;
}

/* Work of the host on what came from the device is to be done elsewhere, from such a part of the run on; and work
 * that is such a part, and so many times what would be saved if it were done while the device works. */
#define RESULT_PART 20
#define MOST_PART 4
#define MOST_TIMES 4

/* What would be saved if what the host does were done while the device works: the host must have
 * waited then; a driver that runs commands in their calls makes it wait there, and it may sleep less. */
static uint64_t meanwhile_ns(const struct findings *findings, uint32_t index,
			     const struct idle_device *device, enum idle_cause_kind kind)
{
	const struct idle_cause *cause = &device->causes[kind];
	uint64_t ns = device->waited_ns > 0 ? (uint64_t)device->waited_ns : 0;
	uint64_t steady_ns = habit_ns(device, cause);

	if (is_never_waited(findings, index, device, kind))
		ns = rest_ns(device, kind);
	if (kind == HOST_BLOCKED && 2 * device->in_call_ns > (int64_t)device->busy_ns)
		ns += (uint64_t)device->in_call_ns;
	if (kind == HOST_BLOCKED && is_overslept(cause) && ns < cause->overslept_ns)
		ns = cause->overslept_ns;
	if (ns > steady_ns || is_asleep(device, kind))
		ns = steady_ns;
	return kind == HOST_BLOCKED ? ns : saving_beside(findings, index, ns);
}

/* Whether there is no use in doing it while the device works. Next to a device of its own it can
 * be done beforehand. */
static bool is_elsewhere(const struct findings *findings, uint32_t index,
			 const struct idle_device *device, enum idle_cause_kind kind)
{
	const struct idle_cause *cause = &device->causes[HOST_WORK];

	if (kind != HOST_WORK)
		return false;
	if (2 * cause->result_ns > cause->ns)
		return RESULT_PART * cause->ns > findings->duration_ns;
	return devices_taken_part(&findings->iterator->devices.rows[index]) > 0 &&
	       MOST_PART * cause->ns > findings->duration_ns &&
	       cause->ns > MOST_TIMES * meanwhile_ns(findings, index, device, kind);
}

/* What would be saved. 0: nothing. */
static uint64_t saving(const struct findings *findings, const struct idle *idle, uint32_t index,
		       enum idle_cause_kind kind)
{
	const struct idle_device *device = &idle->devices[index];
	const struct idle_cause *cause = &device->causes[kind];
	uint64_t waited_ns;

	switch (kind) {
	case AHEAD:
		/* The driver's own pace; that of short commands can be mended. */
		if (2 * cause->longer <= cause->count &&
		    cause->ns * (is_short(device) ? SHORT_GAPS : GAPS) <= device->busy_ns)
			return 0;
		/* A driver that compiles at the first launch has a few long ones. */
		return cause->ns < cause->count * HELD_BACK_NS ? cause->ns
							       : habit_ns(device, cause);
	case PACE:
	case LAUNCH:
		if (cause->ns / (cause->count + 1) * COMMANDS_A_GAP <
		    device->busy_ns / (device->count + 1))
			return 0;
		return habit_ns(device, cause);
	case SYNCHRONISATION:
		if (cause->count < HABIT_COUNT ||
		    cause->count * IDLE_COMMANDS_A_WAIT < device->count ||
		    (!(devices_taken_part(&findings->iterator->devices.rows[index]) > 0) &&
		     cause->ns < cause->count * WAIT_NS &&
		     cause->ns * WAIT_SHARE < findings->duration_ns &&
		     findings->graph->saved_ns[GRAPH_WAIT_OFTEN] * WAIT_SHARE <
			     findings->duration_ns))
			return 0;
		return cause->ns;
	case UNFLUSHED:
		if (cause->count < HABIT_COUNT || cause->ns < cause->count * UNFLUSHED_NS)
			return 0;
		/* All of the wait would have passed before, as far as the host was busy. */
		waited_ns = (uint64_t)idle->threads[cause->stream].spent[WAITING];
		return cause->ns < waited_ns ? cause->ns : waited_ns;
	case HOST_BUILDS:
		return ahead_ns(findings, index, device, cause);
	default:
		/* The answers to questions can be kept. */
		if ((kind == HOST_CALLS && is_asking(findings, device)) ||
		    is_elsewhere(findings, index, device, kind))
			return habit_ns(device, cause);
		return meanwhile_ns(findings, index, device, kind);
	}
}

/* So many commands that started of themselves for one that seemed to be held back. */
#define UNPROMPTED_TIMES 1u

/* What the device's runtime has for commands that are always the same. */
static const char *batch_advice(struct findings *findings, uint32_t index)
{
	const char *batch = findings_domain(findings, index)->batch;

	return findings_text(findings,
			     "commands are shorter than their launch: give each more "
			     "work, or record them once and run them as one%s%s%s",
			     *batch ? " (" : "", batch, *batch ? ")" : "");
}

static const char *const cause_names[] = {
	[SYNCHRONISATION] = "synchronisation",
	[HOST_WORK] = "host-busy",
	[HOST_BLOCKED] = "host-blocked",
	[HOST_CALLS] = "host-calls",
	[HOST_BUILDS] = "host-calls",
	[PACE] = "launch",
	[LAUNCH] = "launch",
	[AHEAD] = "launch",
	[UNFLUSHED] = "unflushed",
};

/* ", mostly from ... to ...": the calls before and behind what the thread did in no call; "": nothing stands
 * out. */
static const char *between_text(struct findings *findings, const struct idle_device *device,
				uint64_t blocked)
{
	uint64_t key, ns, most = 0, most_ns = 0, all_ns = 0;
	size_t at = 0;

	while (map_next(&device->between, &at, &key, &ns)) {
		if ((key & IDLE_BLOCKED) != blocked)
			continue;
		all_ns += ns;
		if (ns > most_ns || (ns == most_ns && key < most)) {
			most_ns = ns;
			most = key & ~IDLE_BLOCKED;
		}
	}
	if (2 * most_ns <= all_ns)
		return "";
	return findings_text(findings, ", mostly from %s to %s",
			     trace_session_event(findings->session, (uint16_t)(most >> 32))->name,
			     trace_session_event(findings->session, (uint16_t)most)->name);
}

static void describe(struct findings *findings, struct finding *finding,
		     const struct idle_device *device, const struct idle_cause *cause,
		     enum idle_cause_kind kind, uint32_t index)
{
	double gap = (double)cause->ns / (double)cause->count;
	double operation = (double)device->busy_ns / (double)device->count;
	char count[UNITS_BYTES], all[UNITS_BYTES], each[UNITS_BYTES], run[UNITS_BYTES];
	const char *gaps = units_ns(all, (double)cause->ns);

	units_ns(run, operation);
	if (cause->count > 1)
		gaps = findings_text(findings, "%s (%s gaps, mean %s)", all,
				     units_count(count, cause->count), units_ns(each, gap));
	switch (kind) {
	case SYNCHRONISATION:
		finding->object = main_call(findings, &device->waits, 1, false);
		finding->what = findings_text(findings,
					      "the device was idle for %s because the host waited "
					      "for a command%s%s%s before it enqueued the next",
					      gaps, *finding->object ? " (" : "", finding->object,
					      *finding->object ? ")" : "");
		finding->suggestion =
			"enqueue the next commands before waiting, or work on several "
			"queues, so that the device always has something to do";
		break;
	case HOST_WORK:
		finding->what = findings_text(findings,
					      "the device was idle for %s while the host was "
					      "%s between commands%s",
					      gaps,
					      findings->waits->any ? "computing"
								   : "in no call (computing, or "
								     "asleep)",
					      between_text(findings, device, 0));
		finding->suggestion =
			is_elsewhere(findings, index, device, kind)
				? "do that work on the device, or less of it; enqueue what does not "
				  "need it before"
				: "enqueue before that work, or do it in another thread";
		break;
	case HOST_BLOCKED:
		if (is_overslept(cause)) {
			finding->what = findings_text(
				findings,
				"the device was idle for %s while the host slept past the completion "
				"of its commands",
				gaps);
			finding->suggestion = findings_domain(findings, index)->use_wait;
			break;
		}
		finding->what = findings_text(
			findings,
			"the device was idle for %s while the host slept, or "
			"waited for a file, a lock or another thread, between commands%s",
			gaps, between_text(findings, device, IDLE_BLOCKED));
		finding->suggestion =
			"enqueue before that wait, or wait in another thread; `tandem report "
			"--table waits` names what it waited on";
		break;
	case HOST_CALLS:
	case HOST_BUILDS:
		finding->object =
			main_call(findings, &device->calls, ENQUEUES, kind == HOST_BUILDS);
		finding->what = findings_text(findings,
					      "the device was idle for %s while the host was in "
					      "other calls, mainly %s",
					      gaps, finding->object);
		finding->suggestion =
			kind == HOST_BUILDS
				? "let another thread build before, while the device works"
				: "move these calls out of the loop, or enqueue before them";
		break;
	case UNFLUSHED:
		finding->object = findings_text(findings, "%s", late_command(&device->held));
		finding->what = findings_text(
			findings,
			"the device was idle for %s with commands enqueued%s%s%s: they started "
			"only when the thread made a later call",
			gaps, *finding->object ? " (first " : "", finding->object,
			*finding->object ? ")" : "");
		finding->suggestion =
			"flush the queue after the last of these commands, before the "
			"host goes on with other work";
		break;
	case PACE:
		finding->object = findings_text(findings, "%s", late_command(&device->late));
		finding->what =
			findings_text(findings,
				      "the device was idle for %s while the host was on its way "
				      "to the next call; a command runs for %s",
				      gaps, run);
		finding->suggestion = batch_advice(findings, index);
		break;
	case AHEAD:
		finding->object = findings_text(findings, "%s", late_command(&device->late));
		finding->what =
			findings_text(findings,
				      "the device was idle for %s between commands that were "
				      "already enqueued; a command runs for %s",
				      gaps, run);
		finding->suggestion =
			gap < HELD_BACK_NS
				? batch_advice(findings, index)
				: "no launch takes so long: look for what holds the queue back, as "
				  "a function of the host in it, or an event of another queue";
		break;
	default:
		finding->object = findings_text(findings, "%s", late_command(&device->late));
		finding->what = findings_text(findings,
					      "the device was idle for %s between a command's "
					      "enqueue and its start; a command runs for %s",
					      gaps, run);
		finding->suggestion = gap > operation ? batch_advice(findings, index)
						      : "enqueue further ahead, and flush";
		break;
	}
}

static bool is_launch(enum idle_cause_kind kind)
{
	return kind == PACE || kind == LAUNCH || kind == AHEAD;
}

/* That the host gives commands too slowly, that they wait where they were enqueued in the gap, and
 * before it, is one cause, where they save something: told as the largest of them. 0: it is told as
 * another one. */
static uint64_t cost_of(const struct findings *findings, const struct idle *idle, uint32_t index,
			enum idle_cause_kind kind, uint64_t *count)
{
	const struct idle_device *device = &idle->devices[index];
	uint64_t own = saving(findings, idle, index, kind), all = own;

	*count = device->causes[kind].count;
	for (enum idle_cause_kind other = PACE; is_launch(kind) && other <= AHEAD; other++) {
		uint64_t ns = other == kind ? 0 : saving(findings, idle, index, other);

		if (ns > own || (ns == own && other > kind))
			return 0;
		all += ns;
		*count += ns ? device->causes[other].count : 0;
	}
	return all;
}

static int add_cause(struct findings *findings, const struct idle *idle, uint32_t index,
		     enum idle_cause_kind kind)
{
	const struct idle_device *device = &idle->devices[index];
	const struct idle_cause *cause = &device->causes[kind];
	struct finding *finding;
	char off[UNITS_BYTES];
	uint64_t count, cost_ns = cost_of(findings, idle, index, kind, &count);

	if (!cost_ns || !cause->count)
		return 0;
	/* A driver that starts most commands at once holds none back. */
	if (kind == UNFLUSHED && device->unprompted > UNPROMPTED_TIMES * cause->count)
		return 0;
	finding = findings_add(findings, "idle-device", cause_names[kind]);
	if (!finding)
		return -ENOMEM;
	finding->count = count;
	finding->cost_ns = cost_ns;
	if (kind == SYNCHRONISATION) {
		finding->removes = GRAPH_WAIT_OFTEN;
		finding->at_least = true;
	}
	finding_device(findings, finding, index);
	describe(findings, finding, device, cause, kind, index);
	finding->confidence =
		device->bound_ns < cause->ns / cause->count ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	finding->why = findings_text(findings,
				     "gaps are measured by the device's own clock; host-clock "
				     "alignment %s%s",
				     device->bound_ns == CLOCKFIT_UNBOUNDED ? "" : "±",
				     device->bound_ns == CLOCKFIT_UNBOUNDED
					     ? "unknown"
					     : units_ns(off, (double)device->bound_ns));
	if (kind == HOST_WORK && !findings->waits->any) {
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings, "%s; what the thread did is not recorded without the scheduler",
			finding->why);
	}
	if (is_never_waited(findings, index, device, kind)) {
		finding->confidence = CONFIDENCE_LOW;
		finding->why = findings_text(
			findings, "%s; that another thread can do it beforehand is assumed",
			finding->why);
	}
	if (is_elsewhere(findings, index, device, kind)) {
		finding->confidence = CONFIDENCE_LOW;
		finding->why = findings_text(findings, "%s; that it is not needed there is assumed",
					     finding->why);
	}
	if (kind == HOST_BLOCKED && is_overslept(cause)) {
		finding->confidence = CONFIDENCE_LOW;
		finding->why = findings_text(findings,
					     "%s; that it sleeps to wait for the device is assumed",
					     finding->why);
	}
	if (is_asleep(device, kind) && finding->confidence == CONFIDENCE_HIGH) {
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings, "%s; that it need not sleep there is assumed", finding->why);
	}
	finding_place(findings, finding, cause->stream);
	if (kind == HOST_BLOCKED)
		finding->culprit = wakers_text(findings, &device->wakers, finding->pid);
	finding_time(findings, finding, cause->begin_ns, cause->end_ns);
	return 0;
}

int idle_say(struct findings *findings, const struct idle *idle)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < idle->device_count; i++) {
		for (unsigned cause = 0; !status && cause < CAUSES; cause++)
			status = add_cause(findings, idle, i, cause);
	}
	return status;
}
