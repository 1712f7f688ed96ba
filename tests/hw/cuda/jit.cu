/* SPDX-License-Identifier: MIT */
// Code that comes as PTX text and is compiled by the driver: the loading is a call,
// the module has a hash, and its kernel is launched by the driver API.
#include "common.h"

static const char ptx[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .entry from_text(.param .u64 where)\n"
	"{\n"
	"	.reg .b64 %rd<3>;\n"
	"	.reg .b32 %r<2>;\n"
	"	ld.param.u64 %rd1, [where];\n"
	"	cvta.to.global.u64 %rd2, %rd1;\n"
	"	mov.u32 %r1, 42;\n"
	"	st.global.u32 [%rd2], %r1;\n"
	"	ret;\n"
	"}\n";

int main()
{
	CUmodule module;
	CUfunction function;
	int *device, host = 0;

	CHECK(cudaMalloc(&device, sizeof(*device)));
	if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&function, module, "from_text"))
		return 1;
	for (int i = 0; i < 3; i++) {
		void *arguments[] = { &device };

		if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr))
			return 1;
	}
	CHECK(cudaMemcpy(&host, device, sizeof(host), cudaMemcpyDeviceToHost));
	nothing<<<1, 32>>>(); // of the program's own code: loaded at its first launch
	CHECK(cudaDeviceSynchronize());
	cuModuleUnload(module);
	expect("kernels", 4);
	expect("calls:cuModuleLoadData", 1);
	expect("calls:cuLaunchKernel", 3);
	expect("some:modules", 2);
	expect("some:overhead", 1);
	return host == 42 ? 0 : 1;
}
