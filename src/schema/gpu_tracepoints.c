/* SPDX-License-Identifier: MIT */
#include "schema/gpu_tracepoints.h"

#include <fnmatch.h>
#include <stddef.h>

/* fence: dma_fence until 4.10. gpu_*: gpu_scheduler, gpu_mem. */
static const char *const systems[] = {
	"i915",	    "xe",      "amdgpu", "amdkfd",    "radeon", "nouveau",
	"nvidia*",  "gpu_*",   "drm",	 "dma_fence", "fence",	"virtio_gpu",
	"panfrost", "panthor", "v3d",	 "msm*",      "mali*",	"host1x",
};

static const char *const noise[] = {
	"*_rreg*", "*_wreg*", "*_reg_rw", "*reg_write*", "*reg_read*",
};

static bool matches(const char *name, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!fnmatch(patterns[i], name, 0))
			return true;
	}
	return false;
}

bool gpu_tracepoints_system(const char *system)
{
	return matches(system, systems, sizeof(systems) / sizeof(*systems));
}

bool gpu_tracepoints_wanted(const char *name)
{
	return !matches(name, noise, sizeof(noise) / sizeof(*noise));
}
