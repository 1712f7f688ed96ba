/* SPDX-License-Identifier: MIT */
/* What the timeline answers, held against answers that are data: tests/data/view/NAME.txt has a
 * picture, questions, and the right answers (README.md there says how). The page in one file is
 * held against the same by tests/view/corpus.py.
 *
 *	unit-view_corpus FILE...               exit status 0: all answers are right
 *	unit-view_corpus --print FILE          the file, with the answers that are given
 *	unit-view_corpus --bundle FILE N DIR   what a page in one file would hold of it, of at
 *	                                       most N items, as files in DIR
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "util/json.h"
#include "view/index/index_writer.h"
#include "view/serve/answer.h"
#include "view/serve/bundle.h"

enum { PARAMETERS = 8, COMMANDS_MOST = UINT16_MAX };

static const uint8_t fingerprint[16] = "of a corpus    ";

static const char *const row_kinds[] = {
#define X(name) #name,
	VIEW_ROWS(X)
#undef X
};

static const char *const track_types[] = {
#define X(name) #name,
	VIEW_TRACKS(X)
#undef X
};

static const char *const span_kinds[] = {
#define X(name, group) #name,
	VIEW_SPANS(X)
#undef X
};

struct corpus {
	const char *path;
	unsigned line;
	struct view_store store;
	struct index_writer writer;
	struct track_writer *track;
	struct view_header header;
	bool wrong;
};

static void wrong(struct corpus *corpus, const char *why)
{
	fprintf(stderr, "%s:%u: %s\n", corpus->path, corpus->line, why);
	corpus->wrong = true;
}

static int find_name(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -1;
}

#define FIND_NAME(names, name) find_name(names, sizeof(names) / sizeof(*(names)), name)

/* --- the picture */

static void read_label(struct corpus *corpus, const char *text)
{
	char kind[32], name[64];
	unsigned flags, expected = (unsigned)corpus->writer.label_count;
	uint32_t number;
	int known;

	if (sscanf(text, "%31s %u %63s", kind, &flags, name) != 3 ||
	    (known = FIND_NAME(span_kinds, kind)) < 0)
		return wrong(corpus, "label KIND FLAGS NAME");
	if (index_writer_label(&corpus->writer, name, (enum view_span_kind)known, flags, &number) ||
	    number != expected)
		wrong(corpus, "a label with flags comes after the same without");
}

static void read_row(struct corpus *corpus, const char *text)
{
	struct view_row row = {.process = VIEW_NONE, .stream = VIEW_NONE, .device = VIEW_NONE};
	int parent, device, process, kind;
	char kind_name[32], name[64];
	uint32_t number;

	if (sscanf(text, "%d %31s %" SCNu64 " %d %d %63s", &parent, kind_name, &row.number,
		   &process, &device, name) != 6 ||
	    (kind = FIND_NAME(row_kinds, kind_name)) < 0)
		return wrong(corpus, "row PARENT KIND NUMBER PROCESS DEVICE NAME");
	row.parent = parent < 0 ? VIEW_NONE : (uint32_t)parent;
	row.process = process < 0 ? VIEW_NONE : (uint32_t)process;
	row.device = device < 0 ? VIEW_NONE : (uint32_t)device;
	row.kind = (uint8_t)kind;
	if (index_writer_name(&corpus->writer, name, &row.name) ||
	    index_writer_name(&corpus->writer, "", &row.note) ||
	    index_writer_row(&corpus->writer, &row, &number))
		wrong(corpus, "out of memory");
}

static void read_track(struct corpus *corpus, const char *text)
{
	char type_name[32], refs[32] = "", again[32] = "";
	uint32_t row;
	int type;

	if (sscanf(text, "%" SCNu32 " %31s %31s %31s", &row, type_name, refs, again) < 2 ||
	    (type = FIND_NAME(track_types, type_name)) < 0 || row >= corpus->writer.row_count)
		return wrong(corpus, "track ROW TYPE [command|sample|plain [again]]");
	if (index_writer_track(&corpus->writer, row, (enum view_track_type)type, &corpus->track))
		return wrong(corpus, "out of memory");
	corpus->track->refs_kind = !strcmp(refs, "command")  ? VIEW_REFS_command
				   : !strcmp(refs, "sample") ? VIEW_REFS_sample
							     : VIEW_REFS_none;
	corpus->track->again = !strcmp(again, "again");
}

static int add_command(struct index_writer *writer, uint64_t bytes, uint32_t *ref)
{
	if (!writer->commands) {
		writer->commands = calloc(COMMANDS_MOST, sizeof(*writer->commands));
		writer->command_capacity = COMMANDS_MOST;
	}
	if (!writer->commands || writer->command_count == COMMANDS_MOST)
		return -ENOMEM;
	*ref = (uint32_t)writer->command_count;
	writer->commands[writer->command_count++] =
		(struct view_command){.op = *ref, .bytes = bytes, .track = VIEW_NONE, .process = 0};
	return 0;
}

static int add_span(struct corpus *corpus, int64_t begin, int64_t end, uint32_t label, uint64_t ref)
{
	uint32_t number = (uint32_t)ref * 2;

	if (corpus->track->refs_kind == VIEW_REFS_none)
		return track_writer_span(corpus->track, begin, end, label);
	if (corpus->track->refs_kind == VIEW_REFS_command &&
	    add_command(&corpus->writer, ref, &number))
		return -ENOMEM;
	return track_writer_ref(corpus->track, begin, end, label, number);
}

static void read_spans(struct corpus *corpus, const char *text)
{
	int64_t begin, step, length;
	unsigned count, label;
	uint64_t ref = 0;

	if (!corpus->track || sscanf(text, "%u %" SCNd64 " %" SCNd64 " %" SCNd64 " %u %" SCNu64,
				     &count, &begin, &step, &length, &label, &ref) < 5)
		return wrong(corpus, "spans COUNT BEGIN STEP LENGTH LABEL [BYTES|STACK]");
	for (unsigned i = 0; i < count; i++)
		if (add_span(corpus, begin + i * step, begin + i * step + length, label, ref))
			return wrong(corpus, "out of memory, or too many commands");
}

static void read_span(struct corpus *corpus, const char *text)
{
	int64_t begin, end;
	unsigned label;
	uint64_t ref = 0;

	if (!corpus->track ||
	    sscanf(text, "%" SCNd64 " %" SCNd64 " %u %" SCNu64, &begin, &end, &label, &ref) < 3)
		wrong(corpus, "span BEGIN END LABEL [BYTES|STACK]");
	else if (add_span(corpus, begin, end, label, ref))
		wrong(corpus, "out of memory, or too many commands");
}

static void read_points(struct corpus *corpus, const char *text)
{
	unsigned count;
	int64_t at, step;
	uint64_t value, more;

	if (!corpus->track || sscanf(text, "%u %" SCNd64 " %" SCNd64 " %" SCNu64 " %" SCNu64,
				     &count, &at, &step, &value, &more) != 5)
		return wrong(corpus, "points COUNT AT STEP VALUE MORE");
	for (unsigned i = 0; i < count; i++)
		if (track_writer_point(corpus->track, at + i * step, value + i * more))
			return wrong(corpus, "out of memory");
}

static void read_point(struct corpus *corpus, const char *text)
{
	int64_t at;
	uint64_t value;

	if (!corpus->track || sscanf(text, "%" SCNd64 " %" SCNu64, &at, &value) != 2 ||
	    track_writer_point(corpus->track, at, value))
		wrong(corpus, "point AT VALUE");
}

static void read_frame(struct corpus *corpus, const char *text)
{
	char name[64], file[64] = "";

	if (sscanf(text, "%63s %63s", name, file) < 1 ||
	    index_writer_frame(&corpus->writer, name, file))
		wrong(corpus, "frame NAME [FILE]");
}

static void read_stack(struct corpus *corpus, const char *text)
{
	unsigned parent, frame;

	if (sscanf(text, "%u %u", &parent, &frame) != 2 ||
	    index_writer_stack(&corpus->writer, parent, frame))
		wrong(corpus, "stack PARENT FRAME");
}

static void read_duration(struct corpus *corpus, const char *text)
{
	if (sscanf(text, "%" SCNu64, &corpus->header.duration_ns) != 1)
		wrong(corpus, "duration NS");
}

static void read_picture_line(struct corpus *corpus, char *line)
{
	static const struct {
		const char *word;
		void (*read)(struct corpus *corpus, const char *text);
	} words[] = {
		{"label", read_label},	     {"row", read_row},	      {"track", read_track},
		{"span", read_span},	     {"spans", read_spans},   {"point", read_point},
		{"frame", read_frame},	     {"points", read_points}, {"stack", read_stack},
		{"duration", read_duration},
	};
	char *text = strchr(line, ' ');

	if (text)
		*text++ = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, line))
			return words[i].read(corpus, text ? text : "");
	wrong(corpus, "no such word");
}

/* Reads up to the first question, whose line is the next one. */
static int read_picture(struct corpus *corpus, char **lines, size_t count, struct view_index *index)
{
	struct error error = ERROR_INIT;
	size_t i;

	corpus->header = (struct view_header){.magic = VIEW_INDEX_MAGIC,
					      .version = VIEW_INDEX_VERSION,
					      .bytes = sizeof(corpus->header)};
	memcpy(corpus->header.fingerprint, fingerprint, sizeof(fingerprint));
	if (view_store_create(&corpus->store, NULL, &error))
		return -1;
	index_writer_init(&corpus->writer, &corpus->store);
	for (i = 0; i < count && strncmp(lines[i], "ask ", 4) != 0; i++) {
		char *line = strdup(lines[i]);

		corpus->line = (unsigned)i + 1;
		if (*line && *line != '#')
			read_picture_line(corpus, line);
		free(line);
	}
	if (corpus->wrong || index_layout(&corpus->writer, &corpus->header) ||
	    view_store_commit(&corpus->store, &corpus->header) ||
	    view_index_map(index, corpus->store.fd, fingerprint)) {
		fprintf(stderr, "%s: no picture\n", corpus->path);
		return -1;
	}
	/* Questions name rows by their numbers in the file. */
	for (uint32_t row = 0; row < index->rows_count; row++)
		if (index->rows[row].name != corpus->writer.rows[row].name)
			wrong(corpus, "the rows are not in the order of the picture");
	return (int)i;
}

/* --- questions */

struct words {
	char *name;
	char *keys[PARAMETERS], *values[PARAMETERS];
	unsigned count;
};

/* "ask NAME KEY=VALUE..."; the line is changed. */
static void split_question(char *line, struct words *words)
{
	char *rest = NULL;

	words->count = 0;
	strtok_r(line, " ", &rest);
	words->name = strtok_r(NULL, " ", &rest);
	for (char *word; words->count < PARAMETERS && (word = strtok_r(NULL, " ", &rest));) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		words->keys[words->count] = word;
		words->values[words->count++] = value;
	}
}

static const char *parameter(void *words_of, const char *name)
{
	const struct words *words = words_of;

	for (unsigned i = 0; i < words->count; i++)
		if (!strcmp(words->keys[i], name))
			return words->values[i];
	return strcmp(name, "session") ? NULL : "0";
}

static double f64_at(const char *column, size_t i)
{
	double value;

	memcpy(&value, column + i * sizeof(value), sizeof(value));
	return value;
}

static uint32_t u32_at(const char *column, size_t i)
{
	uint32_t value;

	memcpy(&value, column + i * sizeof(value), sizeof(value));
	return value;
}

/* Tiles (view/query/tiles.h) as lines of text. */
static void render_tiles(const struct view_index *index, const struct text *bytes, struct text *out)
{
	for (size_t at = 0; at < bytes->length;) {
		const char *head = bytes->data + at, *columns = head + 24;
		uint32_t track = u32_at(head, 0), count = u32_at(head, 1);

		text_format(out, "= tile %u %.0f%s\n", track, f64_at(head + 16, 0),
			    u32_at(head, 2) & 1 ? "" : " gathered");
		for (size_t i = 0; i < count; i++) {
			float busy;

			text_format(out, "= %.0f %.0f ", f64_at(columns, i),
				    f64_at(columns + 8 * (size_t)count, i));
			if (index->tracks[track].type == VIEW_TRACK_counter) {
				text_format(out, "%.0f %.0f\n",
					    f64_at(columns + 16 * (size_t)count, i),
					    f64_at(columns + 24 * (size_t)count, i));
				continue;
			}
			memcpy(&busy, columns + 28 * (size_t)count + i * sizeof(busy),
			       sizeof(busy));
			text_format(out, "%u %u %u %.4g\n", u32_at(columns + 16 * (size_t)count, i),
				    u32_at(columns + 20 * (size_t)count, i),
				    u32_at(columns + 24 * (size_t)count, i), (double)busy);
		}
		at += 24 + 32 * (size_t)count;
	}
}

/* The answer to a question, as lines that begin with "= ". */
static void answer(struct view_source *source, const char *line, struct text *out)
{
	struct text bytes = TEXT_INIT;
	struct words words;
	struct view_question question = {
		.parameter = parameter, .user = &words, .sources = source, .source_count = 1};
	char *copy = strdup(line);
	const char *type;
	int status;

	split_question(copy, &words);
	question.name = words.name ? words.name : "";
	status = view_answer(&question, &bytes, &type);
	text_clear(out);
	if (status)
		text_format(out, "= refused: %s\n", strerror(-status));
	else if (!strcmp(question.name, "tiles"))
		render_tiles(&source->index, &bytes, out);
	else
		text_format(out, "= %.*s\n", (int)bytes.length, bytes.data ? bytes.data : "");
	text_free(&bytes);
	free(copy);
}

static unsigned check_answers(struct corpus *corpus, char **lines, size_t count, size_t first,
			      struct view_source *source)
{
	struct text given = TEXT_INIT, wanted = TEXT_INIT;
	unsigned questions = 0;

	for (size_t i = first; i < count;) {
		size_t ask = i++;

		if (strncmp(lines[ask], "ask ", 4) != 0) {
			if (*lines[ask] && *lines[ask] != '#')
				fprintf(stderr, "%s:%zu: an answer without a question\n",
					corpus->path, ask + 1);
			CHECK(!*lines[ask] || *lines[ask] == '#');
			continue;
		}
		text_clear(&wanted);
		for (; i < count && *lines[i] == '='; i++)
			text_format(&wanted, "%s\n", lines[i]);
		answer(source, lines[ask], &given);
		if (!wanted.length || strcmp(given.data, wanted.data) != 0) {
			fprintf(stderr, "%s:%zu: %s\nwanted:\n%sgiven:\n%s", corpus->path, ask + 1,
				lines[ask], wanted.length ? wanted.data : "", given.data);
			check_failures++;
		}
		questions++;
	}
	text_free(&given);
	text_free(&wanted);
	return questions;
}

static void print_answers(char **lines, size_t count, size_t first, struct view_source *source)
{
	struct text given = TEXT_INIT;

	for (size_t i = 0; i < count; i++) {
		if (*lines[i] == '=')
			continue;
		puts(lines[i]);
		if (i < first || strncmp(lines[i], "ask ", 4) != 0)
			continue;
		answer(source, lines[i], &given);
		fputs(given.data, stdout);
	}
	text_free(&given);
}

/* --- what a page in one file holds */

static int write_file(const char *folder, const char *name, const struct text *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	if (!file)
		return -errno;
	if (text->length)
		fwrite(text->data, 1, text->length, file);
	return fclose(file) || text->failed ? -EIO : 0;
}

static int write_bundle(struct view_source *source, uint64_t most, const char *folder)
{
	struct text model = TEXT_INIT, tracks = TEXT_INIT, rest = TEXT_INIT;
	struct view_bundle bundle;
	struct json json;
	int status = view_bundle_plan(&bundle, source, most);

	json_init(&json, &model, false);
	json_begin_object(&json, NULL);
	json_string(&json, "version", "corpus");
	json_unsigned(&json, "level", bundle.thinned ? bundle.level : 0);
	json_begin_array(&json, "sessions");
	view_source_json(source, &json);
	json_end_array(&json);
	json_end_object(&json);
	if (!status)
		status = view_bundle_tracks(&bundle, &tracks);
	if (!status)
		status = view_bundle_json(&bundle, &rest);
	if (!status)
		status = write_file(folder, "data-model", &model);
	if (!status)
		status = write_file(folder, "data-tracks-0", &tracks);
	if (!status)
		status = write_file(folder, "data-bundle-0", &rest);
	text_free(&model);
	text_free(&tracks);
	text_free(&rest);
	return status;
}

/* --- */

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t bytes = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &bytes, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static size_t split_lines(char *text, char ***lines)
{
	size_t count = 0;

	*lines = calloc(strlen(text) + 1, sizeof(**lines));
	while (*text) {
		size_t length = strcspn(text, "\n");
		bool more = text[length];

		text[length] = '\0';
		(*lines)[count++] = text;
		text += length + more;
	}
	return count;
}

static int run(const char *path, bool print, const char *most, const char *folder)
{
	struct trace_session session = {.path = (char *)(uintptr_t) "corpus"};
	struct view_source source = {.session = &session};
	struct corpus corpus = {.path = path};
	char **lines, *text = read_file(path);
	size_t count;
	int first, status = 0;

	if (!text) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	trace_run_init(&session.run);
	count = split_lines(text, &lines);
	first = read_picture(&corpus, lines, count, &source.index);
	if (first < 0)
		return 1;
	if (folder)
		status = write_bundle(&source, strtoull(most, NULL, 10), folder);
	else if (print)
		print_answers(lines, count, (size_t)first, &source);
	else
		CHECK(check_answers(&corpus, lines, count, (size_t)first, &source) > 0);
	CHECK(!corpus.wrong && !status);
	view_index_close(&source.index);
	index_writer_free(&corpus.writer);
	view_store_close(&corpus.store);
	free(lines);
	free(text);
	return check_status();
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--print"))
		return run(argv[2], true, NULL, NULL);
	if (argc == 5 && !strcmp(argv[1], "--bundle"))
		return run(argv[2], false, argv[3], argv[4]);
	CHECK(argc > 1);
	for (int i = 1; i < argc; i++)
		run(argv[i], false, NULL, NULL);
	return check_status();
}
