/* SPDX-License-Identifier: MIT */
// Launches in clusters of blocks, by the extensible launch, and cooperative ones.
#include <cooperative_groups.h>

#include "common.h"

static __global__ void together(void)
{
	cooperative_groups::this_grid().sync();
}

int main()
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};

	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = 2;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.gridDim = dim3(4);
	config.blockDim = dim3(64);
	config.attrs = &attribute;
	config.numAttrs = 1;
	for (int i = 0; i < 3; i++)
		CHECK(cudaLaunchKernelEx(&config, nothing));
	for (int i = 0; i < 2; i++)
		CHECK(cudaLaunchCooperativeKernel((const void *)together, dim3(2), dim3(32), nullptr));
	CHECK(cudaDeviceSynchronize());
	expect("kernels", 5);
	expect("clusters", 3);
	return 0;
}
