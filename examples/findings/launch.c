/* SPDX-License-Identifier: MIT */
/* Work-groups of an odd size, and too few of them. Mended: as the kernel wants
 * them. */
#include "common.h"

enum { steps = 20 };

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);
	size_t multiple, odd, one_group, all = setup_items;
	int rounds = 100;

	must(clGetKernelWorkGroupInfo(setup.kernel, setup.device,
				      CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
				      sizeof(multiple), &multiple, NULL),
	     "clGetKernelWorkGroupInfo");
	must(clSetKernelArg(setup.kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	odd = multiple + 1;
	one_group = multiple * 4;
	for (int i = 0; i < steps; i++) {
		size_t items = setup.mended ? all : odd * (all / odd);
		size_t local = setup.mended ? multiple : odd;

		must(clEnqueueNDRangeKernel(setup.queue, setup.kernel, 1, NULL, &items, &local, 0,
					    NULL, NULL),
		     "clEnqueueNDRangeKernel");
		if (!setup.mended)
			must(clEnqueueNDRangeKernel(setup.queue, setup.kernel, 1, NULL, &one_group,
						    &one_group, 0, NULL, NULL),
			     "clEnqueueNDRangeKernel");
	}
	setup_close(&setup);
	return 0;
}
