/* SPDX-License-Identifier: MIT */
/* What a device's gaps cost, by their cause, and what to do about it. */
#include "analysis/findings/idle/idle_saving.h"

#include <errno.h>

#include "util/units.h"

/* Gaps that are longer in the mean have another reason than launches, as a kernel that is compiled for
 * its first one. */
#define LAUNCH_NS 20000u

/* Fewer gaps say nothing of how launches go, nor do those before a smaller part of the commands. */
#define LAUNCHES 16u
#define LAUNCHES_PART 8u

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
 * out. The longest of each place is left out where there are more: a program has to begin. */
static const char *between_text(struct findings *findings, const struct idle_device *device,
				uint64_t blocked)
{
	uint64_t key, ns, longest_ns, most = 0, most_ns = 0, all_ns = 0;
	size_t at = 0;

	while (map_next(&device->between, &at, &key, &ns)) {
		if ((key & IDLE_BLOCKED) != blocked)
			continue;
		longest_ns = map_get(&device->longest_between, key);
		ns -= longest_ns < ns ? longest_ns : 0;
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

static const char *work_advice(const struct findings *findings, uint32_t index,
			       const struct idle_device *device)
{
	if (idle_is_elsewhere(findings, index, device, HOST_WORK))
		return "do that work on the device, or less of it; enqueue what does not need it before";
	if (idle_is_for_several(findings, index, device, HOST_WORK))
		return "do that work beforehand in several threads or processes (as the workers of a "
		       "data loader), or less of it";
	return "enqueue before that work, or do it in another thread";
}

static void describe(struct findings *findings, struct finding *finding, const struct idle *idle,
		     enum idle_cause_kind kind, uint32_t index)
{
	const struct idle_device *device = &idle->devices[index];
	const struct idle_cause *cause = &device->causes[kind];
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
		if (2 * device->called_ns > cause->ns)
			finding->object = idle->callback->name;
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
		finding->suggestion = findings_text(
			findings, "%s%s", work_advice(findings, index, device),
			sampled_any(&idle->sampled) ? ""
						    : "; `record --sample 199` names the function");
		break;
	case HOST_BLOCKED:
		if (idle_is_overslept(cause)) {
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
			main_call(findings, &device->calls, IDLE_ENQUEUES, kind == HOST_BUILDS);
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
		finding->object = late_command(&device->held);
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
		finding->object = late_command(&device->late);
		finding->what =
			findings_text(findings,
				      "the device was idle for %s while the host was on its way "
				      "to the next call; a command runs for %s",
				      gaps, run);
		finding->suggestion = batch_advice(findings, index);
		break;
	case AHEAD:
		finding->object = late_command(&device->late);
		finding->what =
			findings_text(findings,
				      "the device was idle for %s between commands that were "
				      "already enqueued; a command runs for %s",
				      gaps, run);
		finding->suggestion =
			gap < IDLE_HELD_BACK_NS
				? batch_advice(findings, index)
				: "no launch takes so long: look for what holds the queue back, as "
				  "a function of the host in it, or an event of another queue";
		break;
	default:
		finding->object = late_command(&device->late);
		finding->what = findings_text(findings,
					      "the device was idle for %s between a command's "
					      "enqueue and its start; a command runs for %s",
					      gaps, run);
		finding->suggestion = gap > operation ? batch_advice(findings, index)
						      : "enqueue further ahead, and flush";
		break;
	}
}

static int add_cause(struct findings *findings, const struct idle *idle, uint32_t index,
		     enum idle_cause_kind kind)
{
	const struct idle_device *device = &idle->devices[index];
	const struct idle_cause *cause = &device->causes[kind];
	struct finding *finding;
	char off[UNITS_BYTES];
	uint64_t count, cost_ns = idle_cost_ns(findings, idle, index, kind, &count);

	if (!cost_ns || !cause->count)
		return 0;
	/* More commands started without a flush than were held back: this driver holds none back. */
	if (kind == UNFLUSHED && device->unprompted > cause->count)
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
	/* The host and the driver take as long again where the device is not idle. */
	if (idle_is_launch(kind) && cause->count >= LAUNCHES &&
	    cause->count * LAUNCHES_PART >= device->count && cause->ns < cause->count * LAUNCH_NS) {
		finding->removes = GRAPH_LAUNCH;
		finding->at_least = true;
	}
	finding_device(findings, finding, index);
	describe(findings, finding, idle, kind, index);
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
	if (idle_is_beforehand(findings, index, device, kind)) {
		finding->confidence = CONFIDENCE_LOW;
		finding->why = findings_text(
			findings, "%s; that %s can do it beforehand is assumed", finding->why,
			idle_is_for_several(findings, index, device, kind) ? "several threads"
									   : "another thread");
	}
	if (idle_is_elsewhere(findings, index, device, kind)) {
		finding->confidence = CONFIDENCE_LOW;
		finding->why = findings_text(findings, "%s; that it is not needed there is assumed",
					     finding->why);
	}
	if (kind == HOST_BLOCKED && idle_is_overslept(cause)) {
		finding->confidence = CONFIDENCE_LOW;
		finding->why = findings_text(findings,
					     "%s; that it sleeps to wait for the device is assumed",
					     finding->why);
	}
	if (idle_is_asleep(device, kind) && finding->confidence == CONFIDENCE_HIGH) {
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings, "%s; that it need not sleep there is assumed", finding->why);
	}
	finding_place(findings, finding, cause->stream);
	if (kind == HOST_WORK)
		finding->culprit = sampled_text(&idle->sampled, findings, &device->stacks);
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
