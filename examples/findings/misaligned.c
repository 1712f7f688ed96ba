/* SPDX-License-Identifier: MIT */
/* Transfers from memory that begins at an odd address, as a part of a larger thing
 * does. Mended: it begins at a page. Both move some that do.
 */
#include "common.h"

#include <stdlib.h>

enum { transfers = 20, page = 4096, odd = 20 };

int main(int argc, char **argv)
{
	const size_t bytes = setup_items * sizeof(float);
	struct setup setup = setup_open(argc, argv);
	char *data = aligned_alloc(page, bytes + page);

	if (!data)
		return 1;
	for (size_t i = 0; i < bytes + page; i++)
		data[i] = 0;
	for (int i = 0; i < 2 * transfers; i++)
		must(clEnqueueWriteBuffer(setup.queue, setup.buffer, CL_TRUE, 0, bytes,
					  data + (i % 2 && !setup.mended ? odd : 0), 0, NULL, NULL),
		     "clEnqueueWriteBuffer");
	free(data);
	setup_close(&setup);
	return 0;
}
