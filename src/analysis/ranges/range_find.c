/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/range_find.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ranges/ranges.h"
#include "trace/ahead.h"
#include "util/array.h"
#include "util/order/compare.h"
#include "util/text.h"

/* Names that the error lists. */
#define SHOWN 5u

struct match {
	uint64_t number;
	int64_t begin_ns, end_ns;
};

struct matches {
	struct match *items;
	size_t count, capacity;
};

struct wanted {
	const char *text;  /* all of it */
	char *name;	   /* without what follows it */
	const char *scope; /* NULL: any */
	uint64_t index;
	bool numbered;
	struct matches whole, parsed;
	struct intern names; /* of ranges that there are */
};

/* "NAME@SCOPE/3". */
static int wanted_parse(struct wanted *wanted, const char *text)
{
	char *sign, *end;

	memset(wanted, 0, sizeof(*wanted));
	wanted->text = text;
	wanted->name = strdup(text);
	if (!wanted->name)
		return -ENOMEM;
	sign = strrchr(wanted->name, '/');
	if (sign && sign[1] >= '0' && sign[1] <= '9') {
		wanted->index = strtoull(sign + 1, &end, 10);
		wanted->numbered = !*end;
		if (wanted->numbered)
			*sign = '\0';
		else
			wanted->index = 0;
	}
	sign = strrchr(wanted->name, '@');
	if (sign) {
		*sign = '\0';
		wanted->scope = sign + 1;
	}
	return 0;
}

static void wanted_free(struct wanted *wanted)
{
	free(wanted->name);
	free(wanted->whole.items);
	free(wanted->parsed.items);
	intern_free(&wanted->names);
}

static int matches_add(struct matches *matches, const struct range_instance *range)
{
	return ARRAY_ADD(matches->items, matches->capacity, matches->count,
			 (struct match){range->number, range->begin_ns,
					range->end_ns == INT64_MIN ? INT64_MAX : range->end_ns});
}

static int take_range(void *user, const struct range_instance *range)
{
	struct wanted *wanted = user;
	uint32_t name;
	int status = 0;

	if (range->kind == TANDEM_ANNOTATION_KIND_marker)
		return 0;
	if (wanted->names.count <= SHOWN)
		status = intern_add(&wanted->names, range->name, range->name_length, &name);
	if (!status && !strcmp(range->name, wanted->text))
		status = matches_add(&wanted->whole, range);
	if (!status && !strcmp(range->name, wanted->name) &&
	    (!wanted->scope || !strcmp(range->scope_name, wanted->scope)))
		status = matches_add(&wanted->parsed, range);
	return status;
}

static int read_ranges(struct trace_session *session, struct wanted *wanted)
{
	const struct trace_event *event;
	struct trace_ahead ahead;
	struct ranges ranges;
	int status = ranges_init(&ranges, session, take_range, wanted);

	if (status)
		return status;
	status = trace_ahead_open(&ahead, session, AHEAD_TRACED);
	if (!status) {
		while ((status = trace_ahead_next(&ahead, &event)) > 0) {
			if (trace_event_is_call(event))
				continue;
			status = ranges_record(&ranges, event);
			if (status)
				break;
		}
		trace_ahead_close(&ahead);
	}
	if (!status)
		status = ranges_finish(&ranges);
	ranges_free(&ranges);
	return status;
}

static int match_compare(const void *a, const void *b)
{
	const struct match *left = a, *right = b;

	return COMPARE(left->number, right->number);
}

static int refuse(const struct trace_session *session, const struct wanted *wanted,
		  struct error *error)
{
	struct text names = TEXT_INIT;

	if (wanted->parsed.count) {
		error_add(error, -ENOENT, "%s: %zu ranges are named '%s': %s/0 to %s/%zu",
			  session->path, wanted->parsed.count, wanted->name, wanted->name,
			  wanted->name, wanted->parsed.count - 1);
		return -ENOENT;
	}
	for (uint32_t i = 1; i < wanted->names.count && i <= SHOWN; i++)
		text_format(&names, "%s'%s'", i > 1 ? ", " : "", intern_text(&wanted->names, i));
	if (names.length)
		error_add(error, -ENOENT, "%s: no range is named '%s'; there is %s%s",
			  session->path, wanted->text, names.data,
			  wanted->names.count > SHOWN + 1 ? " ..." : "");
	else
		error_add(error, -ENOENT, "%s: no range is named '%s': it has no ranges",
			  session->path, wanted->text);
	text_free(&names);
	return -ENOENT;
}

static int choose(const struct trace_session *session, struct wanted *wanted,
		  struct range_found *found, struct error *error)
{
	struct matches *matches = wanted->whole.count ? &wanted->whole : &wanted->parsed;
	uint64_t index = wanted->whole.count ? 0 : wanted->index;

	if (index >= matches->count)
		return refuse(session, wanted, error);
	qsort(matches->items, matches->count, sizeof(*matches->items), match_compare);
	found->begin_ns = matches->items[index].begin_ns;
	found->end_ns = matches->items[index].end_ns;
	found->others = wanted->numbered ? 0 : matches->count - 1;
	return 0;
}

int range_find(struct trace_session *session, const char *text, struct range_found *found,
	       struct error *error)
{
	struct wanted wanted;
	int status = wanted_parse(&wanted, text);

	if (!status)
		status = read_ranges(session, &wanted);
	if (!status)
		status = choose(session, &wanted, found, error);
	else
		error_add(error, status, "%s: %s", session->path, strerror(-status));
	wanted_free(&wanted);
	return status;
}
