/* SPDX-License-Identifier: MIT */
#include "analysis/conditions/condition.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"
#include "util/text.h"
#include "util/units.h"

#define TIMES "×"
#define KINDS_ACCEPTED "call, kernel, range, error or loss"
#define BOUND_ACCEPTED "a time (5ms) or a factor (1.2 × median)"

struct reader {
	const char *text, *at;
	struct condition_problem *problem;
};

static int __attribute__((format(printf, 3, 4)))
refuse(const struct reader *reader, const char *place, const char *format, ...)
{
	va_list arguments;

	reader->problem->at = utf8_count(reader->text, (size_t)(place - reader->text)) + 1;
	va_start(arguments, format);
	vsnprintf(reader->problem->text, sizeof(reader->problem->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t");
}

static int parse_kind(struct reader *reader, enum condition_kind *kind)
{
	static const char *const words[] = {"call", "kernel", "range", "error", "loss"};
	size_t length;

	skip_blanks(reader);
	length = strcspn(reader->at, " \t>");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i]) != length || strncmp(reader->at, words[i], length) != 0)
			continue;
		*kind = (enum condition_kind)i;
		reader->at += length;
		return 0;
	}
	return refuse(reader, reader->at, "expected " KINDS_ACCEPTED);
}

/* Blanks aside. */
static void copy_name(struct condition *condition, const char *from, const char *to)
{
	while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	memcpy(condition->name, from, (size_t)(to - from));
}

/* Of the runtimes that this build records, whether or not they are here. */
static bool is_call(const struct condition *condition)
{
	for (unsigned i = 0; i < TANDEM_PAGES; i++) {
		const struct tandem_domain *domain = tandem_domain_get(i);

		for (unsigned n = 0; domain && n < domain->event_count; n++)
			if (domain->events[n].name &&
			    domain->events[n].class != TANDEM_CLASS_RECORD &&
			    condition_names(condition, domain->events[n].name))
				return true;
	}
	return false;
}

static int check_call(const struct reader *reader, const struct condition *condition,
		      const char *place)
{
	return is_call(condition)
		       ? 0
		       : refuse(reader, place, "no runtime that is recorded has a call `%s`",
				condition->name);
}

/* Names of kernels may have this sign in them: the last one counts. */
static int parse_name(struct reader *reader, struct condition *condition)
{
	const char *sign = strrchr(reader->at, '>'), *name;

	skip_blanks(reader);
	name = reader->at;
	if (!sign)
		return refuse(reader, name + strlen(name), "expected `> BOUND`");
	copy_name(condition, name, sign);
	if (!*condition->name)
		return refuse(reader, name, "expected a name, or `*`");
	reader->at = sign + 1;
	return condition->kind == CONDITION_CALL ? check_call(reader, condition, name) : 0;
}

static int parse_factor(struct reader *reader, struct condition *condition, const char *place)
{
	if (!strncmp(reader->at, TIMES, strlen(TIMES)))
		reader->at += strlen(TIMES);
	else
		reader->at++;
	skip_blanks(reader);
	if (strcmp(reader->at, "median") != 0)
		return refuse(reader, reader->at, "expected `median`");
	if (!isfinite(condition->factor) || condition->factor <= 0)
		return refuse(reader, place, "expected a factor above 0");
	return 0;
}

static int parse_bound(struct reader *reader, struct condition *condition)
{
	const char *place;
	char *end;

	skip_blanks(reader);
	place = reader->at;
	condition->factor = strtod(place, &end);
	reader->at = end;
	skip_blanks(reader);
	if (end != place && (*reader->at == 'x' || *reader->at == '*' ||
			     !strncmp(reader->at, TIMES, strlen(TIMES))))
		return parse_factor(reader, condition, place);
	condition->factor = 0;
	if (units_parse_ns(place, &condition->bound_ns) || condition->bound_ns <= 0)
		return refuse(reader, place, "expected " BOUND_ACCEPTED);
	return 0;
}

static int parse_rest(struct reader *reader, struct condition *condition)
{
	const char *end = reader->text + strlen(reader->text);
	int status;

	switch (condition->kind) {
	case CONDITION_CALL:
	case CONDITION_KERNEL:
	case CONDITION_RANGE:
		status = parse_name(reader, condition);
		return status ? status : parse_bound(reader, condition);
	case CONDITION_ERROR:
		skip_blanks(reader);
		copy_name(condition, reader->at, end);
		return *condition->name ? check_call(reader, condition, reader->at) : 0;
	default:
		skip_blanks(reader);
		return *reader->at ? refuse(reader, reader->at, "nothing may follow `loss`") : 0;
	}
}

int condition_parse(struct condition *condition, const char *text,
		    struct condition_problem *problem)
{
	struct reader reader = {.text = text, .at = text, .problem = problem};
	size_t length = strlen(text);
	int status;

	memset(condition, 0, sizeof(*condition));
	if (length >= sizeof(condition->text))
		return refuse(&reader, text, "more than %u bytes", CONDITION_BYTES - 1);
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	memcpy(condition->text, text, length);
	reader.text = reader.at = condition->text;
	status = parse_kind(&reader, &condition->kind);
	return status ? status : parse_rest(&reader, condition);
}

bool condition_names(const struct condition *condition, const char *name)
{
	return !*condition->name || !strcmp(condition->name, name) ||
	       !fnmatch(condition->name, name, 0);
}
