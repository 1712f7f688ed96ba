/* SPDX-License-Identifier: MIT */
#include "view/serve/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/query/graph.h"
#include "view/query/instances.h"
#include "view/query/search.h"
#include "view/query/select.h"
#include "view/query/stacks.h"
#include "view/query/tiles.h"

/* Tiles of one request; some 64 KiB each at most. */
#define TILES_MOST 4096u
#define BINS_MOST 16384u

/* Spans of one list, and how far into it one may go. */
#define INSTANCES_MOST 1000
#define INSTANCES_SKIPPED_MOST 1000000

/* Times within 2^60 ns (36 years) leave room to add. */
#define TIME_MOST (INT64_C(1) << 60)

static int read_number(const struct view_question *question, const char *name, int64_t least,
		       int64_t most, int64_t *number)
{
	const char *text = question->parameter(question->user, name);
	char *end;

	if (!text || !*text)
		return -EINVAL;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return errno || *end || *number < least || *number > most ? -EINVAL : 0;
}

static int read_source(const struct view_question *question, struct view_source **source)
{
	int64_t number = 0;
	int status =
		read_number(question, "session", 0, (int64_t)question->source_count - 1, &number);

	*source = status ? NULL : &question->sources[number];
	return status;
}

static int read_range(const struct view_question *question, int64_t *from, int64_t *to)
{
	int status = read_number(question, "from", -TIME_MOST, TIME_MOST, from);

	return status ? status : read_number(question, "to", -TIME_MOST, TIME_MOST, to);
}

/* Reads "1", "3-5" and moves *text behind the comma. Returns 1, 0 at the end, or
 * -EINVAL. */
static int list_next(const char **text, uint64_t *first, uint64_t *last)
{
	char *end;

	if (!**text)
		return 0;
	if (**text < '0' || **text > '9')
		return -EINVAL;
	*first = *last = strtoull(*text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*last = strtoull(end + 1, &end, 10);
	if (*end == ',')
		end++;
	else if (*end)
		return -EINVAL;
	*text = end;
	return *last >= *first ? 1 : -EINVAL;
}

static int answer_model(const struct view_question *question, struct text *out)
{
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_string(&json, "version", TANDEM_VERSION);
	if (question->look)
		json_unsigned(&json, "look", question->look);
	json_begin_array(&json, "sessions");
	for (size_t i = 0; i < question->source_count; i++)
		view_source_json(&question->sources[i], &json);
	json_end_array(&json);
	json_end_object(&json);
	return 0;
}

static int answer_follow(const struct view_question *question, struct text *out)
{
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "look", question->look);
	json_bool(&json, "runs", question->runs);
	json_end_object(&json);
	return 0;
}

static int answer_tiles(const struct view_question *question, struct text *out)
{
	const char *list = question->parameter(question->user, "tracks");
	struct view_source *source;
	int64_t level, first, last, most;
	uint64_t from, to, tiles = 0;
	int status = read_source(question, &source);

	if (!status)
		status = read_number(question, "level", 0, TILE_LEVEL_MOST, &level);
	if (status || !list)
		return -EINVAL;
	most = TIME_MOST / ((int64_t)TILE_BINS << level);
	if (read_number(question, "first", -most, most, &first) ||
	    read_number(question, "last", first, most, &last) || last - first >= TILES_MOST)
		return -EINVAL;
	while ((status = list_next(&list, &from, &to)) > 0) {
		if (to >= source->index.tracks_count)
			return -EINVAL;
		tiles += (to - from + 1) * (uint64_t)(last - first + 1);
		if (tiles > TILES_MOST)
			return -EINVAL;
		for (uint64_t track = from; track <= to; track++)
			for (int64_t tile = first; tile <= last; tile++)
				view_tile_add(&source->index, (uint32_t)track, (unsigned)level,
					      tile, out);
	}
	return status;
}

static int answer_detail(const struct view_question *question, struct text *out)
{
	struct view_source *source;
	int64_t track, item;
	int status = read_source(question, &source);

	if (!status)
		status = read_number(question, "track", 0, UINT32_MAX, &track);
	if (!status)
		status = read_number(question, "item", 0, UINT32_MAX, &item);
	return status ? status : view_source_detail(source, (uint32_t)track, (uint32_t)item, out);
}

/* The rows that `row` names, or all. The caller frees them where 0 is returned. */
static int read_rows(const struct view_question *question, const struct view_source *source,
		     struct row_set *rows)
{
	const char *list = question->parameter(question->user, "row");
	uint64_t first, last;
	int status = row_set_init(rows, &source->index);

	if (status)
		return status;
	if (!list) {
		row_set_add_all(rows);
		return 0;
	}
	while ((status = list_next(&list, &first, &last)) > 0) {
		if (last >= source->index.rows_count) {
			status = -EINVAL;
			break;
		}
		row_set_add(rows, first, last);
	}
	if (status)
		row_set_free(rows);
	return status;
}

static int answer_of_rows(const struct view_question *question, struct text *out,
			  int (*answer)(const struct row_set *rows, int64_t from_ns, int64_t to_ns,
					struct text *out))
{
	struct view_source *source;
	struct row_set rows;
	int64_t from, to;
	int status = read_source(question, &source);

	if (!status)
		status = read_range(question, &from, &to);
	if (!status)
		status = read_rows(question, source, &rows);
	if (status)
		return status;
	status = answer(&rows, from, to, out);
	row_set_free(&rows);
	return status;
}

static int answer_select(const struct view_question *question, struct text *out)
{
	return answer_of_rows(question, out, view_select_json);
}

static int answer_stacks(const struct view_question *question, struct text *out)
{
	return answer_of_rows(question, out, stacks_json);
}

static int read_search(const struct view_question *question, struct view_source **source,
		       struct view_search *search)
{
	const char *list = question->parameter(question->user, "labels");
	uint64_t first, last;
	int status = read_source(question, source);

	if (status || !list)
		return -EINVAL;
	status = view_search_init(search, &(*source)->index);
	if (status)
		return status;
	while ((status = list_next(&list, &first, &last)) > 0)
		view_search_add(search, first, last);
	if (status)
		view_search_free(search);
	return status;
}

static int answer_search(const struct view_question *question, struct text *out)
{
	struct view_source *source;
	struct view_search search;
	struct json json;
	int status = read_search(question, &source, &search);

	if (status)
		return status;
	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "total", view_search_count(&search));
	json_end_object(&json);
	view_search_free(&search);
	return 0;
}

static void add_count(void *json_of, uint32_t label, uint64_t count)
{
	struct json *json = json_of;

	json_begin_array(json, NULL);
	json_unsigned(json, NULL, label);
	json_unsigned(json, NULL, count);
	json_end_array(json);
}

static int answer_counts(const struct view_question *question, struct text *out)
{
	struct view_source *source;
	struct view_search search;
	struct json json;
	int status = read_search(question, &source, &search);

	if (status)
		return status;
	json_init(&json, out, false);
	json_begin_array(&json, NULL);
	status = view_search_counts(&search, add_count, &json);
	json_end_array(&json);
	view_search_free(&search);
	return status;
}

static int read_instances(const struct view_question *question, struct instances_question *asked)
{
	int64_t least = 0, most = TIME_MOST, skip = 0, count, by_length;
	int status = read_range(question, &asked->from_ns, &asked->to_ns);

	if (!status && question->parameter(question->user, "least"))
		status = read_number(question, "least", 0, TIME_MOST, &least);
	if (!status && question->parameter(question->user, "most"))
		status = read_number(question, "most", 0, TIME_MOST, &most);
	if (!status && question->parameter(question->user, "skip"))
		status = read_number(question, "skip", 0, INSTANCES_SKIPPED_MOST, &skip);
	if (!status)
		status = read_number(question, "count", 0, INSTANCES_MOST, &count);
	if (!status)
		status = read_number(question, "by_length", 0, 1, &by_length);
	if (status)
		return status;
	asked->least_ns = (uint64_t)least;
	asked->most_ns = most == TIME_MOST ? UINT64_MAX : (uint64_t)most;
	asked->skip = (uint64_t)skip;
	asked->count = (uint64_t)count;
	asked->by_length = by_length;
	return 0;
}

static int answer_instances(const struct view_question *question, struct text *out)
{
	struct instances_question asked;
	struct view_source *source;
	struct view_search search;
	struct row_set rows;
	int status = read_search(question, &source, &search);

	if (status)
		return status;
	status = read_instances(question, &asked);
	if (!status)
		status = read_rows(question, source, &rows);
	if (!status) {
		status = instances_json(&search, &rows, &asked, out);
		row_set_free(&rows);
	}
	view_search_free(&search);
	return status;
}

static void add_hit(struct text *out, const struct view_index *index, const struct view_hit *hit)
{
	const struct view_track *track = &index->tracks[hit->track];
	const struct view_span *span = &view_index_item(index, track, hit->item)->span;
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "track", hit->track);
	json_unsigned(&json, "item", hit->item);
	json_unsigned(&json, "label", span->label);
	json_signed(&json, "begin_ns", span->begin_ns);
	json_signed(&json, "end_ns", view_index_end(index, track, hit->item, span));
	json_end_object(&json);
}

static int answer_step(const struct view_question *question, struct text *out)
{
	struct view_source *source;
	struct view_search search;
	struct view_hit hit;
	int64_t track, item, back;
	int status = read_search(question, &source, &search);

	if (status)
		return status;
	if (read_number(question, "at", -TIME_MOST, TIME_MOST, &hit.begin_ns) ||
	    read_number(question, "track", 0, UINT32_MAX, &track) ||
	    read_number(question, "item", 0, UINT32_MAX, &item) ||
	    read_number(question, "back", 0, 1, &back)) {
		view_search_free(&search);
		return -EINVAL;
	}
	hit.track = (uint32_t)track;
	hit.item = (uint32_t)item;
	if (view_search_step(&search, &hit, back))
		add_hit(out, &source->index, &hit);
	else
		text_add_string(out, "null");
	view_search_free(&search);
	return 0;
}

static int answer_marks(const struct view_question *question, struct text *out)
{
	struct view_source *source;
	struct view_search search;
	int64_t from, to, bins;
	uint8_t *marks;
	struct json json;
	int status = read_search(question, &source, &search);

	if (status)
		return status;
	status = read_range(question, &from, &to);
	if (!status)
		status = read_number(question, "bins", 1, BINS_MOST, &bins);
	marks = status ? NULL : malloc((size_t)bins);
	if (!status && !marks)
		status = -ENOMEM;
	if (!status) {
		view_search_marks(&search, from, to, (uint32_t)bins, marks);
		json_init(&json, out, false);
		json_begin_array(&json, NULL);
		for (int64_t i = 0; i < bins; i++)
			if (marks[i])
				json_signed(&json, NULL, i);
		json_end_array(&json);
	}
	free(marks);
	view_search_free(&search);
	return status;
}

static int answer_graph(const struct view_question *question, struct text *out)
{
	struct view_source *source;
	int status = read_source(question, &source);

	return status ? status : graph_json(&source->details, out);
}

static int answer_findings(const struct view_question *question, struct text *out)
{
	struct view_source *source;
	int status = read_source(question, &source);

	if (!status && !question->findings)
		text_add_string(out, "null");
	else if (!status)
		view_findings_add(question->findings, (size_t)(source - question->sources), out);
	return status;
}

int view_answer(const struct view_question *question, struct text *out, const char **type)
{
	static const struct {
		const char *name;
		int (*answer)(const struct view_question *question, struct text *out);
	} answers[] = {
		{"model", answer_model},       {"tiles", answer_tiles},
		{"detail", answer_detail},     {"select", answer_select},
		{"stacks", answer_stacks},     {"search", answer_search},
		{"counts", answer_counts},     {"instances", answer_instances},
		{"step", answer_step},	       {"marks", answer_marks},
		{"findings", answer_findings}, {"graph", answer_graph},
		{"follow", answer_follow},
	};
	int status = -ENOENT;

	*type = "application/json";
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		if (strcmp(answers[i].name, question->name) != 0)
			continue;
		if (answers[i].answer == answer_tiles)
			*type = "application/octet-stream";
		status = answers[i].answer(question, out);
	}
	return !status && out->failed ? -ENOMEM : status;
}
