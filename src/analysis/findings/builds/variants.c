/* SPDX-License-Identifier: MIT */
#include "analysis/findings/builds/variants.h"

#include "util/hash.h"
#include "util/units.h"

/* Of one source, a program may well need fewer. */
#define VARIANTS_LEAST 8u

int variants_find(const struct build_state *builds, struct variants *variants)
{
	struct map rows_of = {0};
	int status = 0;

	for (size_t i = 0; !status && i < builds->count; i++) {
		const struct build_row *row = &builds->rows[i];
		uint64_t source = HASH_START, rows;

		if (row->source.from_binary || !row->source.hash)
			continue;
		hash_number(&source, row->source.hash);
		hash_number(&source, row->device);
		hash_number(&source, (uint64_t)row->process << 8 | row->step);
		status = map_count(&rows_of, source, 1);
		rows = status ? 0 : map_get(&rows_of, source);
		if (rows < VARIANTS_LEAST)
			continue;
		variants->sources += rows == VARIANTS_LEAST;
		variants->builds += rows == VARIANTS_LEAST ? VARIANTS_LEAST : 1;
		variants->options = row->options;
	}
	map_free(&rows_of);
	return status;
}

const char *variants_words(struct findings *findings, const struct build_state *builds,
			   const struct variants *variants)
{
	char count[UNITS_BYTES], sources[UNITS_BYTES];
	const char *options = intern_text(&builds->texts, variants->options);

	return findings_text(
		findings, "%s of them are %s source%s with other options each time%s%.60s%s",
		units_count(count, variants->builds),
		variants->sources == 1 ? "one" : units_count(sources, variants->sources),
		variants->sources == 1 ? "" : "s", *options ? " (" : "", options,
		*options ? ")" : "");
}
