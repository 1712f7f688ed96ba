/* SPDX-License-Identifier: MIT */
/* The one list of GPU drivers' tracepoints. */
#include "schema/gpu_tracepoints.h"

#include "check.h"

int main(void)
{
	static const char *const gpu[] = {"i915",    "xe",	  "amdgpu", "gpu_scheduler",
					  "gpu_mem", "dma_fence", "fence",  "nvidia_uvm",
					  "panthor", "msm_gpu",	  "host1x", "virtio_gpu"};
	static const char *const others[] = {"sched", "irq", "raw_syscalls", "gpu", "fences",
					     "drmx",  ""};

	for (unsigned i = 0; i < sizeof(gpu) / sizeof(*gpu); i++)
		CHECK(gpu_tracepoints_system(gpu[i]));
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		CHECK(!gpu_tracepoints_system(others[i]));
	CHECK(gpu_tracepoints_wanted("drm_run_job") && gpu_tracepoints_wanted("i915_request_add"));
	CHECK(!gpu_tracepoints_wanted("amdgpu_device_rreg") &&
	      !gpu_tracepoints_wanted("i915_reg_rw"));
	return check_status();
}
