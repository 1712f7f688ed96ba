/* SPDX-License-Identifier: MIT */
/* The stacks that were sampled of the traced program (`record --sample`) as a tree of
 * calls: each frame a function by name, each node how often it was found as the
 * innermost one. Memory grows with distinct stacks and distinct places in the code,
 * not with the samples. One thread.
 *
 *	struct samples samples;
 *	samples_init(&samples, on_sample, user);
 *	samples_consume(&samples, event);          each event of the kernel's side
 *	... samples.nodes[], samples.frames[]
 *	samples_free(&samples);
 */
#ifndef TANDEM_ANALYSIS_PROFILE_SAMPLES_H
#define TANDEM_ANALYSIS_PROFILE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/events/range.h"
#include "analysis/profile/address_space.h"
#include "analysis/profile/symbols.h"
#include "analysis/profile/unwind.h"
#include "trace/event.h"
#include "util/intern.h"
#include "util/map.h"

#define SAMPLES_DEEPEST 512u

struct samples_frame { /* a function of a file */
	uint32_t name; /* in `names`; where it has none, the place: "libm.so.6+0x1f20" */
	uint32_t file; /* in `names`: its path; "" where not known */
	bool named;
};

struct samples_node {
	uint32_t parent; /* index; of the outermost ones 0, the root */
	uint32_t frame;	 /* index in `frames` */
	uint64_t self;	 /* samples that ended here */
};

struct samples_sample {	   /* of on_sample */
	uint32_t pid, tid; /* as the recorder's namespace counts */
	uint32_t node;
	uint32_t cpu;
	bool in_kernel;	    /* the system was running on the thread's behalf */
	uint64_t period_ns; /* what it stands for */
	int64_t ns;
};

typedef int samples_fn(void *user, const struct samples_sample *sample);

struct samples {
	samples_fn *on_sample; /* may be NULL */
	void *user;
	struct range range; /* what is counted: all, where the caller sets nothing else */
	struct address_spaces address_spaces;
	struct symbols *symbols;
	struct unwind *unwind;
	struct intern names;
	struct samples_frame *frames;
	size_t frame_count, frame_capacity;
	struct map by_name;	    /* file and name -> frame */
	struct map by_place;	    /* spaces' file and offset -> frame */
	struct samples_node *nodes; /* [0] is the root, of every stack */
	size_t node_count, node_capacity;
	struct map by_child; /* parent and frame -> node */
	uint64_t period_ns;
	uint64_t count, in_kernel; /* samples */
	uint64_t without;	   /* of them, of which no stack could be taken */
};

/* `on_sample` may return -errno, which ends the feeding. */
void samples_init(struct samples *samples, samples_fn *on_sample, void *user);

/* Returns 0, -ENOMEM, or what on_sample returned. */
int samples_consume(struct samples *samples, const struct trace_event *event);

/* The functions of a node's stack, innermost first; returns how many. */
size_t samples_stack(const struct samples *samples, uint32_t node, uint32_t *frames, size_t room);

const char *samples_name(const struct samples *samples, uint32_t frame);
const char *samples_file(const struct samples *samples, uint32_t frame);

void samples_free(struct samples *samples);

#endif
