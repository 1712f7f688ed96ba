/* SPDX-License-Identifier: MIT */
#include "analysis/findings/builds/variants.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hash.h"
#include "util/order/compare.h"
#include "util/units.h"

/* Of one source, a program may well need fewer. */
#define VARIANTS_LEAST 8u

/* Numbers that are written into a text change its length by so much. */
static uint64_t nearly(uint64_t bytes)
{
	return bytes + bytes / 64 + 16;
}

static bool is_text(const struct build_row *row)
{
	return row->between && !row->source.from_binary && row->source.hash && row->source.bytes;
}

static int by_length(const void *a, const void *b)
{
	const struct build_row *one = *(const struct build_row *const *)a;
	const struct build_row *other = *(const struct build_row *const *)b;

	return COMPARE(one->process, other->process)
	       ?: COMPARE(one->options, other->options)
	       ?: COMPARE(one->source.bytes, other->source.bytes);
}

static bool is_alike(const struct build_row *row, const struct build_row *longer)
{
	return row->process == longer->process && row->options == longer->options &&
	       longer->source.bytes <= nearly(row->source.bytes);
}

/* The most that are of nearly one length. Returns 0 or -ENOMEM. */
static int find_texts(const struct build_state *builds, struct variants *variants)
{
	const struct build_row **rows = calloc(builds->count + 1, sizeof(*rows));
	size_t count = 0, begin = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < builds->count; i++)
		if (is_text(&builds->rows[i]))
			rows[count++] = &builds->rows[i];
	qsort(rows, count, sizeof(*rows), by_length);
	for (size_t i = 0; i < count; i++) {
		while (!is_alike(rows[begin], rows[i]))
			begin++;
		if (i - begin + 1 >= VARIANTS_LEAST && i - begin + 1 > variants->texts)
			variants->texts = i - begin + 1;
	}
	free(rows);
	return 0;
}

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
	if (!status && !variants->builds) {
		status = find_texts(builds, variants);
		variants->builds = variants->texts;
	}
	return status;
}

const char *variants_words(struct findings *findings, const struct build_state *builds,
			   const struct variants *variants)
{
	char count[UNITS_BYTES], sources[UNITS_BYTES];
	const char *options = intern_text(&builds->texts, variants->options);

	if (variants->texts)
		return findings_text(
			findings,
			"%s of them are of nearly one length, built one by one between commands, as "
			"one source with other numbers in it each time",
			units_count(count, variants->texts));
	return findings_text(
		findings, "%s of them are %s source%s with other options each time%s%.60s%s",
		units_count(count, variants->builds),
		variants->sources == 1 ? "one" : units_count(sources, variants->sources),
		variants->sources == 1 ? "" : "s", *options ? " (" : "", options,
		*options ? ")" : "");
}
