/* SPDX-License-Identifier: MIT */
/* Commands that were ready and waited while the device ran commands of another
 * process or context. Of an owner that has commands submitted and none running,
 * the time goes to whoever runs meanwhile. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "util/array.h"
#include "util/units.h"

/* Among so many owners each pair is looked at; further ones are not. */
#define OWNERS_MOST 64u

struct share_owner { /* a process's context on a device */
	uint32_t device, process, context;
	uint64_t waiting, running; /* commands */
	uint32_t stream;
};

struct share_blame {		  /* one owner that waited, and one that ran */
	uint32_t victim, culprit; /* owners */
	uint64_t ns, count, longest_ns;
	int64_t begin_ns, end_ns; /* of the longest */
	int64_t since_ns;	  /* INT64_MIN: it is not so now */
};

struct share {
	struct share_owner *owners;
	size_t owner_count, owner_capacity;
	struct share_blame *blames;
	size_t blame_count, blame_capacity;
};

static int owner_find(struct share *share, const struct sequence_event *event, uint32_t *index)
{
	for (*index = 0; *index < share->owner_count; ++*index) {
		const struct share_owner *owner = &share->owners[*index];

		if (owner->device == event->device && owner->process == event->process &&
		    owner->context == event->context)
			return 0;
	}
	if (share->owner_count == OWNERS_MOST)
		return -ENOSPC;
	if (array_reserve(&share->owners, &share->owner_capacity, share->owner_count + 1,
			  sizeof(*share->owners)))
		return -ENOMEM;
	share->owners[share->owner_count++] = (struct share_owner){
		.device = event->device,
		.process = event->process,
		.context = event->context,
		.stream = event->stream,
	};
	return 0;
}

static struct share_blame *blame_find(struct share *share, uint32_t victim, uint32_t culprit)
{
	struct share_blame *blame;

	for (size_t i = 0; i < share->blame_count; i++) {
		blame = &share->blames[i];
		if (blame->victim == victim && blame->culprit == culprit)
			return blame;
	}
	if (array_reserve(&share->blames, &share->blame_capacity, share->blame_count + 1,
			  sizeof(*share->blames)))
		return NULL;
	blame = &share->blames[share->blame_count++];
	*blame = (struct share_blame){.victim = victim, .culprit = culprit, .since_ns = INT64_MIN};
	return blame;
}

static void blame_end(struct share_blame *blame, int64_t ns)
{
	uint64_t took = (uint64_t)(ns - blame->since_ns);

	blame->ns += took;
	blame->count++;
	if (took >= blame->longest_ns) {
		blame->longest_ns = took;
		blame->begin_ns = blame->since_ns;
		blame->end_ns = ns;
	}
	blame->since_ns = INT64_MIN;
}

static int blame_update(struct share *share, uint32_t victim, uint32_t culprit, int64_t ns)
{
	const struct share_owner *waits = &share->owners[victim];
	bool so = waits->waiting && !waits->running && share->owners[culprit].running;
	struct share_blame *blame = blame_find(share, victim, culprit);

	if (!blame)
		return -ENOMEM;
	if (so && blame->since_ns == INT64_MIN)
		blame->since_ns = ns;
	else if (!so && blame->since_ns != INT64_MIN)
		blame_end(blame, ns);
	return 0;
}

static int share_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	struct share *share = state;
	struct share_owner *owner;
	uint32_t index;
	int status = 0;

	(void)findings;
	if (event->kind != SEQUENCE_SUBMITTED && event->kind != SEQUENCE_START &&
	    event->kind != SEQUENCE_END)
		return 0;
	status = owner_find(share, event, &index);
	if (status)
		return status == -ENOSPC ? 0 : status;
	owner = &share->owners[index];
	if (owner->stream == TRACE_NONE)
		owner->stream = event->stream;
	if (event->kind == SEQUENCE_SUBMITTED) {
		owner->waiting++;
	} else if (event->kind == SEQUENCE_START) {
		owner->waiting -= owner->waiting > 0;
		owner->running++;
	} else {
		owner->running -= owner->running > 0;
	}
	for (uint32_t i = 0; !status && i < share->owner_count; i++) {
		if (i == index || share->owners[i].device != event->device)
			continue;
		status = blame_update(share, index, i, event->ns);
		if (!status)
			status = blame_update(share, i, index, event->ns);
	}
	return status;
}

static const char *owner_name(struct findings *findings, const struct share_owner *owner,
			      bool context)
{
	const struct trace_process *process = &findings->session->processes[owner->process];

	return context ? findings_text(findings, "context %u of %s (%llu)", owner->context,
				       process->name, (unsigned long long)process->pid)
		       : findings_text(findings, "%s (%llu)", process->name,
				       (unsigned long long)process->pid);
}

static int add_blame(struct findings *findings, const struct share *share,
		     const struct share_blame *blame)
{
	const struct share_owner *victim = &share->owners[blame->victim];
	const struct share_owner *culprit = &share->owners[blame->culprit];
	bool context = victim->process == culprit->process;
	char ns[UNITS_BYTES], count[UNITS_BYTES];
	struct finding *finding;

	if (!blame->ns)
		return 0;
	finding = findings_add(findings, "shared-device", context ? "context" : "process");
	if (!finding)
		return -ENOMEM;
	finding->count = blame->count;
	finding->cost_ns = blame->ns;
	finding->device = findings_text(
		findings, "%s", event_iterator_device_name(findings->iterator, victim->device));
	finding->culprit = owner_name(findings, culprit, context);
	finding->what = findings_text(findings,
				      "commands of %s were ready and waited %s, %s times, "
				      "while the device ran those of %s",
				      owner_name(findings, victim, context),
				      units_ns(ns, (double)blame->ns),
				      units_count(count, blame->count), finding->culprit);
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "from when a command was submitted to its start; that it could have run at "
		       "once is assumed";
	finding->suggestion =
		context ? "use one context, or give each its share of the device"
			: "run them one after the other, on another device, or on parts of "
			  "this one";
	finding_place(findings, finding, victim->stream);
	finding_time(findings, finding, blame->begin_ns, blame->end_ns);
	return 0;
}

static int share_end(struct findings *findings, void *state)
{
	struct share *share = state;
	int status = 0;

	for (size_t i = 0; !status && i < share->blame_count; i++)
		status = add_blame(findings, share, &share->blames[i]);
	return status;
}

static void share_release(struct findings *findings, void *state)
{
	struct share *share = state;

	(void)findings;
	free(share->owners);
	free(share->blames);
}

const struct finding_ops finding_shared_device = {
	.name = "shared-device",
	.words = "commands that waited for those of another process or context",
	.state_bytes = sizeof(struct share),
	.event = share_event,
	.end = share_end,
	.release = share_release,
};
