/* SPDX-License-Identifier: MIT */
#include "short_names.h"

#include <string.h>

#include "string_table.h"

uint8_t short_name(struct short_names *names, const char *name, bool add)
{
	unsigned i;

	if (!name)
		return 0;
	spin_lock(&names->lock);
	for (i = 0; i < names->count && strcmp(names->name[i], name); i++)
		;
	if (i == names->count) {
		struct intern_entry *entry = add && i < sizeof(names->name) / sizeof(names->name[0])
						     ? strings_add(name)
						     : NULL;

		if (entry)
			names->name[names->count++] = entry->bytes;
		else
			i = UINT8_MAX;
	}
	spin_unlock(&names->lock);
	return (uint8_t)(i + 1);
}

void short_names_reset(struct short_names *names)
{
	spin_lock(&names->lock);
	names->count = 0;
	spin_unlock(&names->lock);
}
