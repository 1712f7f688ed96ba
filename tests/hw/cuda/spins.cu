/* SPDX-License-Identifier: MIT */
// Kernels of known lengths on several streams: what two observers say of their
// number and their time must agree.
#include "common.h"

int main()
{
	cudaStream_t streams[4];

	for (auto &stream : streams)
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = 0; i < 400; i++)
		spin<<<2, 64, 0, streams[i % 4]>>>(100000 + 1000 * (i % 50));
	CHECK(cudaDeviceSynchronize());
	expect("kernels", 400);
	expect("queues", 4);
	return 0;
}
