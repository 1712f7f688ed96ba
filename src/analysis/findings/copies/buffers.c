/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/buffers.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

int copy_buffers_find(struct copy_buffers *buffers, uint64_t key, uint32_t process,
		      struct copy_buffer **buffer)
{
	uint64_t known = map_get(&buffers->buffer_of, key);

	if (known == MAP_NONE) {
		known = buffers->count;
		if (array_reserve(&buffers->rows, &buffers->capacity, known + 1,
				  sizeof(*buffers->rows)) ||
		    map_set(&buffers->buffer_of, key, known))
			return -ENOMEM;
		buffers->rows[known] = (struct copy_buffer){.process = process};
		buffers->count++;
	}
	*buffer = &buffers->rows[known];
	return 0;
}

void copy_buffers_free(struct copy_buffers *buffers)
{
	map_free(&buffers->buffer_of);
	free(buffers->rows);
}
