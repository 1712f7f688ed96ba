/* SPDX-License-Identifier: MIT */
// Time of an empty launch: batches of 500, each drained outside of the clock.
// Prints the median and the quartiles over the batches, in ns for one launch.
#include <algorithm>
#include <vector>

#include "common.h"

int main(int argc, char **argv)
{
	long batches = argc > 1 ? atol(argv[1]) : 100;
	std::vector<double> ns;

	nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	for (long batch = 0; batch < batches; batch++) {
		double begin = now_ns();

		for (int i = 0; i < 500; i++)
			nothing<<<1, 32>>>();
		ns.push_back((now_ns() - begin) / 500);
		CHECK(cudaDeviceSynchronize());
	}
	std::sort(ns.begin(), ns.end());
	printf("ns %.1f %.1f %.1f\n", ns[ns.size() / 2], ns[ns.size() / 4], ns[ns.size() * 3 / 4]);
	expect("kernels", 1 + batches * 500);
	return 0;
}
