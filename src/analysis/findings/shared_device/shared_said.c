/* SPDX-License-Identifier: MIT */
/* What is said of those that share a device. */
#include <errno.h>

#include "analysis/findings/shared_device/shared_device.h"
#include "util/units.h"

static const char *owner_name(struct findings *findings, const struct share_owner *owner,
			      bool context)
{
	const struct trace_process *process = &findings->session->processes[owner->process];

	return context ? findings_text(findings, "context %u of %s (%llu)", owner->context,
				       process->name, (unsigned long long)process->pid)
		       : findings_text(findings, "%s (%llu)", process->name,
				       (unsigned long long)process->pid);
}

/* Who waited the longest, whoever else was in the others' way the longest, and how many
 * waited at all. */
static uint32_t find_owners(const struct share *share, const struct share_scope *scope,
			    const struct share_owner **victim, const struct share_owner **culprit)
{
	uint32_t count = 0;

	*victim = *culprit = NULL;
	for (uint32_t at = scope->first; at; at = share->owners[at - 1].next) {
		const struct share_owner *owner = &share->owners[at - 1];

		count += owner->waited_ns > 0;
		if (!*victim || owner->waited_ns > (*victim)->waited_ns)
			*victim = owner;
	}
	for (uint32_t at = scope->first; at; at = share->owners[at - 1].next) {
		const struct share_owner *owner = &share->owners[at - 1];

		if (owner != *victim && (!*culprit || owner->blamed_ns > (*culprit)->blamed_ns))
			*culprit = owner;
	}
	return count;
}

/* What owners lost while kernels of several ran. */
struct share_overlap {
	double lost_ns, ns;
	double stretch; /* kernels take turns, and so many times as long; 0: they don't */
};

static struct share_overlap overlap_of(const struct share_scope *scope)
{
	double part = stretch_part(&scope->stretch), turns_ns = part * (double)scope->several_ns;

	if (turns_ns > scope->divided_ns)
		return (struct share_overlap){turns_ns, (double)scope->several_ns, 1 / (1 - part)};
	return (struct share_overlap){scope->divided_ns, (double)scope->beside_ns, 0};
}

static const char *overlap_text(struct findings *findings, const struct share_overlap *overlap)
{
	char ns[UNITS_BYTES];

	if (!(overlap->lost_ns > 0))
		return "";
	return findings_text(findings,
			     overlap->stretch > 0
				     ? ", and their kernels took turns with others' for %s"
				     : ", and shared it with them for %s",
			     units_ns(ns, overlap->ns));
}

static const char *why_text(struct findings *findings, const struct share_overlap *overlap)
{
	if (overlap->stretch > 0)
		return findings_text(
			findings,
			"kernels that leave room for others took %.1f times as long while "
			"others' ran as without them; waits are from when a command was "
			"submitted to its start",
			overlap->stretch);
	return overlap->lost_ns > 0
		       ? "from when a command was submitted to its start; that it could have run at "
			 "once is assumed, and that kernels which ran at once slowed each other"
		       : "from when a command was submitted to its start; that it could have run at "
			 "once is assumed";
}

static const char *suggestion_text(const struct share_overlap *overlap, bool context)
{
	if (context)
		return overlap->stretch > 0
			       ? "use one context: kernels of one run at the same time"
			       : "use one context, or give each its share of the device";
	return overlap->stretch > 0
		       ? "run them as threads of one process and context, whose kernels run at the same "
			 "time, or under the driver's multi-process service"
		       : "run them one after the other, on another device, or on parts of this one";
}

/* What it took to make all contexts that ran commands but one, and to end them. */
static uint64_t made_ns(const struct share *share, const struct share_scope *scope)
{
	uint64_t count, ns;

	if (scope->process == TRACE_NONE)
		return 0;
	count = map_get(&share->made, scope->process);
	ns = map_get(&share->made_ns, scope->process);
	if (count == MAP_NONE || ns == MAP_NONE)
		return 0;
	return count < scope->owners ? ns : ns / count * (scope->owners - 1);
}

static const char *made_text(struct findings *findings, uint64_t made)
{
	char ns[UNITS_BYTES];

	return made ? findings_text(findings,
				    "; creating and destroying all contexts but one took %s",
				    units_ns(ns, (double)made))
		    : "";
}

static int add_scope(struct findings *findings, const struct share *share,
		     const struct share_scope *scope)
{
	bool context = scope->process != TRACE_NONE;
	char ns[UNITS_BYTES], count[UNITS_BYTES], all[UNITS_BYTES];
	const struct share_overlap overlap = overlap_of(scope);
	const struct share_owner *victim, *culprit;
	uint64_t made = made_ns(share, scope);
	const char *others = "";
	struct finding *finding;
	uint32_t victims;

	if (!scope->lost_ns && !(overlap.lost_ns > 0))
		return 0;
	victims = find_owners(share, scope, &victim, &culprit);
	if (!culprit)
		return 0;
	finding = findings_add(findings, "shared-device", context ? "context" : "process");
	if (!finding)
		return -ENOMEM;
	finding->count = scope->count;
	finding->cost_ns =
		(victim->waited_ns < scope->lost_ns ? victim->waited_ns : scope->lost_ns) +
		(uint64_t)overlap.lost_ns + made;
	finding_device(findings, finding, scope->device);
	finding->culprit = owner_name(findings, culprit, context);
	if (victims > 1)
		others =
			findings_text(findings, " and of %s more %s", units_count(all, victims - 1),
				      context	    ? victims > 2 ? "contexts" : "context"
				      : victims > 2 ? "processes"
						    : "process");
	finding->what = findings_text(
		findings,
		"commands of %s%s were ready and waited for %s, %s times, while the device ran "
		"those of others%s, mainly %s (%s)%s",
		owner_name(findings, victim, context), others, units_ns(ns, (double)scope->lost_ns),
		units_count(count, scope->count), overlap_text(findings, &overlap),
		finding->culprit,
		scope->owners == 2 ? "the only other"
				   : findings_text(findings, "%.0f %% of the waits",
						   scope->held_ns > 0 ? 100 * culprit->blamed_ns /
										scope->held_ns
								      : 0),
		made_text(findings, made));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = why_text(findings, &overlap);
	finding->suggestion = suggestion_text(&overlap, context);
	finding_place(findings, finding, victim->stream);
	finding_time(findings, finding, scope->begin_ns, scope->end_ns);
	return 0;
}

int share_say(struct findings *findings, const struct share *share)
{
	int status = 0;

	for (size_t i = 0; !status && i < share->scope_count; i++)
		status = add_scope(findings, share, &share->scopes[i]);
	return status;
}
