/* SPDX-License-Identifier: MIT */
/* What would be saved if the cause of a device's gaps were removed. */
#include "analysis/findings/idle/idle_saving.h"

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

/* What passes between two calls is no time that a flush would save. */
#define UNFLUSHED_NS 20000u

/* Builds of which less than such a part fits into the waits before them come at the beginning. */
#define AHEAD_PART 10u

/* So much a wait for a device of its own costs at the least; where all of them are such a part of the run, they may be needed:
 * what comes next may hang on what the host has waited for. */
#define WAIT_NS 20000u
#define WAIT_SHARE 33u

/* A thread that waits for less than such a part of a device's gaps does not wait; nor do results that are
 * so few for the gaps steer what comes next. */
#define NEVER 16

/* Gaps between commands that were enqueued are such a part of what they took, where that can be
 * mended: of commands that take no longer than a launch, less has to be. */
#define GAPS 2
#define SHORT_GAPS 4
#define SHORT_NS 10000u

/* Of work that is done beforehand less than such a part is behind a wait. */
#define BEHIND_PART 4

/* Who waits for less than such a part of what it sleeps does not wait. */
#define ASLEEP_PART 8

/* A wait is quiet in which all but such a part passes without a thread that works. */
#define QUIET 4

/* Work of the host on what came from the device is to be done elsewhere, from such a part of the run on; and work
 * that is such a part, and so many times what would be saved if it were done while the device works. */
#define RESULT_PART 20
#define MOST_PART 4
#define MOST_TIMES 4

/* Its commands take no longer than a launch does: so does most of each. */
static bool is_short(const struct idle_device *device)
{
	return device->busy_ns < device->count * SHORT_NS;
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
	return asked > others && IDLE_ENQUEUES * asked > enqueues;
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
static uint64_t habit_ns(const struct idle_device *device, enum idle_cause_kind kind)
{
	const struct idle_cause *cause = &device->causes[kind];
	uint64_t rest_ns = cause->ns;

	if (cause->count < HABIT_COUNT ||
	    (cause->count < HABIT_SURE && cause->count * HABIT_PART < device->count))
		return 0;
	/* Of few launches the longest may have another cause: the shortest that is kept stands for all. */
	if (cause->count < 2 * HABIT_COUNT && idle_is_launch(kind)) {
		rest_ns = cause->count * cause->long_ns[IDLE_LONG - 1];
		return rest_ns < cause->ns ? rest_ns : cause->ns;
	}
	if (cause->count < 2 * HABIT_COUNT)
		return cause->ns;
	for (unsigned i = 0; i < IDLE_LONG; i++)
		rest_ns -= cause->long_ns[i];
	return rest_ns + rest_ns * IDLE_LONG / (cause->count - IDLE_LONG);
}

/* What was done while that work was not: for one more thread; several share the work as well that goes
 * on beside all else. */
static uint64_t rest_ns(const struct idle_device *device, enum idle_cause_kind kind, bool several)
{
	uint64_t worked = several ? 0 : device->causes[kind].worked_ns, rest = device->busy_ns;

	for (unsigned i = 0; i < CAUSES; i++)
		rest += i == kind ? 0 : device->causes[i].ns;
	return rest > worked ? rest - worked : 0;
}

bool idle_is_beforehand(const struct findings *findings, uint32_t index,
			const struct idle_device *device, enum idle_cause_kind kind)
{
	const struct idle_cause *cause = &device->causes[kind];
	bool is_cpu = devices_taken_part(&findings->iterator->devices.rows[index]) > 0;

	if (kind == HOST_BLOCKED && device->results * NEVER < cause->count)
		return true;
	return (kind == HOST_WORK || kind == HOST_BLOCKED) && !is_cpu &&
	       (device->waited_ns * NEVER < (int64_t)cause->ns ||
		device->results * NEVER < cause->count);
}

/* Whether most of that work was behind a wait: it may hang on what was waited for. The longest is left out, as a
 * program has to begin. */
static bool is_behind_waits(const struct findings *findings, const struct idle_device *device)
{
	uint64_t key, ns, longest_ns, behind_ns = 0, all_ns = 0;
	size_t at = 0;

	while (map_next(&device->between, &at, &key, &ns)) {
		longest_ns = map_get(&device->longest_between, key);
		if ((key & IDLE_BLOCKED) || longest_ns >= ns)
			continue;
		all_ns += ns - longest_ns;
		if (trace_session_event(findings->session, (uint16_t)(key >> 32))->class ==
		    TANDEM_CLASS_WAIT)
			behind_ns += ns - longest_ns;
	}
	return BEHIND_PART * behind_ns > all_ns;
}

bool idle_is_for_several(const struct findings *findings, uint32_t index,
			 const struct idle_device *device, enum idle_cause_kind kind)
{
	uint64_t ns = habit_ns(device, kind);

	return kind == HOST_WORK && device->results * NEVER < device->causes[kind].count &&
	       idle_is_beforehand(findings, index, device, kind) &&
	       ns * RESULT_PART > findings->duration_ns &&
	       ns > MOST_TIMES * rest_ns(device, kind, true) && !is_behind_waits(findings, device);
}

bool idle_is_asleep(const struct idle_device *device, enum idle_cause_kind kind)
{
	int64_t waited_ns =
		device->waited_ns +
		(2 * device->in_call_ns > (int64_t)device->busy_ns ? device->in_call_ns : 0);

	return kind == HOST_BLOCKED && wakers_are_timers(&device->wakers) &&
	       waited_ns * ASLEEP_PART > (int64_t)device->causes[kind].ns;
}

bool idle_is_overslept(const struct idle_cause *cause)
{
	return cause->overslept >= HABIT_SURE && 2 * cause->overslept_ns > cause->ns;
}

/* Whether what the host waits for is an answer that takes its time, and none of the program's threads
 * works meanwhile: many such can be under way at a time. */
static bool is_quiet(const struct idle_device *device, enum idle_cause_kind kind)
{
	return kind == HOST_BLOCKED &&
	       QUIET * device->causes[kind].quiet_ns > (QUIET - 1) * device->causes[kind].ns;
}

/* What would be saved if what the host does were done while the device works: the host must have
 * waited then; a driver that runs commands in their calls makes it wait there, and it may sleep less. */
static uint64_t meanwhile_ns(const struct findings *findings, uint32_t index,
			     const struct idle_device *device, enum idle_cause_kind kind)
{
	const struct idle_cause *cause = &device->causes[kind];
	uint64_t ns = device->waited_ns > 0 ? (uint64_t)device->waited_ns : 0;
	uint64_t steady_ns = habit_ns(device, kind);

	if (idle_is_beforehand(findings, index, device, kind))
		ns = is_quiet(device, kind) || idle_is_for_several(findings, index, device, kind)
			     ? steady_ns
			     : rest_ns(device, kind,
				       kind == HOST_WORK && device->results * NEVER < cause->count);
	if (kind == HOST_BLOCKED && 2 * device->in_call_ns > (int64_t)device->busy_ns)
		ns += (uint64_t)device->in_call_ns;
	if (kind == HOST_BLOCKED && idle_is_overslept(cause) && ns < cause->overslept_ns)
		ns = cause->overslept_ns;
	if (ns > steady_ns || idle_is_asleep(device, kind) ||
	    (ns && is_quiet(device, kind) && !wakers_are_timers(&device->wakers)))
		ns = steady_ns;
	return kind == HOST_BLOCKED ? ns : saving_beside(findings, index, ns);
}

bool idle_is_elsewhere(const struct findings *findings, uint32_t index,
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

/* Whether another thread hands the host what it is to do: when that was there is known of what it slept for
 * only, so that a replay without its waits takes work that had not come. */
static bool is_served(const struct idle_device *device)
{
	return device->causes[HOST_BLOCKED].ns > device->causes[SYNCHRONISATION].ns &&
	       device->wakers.ns && !wakers_are_timers(&device->wakers);
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
		return cause->ns < cause->count * IDLE_HELD_BACK_NS ? cause->ns
								    : habit_ns(device, kind);
	case PACE:
	case LAUNCH:
		if (cause->ns / (cause->count + 1) * COMMANDS_A_GAP <
		    device->busy_ns / (device->count + 1))
			return 0;
		return habit_ns(device, kind);
	case SYNCHRONISATION:
		if (cause->count < HABIT_COUNT ||
		    cause->count * IDLE_COMMANDS_A_WAIT < device->count ||
		    (!(devices_taken_part(&findings->iterator->devices.rows[index]) > 0) &&
		     cause->ns < cause->count * WAIT_NS &&
		     cause->ns * WAIT_SHARE < findings->duration_ns &&
		     (is_served(device) ||
		      findings->graph->saved_ns[GRAPH_WAIT_OFTEN] * WAIT_SHARE <
			      findings->duration_ns)))
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
		    idle_is_elsewhere(findings, index, device, kind))
			return habit_ns(device, kind);
		return meanwhile_ns(findings, index, device, kind);
	}
}

bool idle_is_launch(enum idle_cause_kind kind)
{
	return kind == PACE || kind == LAUNCH || kind == AHEAD;
}

uint64_t idle_cost_ns(const struct findings *findings, const struct idle *idle, uint32_t index,
		      enum idle_cause_kind kind, uint64_t *count)
{
	const struct idle_device *device = &idle->devices[index];
	uint64_t own = saving(findings, idle, index, kind), all = own;

	*count = device->causes[kind].count;
	for (enum idle_cause_kind other = PACE; idle_is_launch(kind) && other <= AHEAD; other++) {
		uint64_t ns = other == kind ? 0 : saving(findings, idle, index, other);

		if (ns > own || (ns == own && other > kind))
			return 0;
		all += ns;
		*count += ns ? device->causes[other].count : 0;
	}
	return all;
}
