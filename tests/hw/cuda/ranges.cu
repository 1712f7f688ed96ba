/* SPDX-License-Identifier: MIT */
// What a program says by NVTX: nested ranges, free ones, marks, a domain of its
// own, a category, a payload. Inside the range "wanted" and between the profiler's
// marks there is one kernel each (for --capture).
#include <nvtx3/nvToolsExt.h>
#include <cuda_profiler_api.h>

#include "common.h"

int main()
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
	nvtxEventAttributes_t attributes = {};
	nvtxRangeId_t open;

	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = nvtxDomainRegisterStringA(domain, "step");
	attributes.category = 7;
	attributes.colorType = NVTX_COLOR_ARGB;
	attributes.color = 0xff00ff00;
	attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
	attributes.payload.dValue = 0.5;
	nvtxDomainNameCategoryA(domain, 7, "phase");

	nvtxRangePushA("outer");
	nothing<<<1, 32>>>();
	nvtxRangePushA("wanted");
	nothing<<<2, 32>>>();
	CHECK(cudaDeviceSynchronize());
	nvtxRangePop();
	nvtxDomainRangePushEx(domain, &attributes);
	open = nvtxRangeStartA("free");
	CHECK(cudaProfilerStart());
	nothing<<<3, 32>>>();
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaProfilerStop());
	nvtxRangeEnd(open);
	nvtxDomainRangePop(domain);
	nvtxRangePop();
	nvtxMarkA("done");
	nothing<<<4, 32>>>();
	CHECK(cudaDeviceSynchronize());
	expect("kernels", 4);
	expect("ranges", 5);
	return 0;
}
