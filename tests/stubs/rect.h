/* SPDX-License-Identifier: MIT */
/* A box of bytes copied or filled between two places: what every transfer of the
 * stub driver comes down to. The payload of a command. */
#ifndef STUB_RECT_H
#define STUB_RECT_H

#include <stddef.h>

struct stub_place {
	char *data; /* of the box's first byte */
	size_t row_bytes, slice_bytes;
};

struct stub_rect {
	struct stub_place to, from; /* from.data NULL: fill with the pattern */
	size_t size[3];		    /* bytes, rows, slices */
	unsigned char pattern[128];
	size_t pattern_bytes;
	unsigned changes; /* of the memory by kernels; the end of what comes to the host says so */
};

/* A stub_run. */
void stub_rect_run(void *rect);

#endif
