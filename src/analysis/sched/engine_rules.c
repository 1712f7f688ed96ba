/* SPDX-License-Identifier: MIT */
#include "analysis/sched/engine_rules.h"

#include <string.h>

/* Steps by the names of tracepoints: Linux, drivers/gpu/drm/scheduler/
 * gpu_scheduler_trace.h (the second names are those since 6.16, the first ones
 * those before), i915/i915_trace.h, amd/amdgpu/amdgpu_trace.h, virtio/
 * virtgpu_trace.h, include/trace/events/dma_fence.h. Of i915, _in and _out exist in
 * kernels with CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS; the others have _add and
 * _retire only. */
static const struct {
	const char *system, *name;
	enum engine_step step;
	enum engine_family family;
} rules[] = {
	{"gpu_scheduler", "drm_sched_job", ENGINE_QUEUE, ENGINE_SCHEDULER},
	{"gpu_scheduler", "drm_run_job", ENGINE_HAND, ENGINE_SCHEDULER},
	{"gpu_scheduler", "drm_sched_process_job", ENGINE_DONE, ENGINE_SCHEDULER},
	{"gpu_scheduler", "drm_sched_job_queue", ENGINE_QUEUE, ENGINE_SCHEDULER},
	{"gpu_scheduler", "drm_sched_job_run", ENGINE_HAND, ENGINE_SCHEDULER},
	{"gpu_scheduler", "drm_sched_job_done", ENGINE_DONE, ENGINE_SCHEDULER},
	{"i915", "i915_request_add", ENGINE_QUEUE, ENGINE_I915},
	{"i915", "i915_gem_request_add", ENGINE_QUEUE, ENGINE_I915},
	{"i915", "i915_request_in", ENGINE_HAND, ENGINE_I915},
	{"i915", "i915_gem_request_in", ENGINE_HAND, ENGINE_I915},
	{"i915", "i915_request_out", ENGINE_BACK, ENGINE_I915},
	{"i915", "i915_gem_request_out", ENGINE_DONE, ENGINE_I915},
	{"i915", "i915_request_retire", ENGINE_DONE, ENGINE_I915},
	{"i915", "i915_gem_request_retire", ENGINE_DONE, ENGINE_I915},
	{"amdgpu", "amdgpu_cs_ioctl", ENGINE_QUEUE, ENGINE_AMDGPU},
	{"amdgpu", "amdgpu_sched_run_job", ENGINE_HAND, ENGINE_AMDGPU},
	{"virtio_gpu", "virtio_gpu_cmd_queue", ENGINE_HAND, ENGINE_VIRTIO},
	{"virtio_gpu", "virtio_gpu_cmd_response", ENGINE_DONE, ENGINE_VIRTIO},
	{"dma_fence", "dma_fence_signaled", ENGINE_DONE, ENGINE_FENCE},
	{"fence", "fence_signaled", ENGINE_DONE, ENGINE_FENCE},
};

static const struct tracepoint_field *first_of(const struct tracepoint *kind,
					       const char *const names[])
{
	const struct tracepoint_field *field = NULL;

	for (int i = 0; names[i] && !field; i++)
		field = tracepoint_field(kind, names[i]);
	return field;
}

static void find_fields(struct engine_meaning *meaning, const struct tracepoint *kind)
{
	static const char *const rings[] = {"name", "timeline", "ring", NULL};
	static const char *const classes[] = {"class", "engine", NULL};
	static const char *const contexts[] = {"fence_context", "context", "ctx", "vq", NULL};
	static const char *const numbers[] = {"fence_seqno", "seqno", NULL};

	meaning->ring = first_of(kind, rings);
	meaning->device = tracepoint_field(kind, "dev");
	meaning->class = first_of(kind, classes);
	meaning->instance = tracepoint_field(kind, "instance");
	meaning->context = first_of(kind, contexts);
	meaning->number = first_of(kind, numbers);
	meaning->flag = tracepoint_field(kind, "completed");
	/* Its own fence; that of drm_sched_job_wait_dep is another job's. */
	if (meaning->family == ENGINE_SCHEDULER && !(meaning->context && meaning->number))
		meaning->fence = tracepoint_field(kind, "fence");
}

/* Whether a job can be told by it, and where a new one is put. */
static bool enough(const struct engine_meaning *meaning)
{
	bool begins = meaning->step == ENGINE_QUEUE || meaning->step == ENGINE_HAND;

	if (!meaning->fence && !(meaning->context && meaning->number))
		return false;
	if (!begins)
		return true;
	return meaning->family == ENGINE_I915 ? meaning->class && meaning->instance
					      : meaning->ring != NULL;
}

struct engine_meaning engine_meaning_of(const struct tracepoint *kind)
{
	struct engine_meaning meaning = {.step = ENGINE_NO_STEP};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (strcmp(rules[i].system, kind->system) || strcmp(rules[i].name, kind->name))
			continue;
		meaning.step = rules[i].step;
		meaning.family = rules[i].family;
		find_fields(&meaning, kind);
		if (!enough(&meaning))
			meaning.step = ENGINE_NO_STEP;
	}
	return meaning;
}

/* I915_ENGINE_CLASS_* of include/uapi/drm/i915_drm.h, and the names that i915 itself
 * gives its engines. */
const char *engine_class_name(uint64_t class)
{
	static const char *const names[] = {"rcs", "bcs", "vcs", "vecs", "ccs"};

	return class < sizeof(names) / sizeof(*names) ? names[class] : NULL;
}
