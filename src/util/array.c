/* SPDX-License-Identifier: MIT */
#include "util/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int array_reserve(void *items, size_t *capacity, size_t need, size_t item_bytes)
{
	size_t room = *capacity;
	void *old, *grown;

	if (need <= room)
		return 0;
	room += room / 2 + 8;
	if (room < need)
		room = need;
	if (room > SIZE_MAX / item_bytes)
		return -ENOMEM;
	/* `items` points to a pointer of another type: copy, do not alias. */
	memcpy(&old, items, sizeof(old));
	grown = realloc(old, room * item_bytes);
	if (!grown)
		return -ENOMEM;
	memcpy(items, &grown, sizeof(grown));
	*capacity = room;
	return 0;
}
