/* SPDX-License-Identifier: MIT */
// Launches from many threads, each with its own default stream and one of its own.
#include <thread>
#include <vector>

#include "common.h"

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 8;
	const int launches = 1000;
	std::vector<std::thread> threads;

	CHECK(cudaFree(nullptr));
	for (int t = 0; t < count; t++)
		threads.emplace_back([] {
			cudaStream_t stream;

			CHECK(cudaStreamCreate(&stream));
			for (int i = 0; i < launches; i++) {
				nothing<<<1, 32, 0, stream>>>();
				nothing<<<1, 32, 0, cudaStreamPerThread>>>();
			}
			CHECK(cudaStreamSynchronize(stream));
			CHECK(cudaStreamSynchronize(cudaStreamPerThread));
			CHECK(cudaStreamDestroy(stream));
		});
	for (auto &thread : threads)
		thread.join();
	expect("kernels", 2LL * launches * count);
	expect("queues", 2 * count);
	return 0;
}
