/* SPDX-License-Identifier: MIT */
#include "rect.h"

#include <string.h>

void stub_rect_run(void *payload)
{
	const struct stub_rect *rect = payload;

	for (size_t z = 0; z < rect->size[2]; z++) {
		for (size_t y = 0; y < rect->size[1]; y++) {
			char *to =
				rect->to.data + z * rect->to.slice_bytes + y * rect->to.row_bytes;
			const char *from = rect->from.data + z * rect->from.slice_bytes +
					   y * rect->from.row_bytes;

			if (rect->from.data) {
				memmove(to, from, rect->size[0]);
				continue;
			}
			for (size_t x = 0; x + rect->pattern_bytes <= rect->size[0];
			     x += rect->pattern_bytes)
				memcpy(to + x, rect->pattern, rect->pattern_bytes);
		}
	}
	/* They compute nothing: but what large reads bring differs behind each, as with others. */
	if (rect->changes && rect->size[0] >= 4096 && rect->size[1] == 1 && rect->size[2] == 1)
		memcpy(rect->to.data + rect->size[0] - sizeof(rect->changes), &rect->changes,
		       sizeof(rect->changes));
}
