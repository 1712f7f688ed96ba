/* SPDX-License-Identifier: MIT */
// Time of a call that does no work on the device, as launch.cu.
#include <algorithm>
#include <vector>

#include "common.h"

int main(int argc, char **argv)
{
	long batches = argc > 1 ? atol(argv[1]) : 200;
	std::vector<double> ns;
	int device;

	CHECK(cudaFree(nullptr));
	for (long batch = 0; batch < batches; batch++) {
		double begin = now_ns();

		for (int i = 0; i < 1000; i++)
			cudaGetDevice(&device);
		ns.push_back((now_ns() - begin) / 1000);
	}
	std::sort(ns.begin(), ns.end());
	printf("ns %.1f %.1f %.1f\n", ns[ns.size() / 2], ns[ns.size() / 4], ns[ns.size() * 3 / 4]);
	expect("calls:cudaGetDevice", batches * 1000);
	return 0;
}
