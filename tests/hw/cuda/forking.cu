/* SPDX-License-Identifier: MIT */
// A fork after CUDA was initialised: the child must end, and the parent go on.
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

int main()
{
	int status;
	pid_t child;

	nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	child = fork();
	if (!child)
		exit(3);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
		return 1;
	nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	expect("kernels", 2);
	return 0;
}
