/* SPDX-License-Identifier: MIT */
/* Many small transfers, each a call. Mended: one for all. */
#include "common.h"

#include <stdlib.h>

enum { pieces = 4000, piece_bytes = setup_items * sizeof(float) / pieces };

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);
	char *data = calloc(pieces, piece_bytes);

	if (!data)
		return 1;
	for (size_t i = 0; i < pieces && !setup.mended; i++)
		must(clEnqueueWriteBuffer(setup.queue, setup.buffer, CL_TRUE, i * piece_bytes,
					  piece_bytes, data + i * piece_bytes, 0, NULL, NULL),
		     "clEnqueueWriteBuffer");
	if (setup.mended)
		must(clEnqueueWriteBuffer(setup.queue, setup.buffer, CL_TRUE, 0,
					  (size_t)pieces * piece_bytes, data, 0, NULL, NULL),
		     "clEnqueueWriteBuffer");
	free(data);
	setup_close(&setup);
	return 0;
}
