/* SPDX-License-Identifier: MIT */
#include "cli/options/domain_titles.h"

#include <string.h>

#include "schema/domain.h"

uint64_t domain_titles_runtimes(uint64_t domains)
{
	const struct tandem_domain_row *row = NULL;
	uint64_t runtimes = 0;

	while ((row = tandem_domain_next(row)))
		if (row->runtime && !strcmp(row->part, row->name))
			runtimes |= (uint64_t)1 << row->number;
	return runtimes & domains;
}

void domain_titles_add(struct text *text, uint64_t domains, const char *word)
{
	bool first = true;

	for (uint64_t left = domains; left; left &= left - 1) {
		const struct tandem_domain_row *row =
			tandem_domain_row((unsigned)__builtin_ctzll(left));
		bool last = !(left & (left - 1));

		if (!first)
			text_format(text, last ? " %s " : ", ", word);
		text_add_string(text, row->title);
		first = false;
	}
}
