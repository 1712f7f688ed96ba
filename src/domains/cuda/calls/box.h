/* SPDX-License-Identifier: MIT */
/* What a call copies whose argument is a struct: a box of rows and slices, each end of it in an array or in
 * memory with a pitch. Any thread. */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_BOX_H
#define TANDEM_DOMAINS_CUDA_CALLS_BOX_H

#include <stdbool.h>
#include <stdint.h>

/* cudaMemcpyKind */
enum { CUDA_TO_DEVICE = 1, CUDA_TO_HOST = 2, CUDA_BY_ADDRESSES = 4 };

/* As cudaMemcpy3DParms has them. */
struct cuda_box_end {
	const void *array; /* NULL: memory */
	uint64_t x, y, z;  /* x: in bytes, of an array in elements */
	const void *at;
	uint64_t pitch, width, height;
};

struct cuda_box {
	struct cuda_box_end from, to;
	uint64_t width, height, depth; /* width: in bytes, with an array in its elements */
	int32_t kind;
	bool in_bytes; /* all is, of arrays too */
};

/* From what the argument points to, by the function's flags (api.h). */
void cuda_box_take(struct cuda_box *box, const void *argument, unsigned flags);

/* The end that is the host's; NULL: there is none. */
const struct cuda_box_end *cuda_box_host(const struct cuda_box *box);

/* That it has; 0: rows of the host lie apart. */
uint64_t cuda_box_bytes(const struct cuda_box *box, const struct cuda_box_end *host);

/* Where it begins in the host's memory, and in the device's: in bytes. */
uint64_t cuda_box_place(const struct cuda_box_end *host);
uint64_t cuda_box_offset(const struct cuda_box *box, const struct cuda_box_end *device);

#endif
