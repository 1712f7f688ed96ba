/* SPDX-License-Identifier: MIT */
// The ways in which a program ends: `exit`, `_exit` after a pause, `busy` (kernels
// still run), `reset` (the context goes), `kill` (by itself, after a pause).
#include <csignal>
#include <cstring>
#include <unistd.h>

#include "common.h"

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	bool busy = !strcmp(how, "busy");

	for (int i = 0; i < 100; i++)
		nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	if (busy)
		for (int i = 0; i < 5; i++)
			spin<<<1, 1>>>(150000000);
	expect("kernels", busy ? 105 : 100);
	if (!strcmp(how, "reset"))
		CHECK(cudaDeviceReset());
	if (!strcmp(how, "_exit") || !strcmp(how, "kill"))
		usleep(400000);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	return 0;
}
