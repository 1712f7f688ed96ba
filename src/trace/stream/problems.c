/* SPDX-License-Identifier: MIT */
#include "trace/stream/problems.h"

#include <stdarg.h>
#include <stdio.h>

static uint64_t path_hash(const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (*path)
		hash = (hash ^ (unsigned char)*path++) * UINT64_C(0x100000001b3);
	return hash;
}

/* Whether this place is new. When memory runs out it is taken for old: better
 * silent than the same line for ever. */
static bool place_is_new(struct trace_problems *problems, uint64_t file, uint64_t offset)
{
	uint64_t place = file ^ (offset * UINT64_C(0x9E3779B97F4A7C15) + 1);

	if (map_get(&problems->seen, place) != MAP_NONE)
		return false;
	return map_set(&problems->seen, place, 1) == 0;
}

static bool problem_add(struct trace_problems *problems, const char *file, uint64_t offset,
			uint64_t skipped_bytes, const char *format, va_list arguments)
{
	uint64_t hash, told;
	char text[PROBLEM_TEXT_BYTES];

	if (!problems)
		return false;
	if (problems->keep) {
		vsnprintf(text, sizeof(text), format, arguments);
		problems->keep(problems->user, file, offset, skipped_bytes, text);
		return true;
	}
	hash = path_hash(file);
	told = map_get(&problems->told, hash);
	if (told == MAP_NONE)
		told = 0;
	/* Beyond the limit no places are kept either: memory stays bounded. */
	if (told > PROBLEMS_PER_FILE) {
		problems->count++;
		problems->skipped_bytes += skipped_bytes;
		return true;
	}
	if (!place_is_new(problems, hash, offset))
		return false;
	problems->count++;
	problems->skipped_bytes += skipped_bytes;
	if (map_set(&problems->told, hash, told + 1) || !problems->tell)
		return true;
	vsnprintf(text, sizeof(text), format, arguments);
	problems->tell(problems->user, file, offset,
		       told < PROBLEMS_PER_FILE ? text
						: "further damage in this file is not listed");
	return true;
}

bool trace_problem(struct trace_problems *problems, const char *file, uint64_t offset,
		   const char *format, ...)
{
	va_list arguments;
	bool added;

	va_start(arguments, format);
	added = problem_add(problems, file, offset, 0, format, arguments);
	va_end(arguments);
	return added;
}

bool trace_problem_skip(struct trace_problems *problems, const char *file, uint64_t offset,
			uint64_t skipped_bytes, const char *format, ...)
{
	va_list arguments;
	bool added;

	va_start(arguments, format);
	added = problem_add(problems, file, offset, skipped_bytes, format, arguments);
	va_end(arguments);
	return added;
}

void trace_problems_free(struct trace_problems *problems)
{
	map_free(&problems->seen);
	map_free(&problems->told);
}
