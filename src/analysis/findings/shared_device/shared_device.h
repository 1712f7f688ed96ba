/* SPDX-License-Identifier: MIT */
/* Who shares a device, and what each waited for the others.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_SHARED_DEVICE_H
#define TANDEM_ANALYSIS_FINDINGS_SHARED_DEVICE_H

#include "analysis/findings/finding.h"
#include "analysis/findings/shared_device/stretch.h"
#include "analysis/operations/room.h"

/* Of when somebody ran so many changes are remembered. */
#define SHARE_CHANGES 32u

struct share_change {
	int64_t ns, busy_ns;
	bool runs; /* from then on */
};

struct share_scope {		  /* owners of one device and, for contexts, of one process */
	uint32_t device, process; /* process: TRACE_NONE: the device's processes */
	uint32_t owners;
	uint32_t held, running;	  /* owners that are held up, or would be; that run */
	int64_t ns;		  /* of the latest event */
	int64_t busy_ns;	  /* time with an owner running */
	double held_ns;		  /* ... times those that wait meanwhile */
	double taken;		  /* of the device, by kernels that run: 2 are two devices' worth */
	uint64_t beside_ns;	  /* it was more than one for so long ... */
	double divided_ns;	  /* ... of which so much was lost */
	int64_t several_ns;	  /* time with several owners running */
	struct stretch stretch;	  /* of kernels that leave room */
	uint64_t lost_ns, count;  /* time with one that waits and one that runs; how often */
	int64_t since_ns;	  /* it is so now; INT64_MIN: it is not */
	int64_t begin_ns, end_ns; /* of the longest */
	int64_t counted_ns;	  /* up to then `lost_ns` has been counted */
	struct share_change changes[SHARE_CHANGES]; /* a ring */
	uint64_t change_count;
	uint32_t latest; /* owner that ran, + 1 */
	uint32_t first;	 /* owner, + 1; the others by `next` */
};

struct share_owner {
	uint32_t scope, process, context;
	uint32_t next;		   /* of its scope, + 1 */
	uint64_t waiting, running; /* commands */
	double room;		   /* that its kernels which run would take; at most all counts */
	uint32_t stream;
	int64_t waits_since; /* the scope's busy_ns then */
	int64_t idle_since;  /* none of its commands ran from then on */
	uint64_t waited_ns;
	double runs_since; /* the scope's held_ns then */
	double blamed_ns;
};

/* Whom an event concerns: owners of the device's scope and of the process's, as indices; the second
 * TRACE_NONE where its context is not known. */
struct share_place {
	uint32_t device, process, context;
	uint32_t owners[2];
	bool known;
};

#define SHARE_PLACES 32u

struct share {
	struct share_scope *scopes;
	size_t scope_count, scope_capacity;
	struct share_owner *owners;
	size_t owner_count, owner_capacity;
	struct map scope_of;			 /* device and process -> scope */
	struct map owner_of;			 /* scope and process or context -> owner */
	struct share_place places[SHARE_PLACES]; /* found lately */
	struct rooms rooms;			 /* of kernels */
	/* Of calls that made contexts, or ended some, by index of the process: how many it made; for how long
	 * one or more were under way, and until when. */
	struct map made, made_ns, made_until;
};

/* A finding for each scope in which somebody waited, or ran slower. 0 or -ENOMEM. */
int share_say(struct findings *findings, const struct share *share);

#endif
