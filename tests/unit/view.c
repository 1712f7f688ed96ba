/* SPDX-License-Identifier: MIT */
/* The timeline's index and what is asked of it, against plain loops over the same
 * random spans: tiles leave nothing out, search and overlap find what there is,
 * and an index with any byte changed is refused or read without harm. */
#include "view/index/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "view/index/index_writer.h"
#include "view/index/overlap.h"
#include "view/query/instances.h"
#include "view/query/search.h"
#include "view/query/select.h"
#include "view/query/stacks.h"
#include "view/query/tiles.h"
#include "view/rows/depth_packing.h"
#include "view/rows/threads/thread_order.h"

enum { SPANS = 70001, LABELS = 70, SAMPLES = 20000 };
#define SAMPLES_APART_NS INT64_C(64)

struct span {
	int64_t begin, end;
	uint32_t label;
};

static struct span spans[SPANS];
static uint64_t seed = 88172645463325252u;
static const uint8_t fingerprint[16] = "of this trace  ";

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Side by side, from instants to spans of seconds, with gaps of all sizes. Some
 * labels are rare: they are to be found all the same. */
static void make_spans(void)
{
	int64_t now = 1000;

	for (size_t i = 0; i < SPANS; i++) {
		uint64_t r = next_random();
		int64_t length = (int64_t)(next_random() % (UINT64_C(1) << (r % 13)));

		if (r % 9973 == 0)
			length = INT64_C(6000000000);
		now += (int64_t)(next_random() % (UINT64_C(1) << (r / 16 % 12)));
		spans[i] = (struct span){now, now + length,
					 r % 997 ? (uint32_t)(r / 1024 % 6)
						 : (uint32_t)(r / 1024 % LABELS)};
		now += length;
	}
}

static void build(struct view_index *index)
{
	struct view_row row = {.kind = VIEW_ROW_thread, .parent = VIEW_NONE, .device = VIEW_NONE};
	struct view_header header = {
		.magic = VIEW_INDEX_MAGIC, .version = VIEW_INDEX_VERSION, .bytes = sizeof(header)};
	struct error error = ERROR_INIT;
	struct index_writer writer;
	struct track_writer *track, *counter, *samples;
	struct view_store store;
	uint32_t number, label, leaf;
	char name[16];

	memcpy(header.fingerprint, fingerprint, sizeof(fingerprint));
	CHECK(!view_store_create(&store, ".", &error));
	index_writer_init(&writer, &store);
	for (uint32_t i = 0; i < LABELS; i++) {
		snprintf(name, sizeof(name), "label-%u", i);
		CHECK(!index_writer_label(&writer, name, VIEW_SPAN_call, 0, &label));
		CHECK(label == i);
	}
	CHECK(!index_writer_row(&writer, &row, &number));
	CHECK(!index_writer_track(&writer, number, VIEW_TRACK_spans, &track));
	CHECK(!index_writer_track(&writer, number, VIEW_TRACK_counter, &counter));
	for (size_t i = 0; i < SPANS; i++) {
		CHECK(!track_writer_span(track, spans[i].begin, spans[i].end, spans[i].label));
		CHECK(!track_writer_point(counter, spans[i].begin, i % 100));
	}
	CHECK(!index_writer_track(&writer, number, VIEW_TRACK_samples, &samples));
	samples->refs_kind = VIEW_REFS_sample;
	/* main, which calls itself, which calls work: stacks 1, 2, 3. */
	CHECK(!index_writer_frame(&writer, "main", "/bin/program"));
	CHECK(!index_writer_frame(&writer, "work", ""));
	for (uint32_t i = 0; i < 4; i++)
		CHECK(!index_writer_stack(&writer, i ? i - 1 : 0, i == 3));
	CHECK(!index_writer_label(&writer, "work", VIEW_SPAN_sample, 0, &leaf));
	/* The last of a node's lies where a bin begins. */
	for (int64_t i = 1; i <= SAMPLES; i++)
		CHECK(!track_writer_ref(samples, i * SAMPLES_APART_NS, i * SAMPLES_APART_NS, leaf,
					(uint32_t)(i % 2 ? 3 : 2) * 2 + 1));
	CHECK(!index_layout(&writer, &header));
	CHECK(!view_store_commit(&store, &header));
	CHECK(!view_index_map(index, store.fd, fingerprint));
	index_writer_free(&writer);
	view_store_close(&store);
}

struct tile { /* as a page reads it */
	uint32_t head[4];
	double number;
	const double *begin, *end;
	const uint32_t *label, *count, *item;
	const float *busy;
};

static void read_tile(const struct text *text, struct tile *tile)
{
	const char *at = text->data;
	size_t count;

	memcpy(tile->head, at, sizeof(tile->head));
	memcpy(&tile->number, at + 16, sizeof(tile->number));
	count = tile->head[1];
	at += 24;
	CHECK(text->length == 24 + 32 * count);
	tile->begin = (const double *)at;
	tile->end = tile->begin + count;
	tile->label = (const uint32_t *)(tile->end + count);
	tile->count = tile->label + count;
	tile->item = tile->count + count;
	tile->busy = (const float *)(tile->item + count);
}

/* Of every level: all spans are there, each in the tile in which it begins (or
 * again in the next ones), in order, none far from where it lies, and no tile is
 * larger than the picture's width allows. */
static void tiles_hold_all(const struct view_index *index)
{
	int64_t last = spans[SPANS - 1].end;

	for (unsigned level = 12; level <= 30; level += 3) {
		int64_t width = (int64_t)TILE_BINS << level, bin = INT64_C(1) << level;
		uint64_t seen = 0;
		double busy = 0, truth = 0;

		for (int64_t number = 0; number * width <= last; number++) {
			struct text out = TEXT_INIT;
			struct tile tile;

			view_tile_add(index, 0, level, number, &out);
			read_tile(&out, &tile);
			CHECK(tile.head[0] == 0 && tile.number == (double)number);
			CHECK(tile.head[1] <= 2 * TILE_BINS + 2);
			for (uint32_t i = 0; i < tile.head[1]; i++) {
				uint32_t item = tile.item[i], count = tile.count[i];

				CHECK(!i || tile.begin[i] >= tile.begin[i - 1]);
				CHECK(item + count <= SPANS);
				CHECK(tile.begin[i] == (double)spans[item].begin);
				CHECK(tile.end[i] == (double)spans[item + count - 1].end);
				CHECK(count == 1 ||
				      tile.end[i] - tile.begin[i] < 2.0 * (double)bin);
				CHECK(!tile.head[2] || count == 1);
				if (tile.begin[i] < (double)(number * width))
					continue;
				CHECK(item == seen);
				seen += count;
				busy += (double)tile.busy[i] * (tile.end[i] - tile.begin[i]);
				if (tile.begin[i] == tile.end[i])
					continue;
			}
			text_free(&out);
		}
		CHECK(seen == SPANS);
		for (size_t i = 0; i < SPANS; i++)
			truth += (double)(spans[i].end - spans[i].begin);
		CHECK(busy > truth * 0.9999 && busy < truth * 1.0001);
	}
}

/* Moments, many of them just where tiles and bins begin: each is in its own. */
static void samples_have_their_bins(const struct view_index *index)
{
	for (unsigned level = 4; level <= 20; level += 2) {
		int64_t width = (int64_t)TILE_BINS << level, end = (SAMPLES + 1) * SAMPLES_APART_NS;
		uint64_t seen = 0;

		for (int64_t number = 0; number * width < end; number++) {
			struct text out = TEXT_INIT;
			struct tile tile;

			view_tile_add(index, 2, level, number, &out);
			read_tile(&out, &tile);
			for (uint32_t i = 0; i < tile.head[1]; i++) {
				int64_t first = (int64_t)tile.begin[i] >> level;

				CHECK(tile.item[i] == seen && tile.busy[i] == 1);
				CHECK(first / TILE_BINS == number);
				CHECK((int64_t)tile.end[i] >> level == first);
				seen += tile.count[i];
			}
			text_free(&out);
		}
		CHECK(seen == SAMPLES);
	}
}

/* Threads of a process of 100,000 ns: the main one first, then those that enqueue, then those that
 * call; those that make no call and hardly run are below one row, and only if they are several. */
static void threads_are_ordered(void)
{
	static const struct {
		uint32_t tid, calls, launches, running_ns;
		const char *below; /* the row above it */
		unsigned rank, marks;
	} threads[] = {
		{14, 0, 0, 999, "3 idle threads", 3, 0},
		{12, 1, 0, 0, "process", 2, 0},
		{11, 0, 1, 0, "process", 1, VIEW_MARK_launches},
		{10, 0, 0, 10, "process", 0, VIEW_MARK_main},
		{15, 0, 0, 0, "3 idle threads", 3, 0},
		{16, 0, 0, 1000, "process", 3, 0},
		{13, 0, 0, 1, "3 idle threads", 3, 0},
	};
	struct view_row process = {.kind = VIEW_ROW_process,
				   .parent = VIEW_NONE,
				   .process = 0,
				   .number = 10,
				   .device = VIEW_NONE};
	struct error error = ERROR_INIT;
	struct index_writer writer;
	struct track_writer *track;
	struct view_store store;
	uint32_t call, enqueue, running, parent, lone, row;

	CHECK(!view_store_create(&store, NULL, &error));
	index_writer_init(&writer, &store);
	CHECK(!index_writer_label(&writer, "call", VIEW_SPAN_call, 0, &call) &&
	      !index_writer_label(&writer, "enqueue", VIEW_SPAN_enqueue, 0, &enqueue) &&
	      !index_writer_label(&writer, "running", VIEW_SPAN_running, 0, &running));
	CHECK(!index_writer_name(&writer, "process", &process.name));
	CHECK(!index_writer_row(&writer, &process, &parent));
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		struct view_row thread = {.kind = VIEW_ROW_thread,
					  .parent = parent,
					  .number = threads[i].tid,
					  .device = VIEW_NONE};

		CHECK(!index_writer_row(&writer, &thread, &row) && row == i + 1);
		CHECK(!index_writer_track(&writer, row, VIEW_TRACK_state, &track) &&
		      !track_writer_span(track, 0, threads[i].running_ns, running));
		CHECK(!index_writer_track(&writer, row, VIEW_TRACK_spans, &track));
		if (threads[i].calls)
			CHECK(!track_writer_span(track, 0, 1, call));
		if (threads[i].launches)
			CHECK(!track_writer_span(track, 0, 1, enqueue));
	}
	/* Alone in its process: a row of its own. */
	process.number = 20;
	CHECK(!index_writer_row(&writer, &process, &lone));
	process = (struct view_row){.kind = VIEW_ROW_thread, .parent = lone, .number = 21};
	CHECK(!index_writer_row(&writer, &process, &row));
	CHECK(!thread_order_finish(&writer, 0, 100000));
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		const struct view_row *thread = &writer.rows[i + 1];

		CHECK(!strcmp(intern_text(&writer.names, writer.rows[thread->parent].name),
			      threads[i].below));
		CHECK(thread->rank == threads[i].rank && thread->marks == threads[i].marks);
	}
	CHECK(writer.rows[row].parent == lone);
	index_writer_free(&writer);
	view_store_close(&store);
}

static int select_json(const struct view_index *index, int64_t from_ns, int64_t to_ns,
		       struct text *out)
{
	struct row_set rows;
	int status = row_set_init(&rows, index);

	if (!status) {
		row_set_add_all(&rows);
		status = view_select_json(&rows, from_ns, to_ns, out);
		row_set_free(&rows);
	}
	return status;
}

/* The other questions of rows. */
static int ask_all(const struct view_index *index, struct text *out)
{
	struct instances_question question = {.to_ns = 1000000, .most_ns = UINT64_MAX, .count = 9};
	struct view_search search;
	struct row_set rows;
	int status = row_set_init(&rows, index);

	if (status)
		return status;
	row_set_add(&rows, 0, 0);
	status = view_search_init(&search, index);
	if (!status) {
		view_search_add(&search, 0, 3);
		status = instances_json(&search, &rows, &question, out);
		view_search_free(&search);
	}
	if (!status)
		status = stacks_json(&rows, 0, 1000000, out);
	row_set_free(&rows);
	return status;
}

/* Of 10 samples 5 end in main and 5 in work, below main and main. */
static void samples_are_summed(const struct view_index *index)
{
	struct text out = TEXT_INIT;

	CHECK(!select_json(index, 20 * SAMPLES_APART_NS, 30 * SAMPLES_APART_NS, &out));
	CHECK(strstr(out.data, "\"samples\": [{\"name\": \"main\", \"self\": 5, \"total\": 10, "
			       "\"file\": \"/bin/program\"}, {\"name\": \"work\", \"self\": 5, "
			       "\"total\": 5, \"file\": \"\"}]"));
	text_free(&out);
}

/* A counter's tiles: the value at the begin is right, and least and most are. */
static void counter_tiles(const struct view_index *index)
{
	for (int round = 0; round < 200; round++) {
		unsigned level = 4 + (unsigned)(next_random() % 20);
		int64_t width = (int64_t)TILE_BINS << level;
		int64_t number =
			(int64_t)(next_random() %
				  ((uint64_t)spans[SPANS - 1].begin / (uint64_t)width + 2));
		double least = 1e9, most = -1, first = -1, said_least = 1e9, said_most = -1;
		struct text out = TEXT_INIT;
		struct tile tile;
		const double *columns;

		view_tile_add(index, 1, level, number, &out);
		read_tile(&out, &tile);
		columns = tile.begin;
		for (size_t i = 0; i < SPANS; i++) {
			/* Of several at one moment the last one counts. */
			if (i + 1 < SPANS && spans[i + 1].begin == spans[i].begin)
				continue;
			if (spans[i].begin < number * width)
				first = (double)(i % 100);
			else if (spans[i].begin < (number + 1) * width) {
				least = (double)(i % 100) < least ? (double)(i % 100) : least;
				most = (double)(i % 100) > most ? (double)(i % 100) : most;
			}
		}
		for (uint32_t i = 0; i < tile.head[1]; i++) {
			if (!i && first >= 0) {
				CHECK(columns[0] == (double)(number * width));
				CHECK(columns[3 * tile.head[1]] == first);
				continue;
			}
			said_least = columns[tile.head[1] + i] < said_least
					     ? columns[tile.head[1] + i]
					     : said_least;
			said_most = columns[2 * tile.head[1] + i] > said_most
					    ? columns[2 * tile.head[1] + i]
					    : said_most;
		}
		/* Points of one moment may both be kept at a chunk's edge. */
		CHECK(said_most >= most && said_least <= least);
		CHECK((most < 0) == (said_most < 0));
		text_free(&out);
	}
}

struct overlapping {
	size_t next, last;
	uint64_t count;
};

static int on_overlap(void *user, uint32_t item, const struct view_span *span, int64_t end_ns)
{
	struct overlapping *overlapping = user;

	CHECK(item >= overlapping->next);
	CHECK(span->begin_ns == spans[item].begin && end_ns == spans[item].end);
	overlapping->next = item + 1u;
	overlapping->count++;
	return 0;
}

static void overlaps(const struct view_index *index)
{
	for (int round = 0; round < 100; round++) {
		int64_t from = (int64_t)(next_random() % (uint64_t)spans[SPANS - 1].end);
		int64_t to = from + (int64_t)(next_random() % (UINT64_C(1) << (round % 34)));
		struct overlapping found = {.count = 0};
		uint64_t truth = 0;

		for (size_t i = 0; i < SPANS; i++)
			truth += spans[i].begin < to &&
				 (spans[i].end > from || spans[i].begin >= from);
		CHECK(!view_overlap(index, &index->tracks[0], from, to, on_overlap, &found));
		CHECK(found.count == truth);
	}
}

static void searches(const struct view_index *index)
{
	for (uint32_t label = 0; label < LABELS; label++) {
		struct view_search search;
		struct view_hit hit = {.begin_ns = -1, .track = VIEW_NONE};
		uint8_t marks[1000];
		uint64_t truth = 0, steps = 0;
		size_t at = 0;

		CHECK(!view_search_init(&search, index));
		view_search_add(&search, label, label);
		for (size_t i = 0; i < SPANS; i++)
			truth += spans[i].label == label;
		CHECK(view_search_count(&search) == truth);
		while (steps < 200 && view_search_step(&search, &hit, false)) {
			while (at < SPANS && spans[at].label != label)
				at++;
			CHECK(hit.item == at && hit.track == 0);
			at++;
			steps++;
		}
		CHECK(steps == 200 || steps == truth);
		/* And back again to the first. */
		while (steps-- > 1)
			CHECK(view_search_step(&search, &hit, true));
		CHECK(!truth || spans[hit.item].label == label);
		CHECK(!truth || !view_search_step(&search, &hit, true));
		view_search_marks(&search, 0, spans[SPANS - 1].end + 1, 1000, marks);
		for (size_t i = 0; i < SPANS; i++) {
			size_t bin = (size_t)((double)spans[i].begin /
					      ((double)(spans[SPANS - 1].end + 1) / 1000));

			if (spans[i].label == label)
				CHECK(marks[bin]);
		}
		view_search_free(&search);
	}
}

static void totals(const struct view_index *index)
{
	struct text out = TEXT_INIT;
	uint64_t count = 0, total = 0;
	char want[200];

	for (size_t i = 0; i < SPANS; i++) {
		if (spans[i].label == 3 && spans[i].begin >= 500000 && spans[i].begin < 900000) {
			count++;
			total += (uint64_t)(spans[i].end - spans[i].begin);
		}
	}
	CHECK(count > 0);
	CHECK(!select_json(index, 500000, 900000, &out));
	snprintf(want, sizeof(want),
		 "\"name\": \"label-3\", \"calls\": %zu, \"errors\": 0, "
		 "\"total_ns\": %zu,",
		 (size_t)count, (size_t)total);
	CHECK(strstr(out.data, want) != NULL);
	text_free(&out);
}

/* Overlapping spans get packing in which they do not. */
static void depths_part(void)
{
	struct view_row row = {.kind = VIEW_ROW_kernels, .parent = VIEW_NONE};
	struct error error = ERROR_INIT;
	struct index_writer writer;
	struct view_store store;
	struct depth_packing packing = {.row = 0};
	struct track_writer *track;
	uint32_t number;
	static int64_t ends[DEPTHS_MOST];

	CHECK(!view_store_create(&store, ".", &error));
	index_writer_init(&writer, &store);
	CHECK(!index_writer_row(&writer, &row, &number));
	for (int64_t now = 0; now < 20000; now += 7) {
		int64_t end = now + (int64_t)(next_random() % 60);

		CHECK(!depth_packing_pick(&packing, &writer, now, end, &track));
		CHECK(track->number < DEPTHS_MOST && ends[track->number] <= now);
		ends[track->number] = end;
	}
	CHECK(packing.count > 3 && packing.count < 12);
	/* More at once than there are packing: the last one takes them. */
	for (int i = 0; i < 100; i++)
		CHECK(!depth_packing_pick(&packing, &writer, 30000, 40000, &track));
	CHECK(packing.count == DEPTHS_MOST && track == packing.tracks[DEPTHS_MOST - 1]);
	index_writer_free(&writer);
	view_store_close(&store);
}

/* A label's kind is an index of lists: one that is none is refused. */
static void kinds_are_known(const struct view_index *index)
{
	size_t at = index->header->sections[VIEW_SECTION_labels].offset +
		    offsetof(struct view_label, kind);
	int fd = open("damaged", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint8_t kind = VIEW_SPAN_COUNT;
	struct view_index damaged;

	CHECK(write(fd, index->data, index->bytes) == (ssize_t)index->bytes);
	CHECK(!view_index_map(&damaged, fd, fingerprint));
	view_index_close(&damaged);
	CHECK(pwrite(fd, &kind, 1, (off_t)at) == 1);
	CHECK(view_index_map(&damaged, fd, fingerprint) == -ESTALE);
	close(fd);
}

/* Any change to what the index says of itself is refused or harmless: the
 * sanitizers watch. */
static void damage_is_harmless(const struct view_index *index)
{
	size_t bytes = index->bytes, body = index->header->sections[VIEW_SECTION_chunks].offset;
	uint8_t *copy = malloc(bytes);
	struct view_index damaged;
	int refused = 0;

	memcpy(copy, index->data, bytes);
	for (int round = 0; round < 300; round++) {
		uint64_t r = next_random();
		/* The header, or the sections: items are only numbers. */
		size_t at =
			r % 2 ? r / 2 % sizeof(struct view_header) : body + r / 2 % (bytes - body);
		uint8_t was = copy[at];
		struct text out = TEXT_INIT;
		int fd = open("damaged", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		copy[at] ^= (uint8_t)(1u << (r >> 60));
		CHECK(write(fd, copy, bytes) == (ssize_t)bytes);
		copy[at] = was;
		if (view_index_map(&damaged, fd, fingerprint)) {
			refused++;
		} else {
			for (uint32_t i = 0; i < damaged.tracks_count; i++)
				view_tile_add(&damaged, i, 20, 0, &out);
			view_index_text(&damaged, damaged.rows[0].name);
			CHECK(!select_json(&damaged, 0, 1000000, &out));
			CHECK(!ask_all(&damaged, &out));
			view_index_close(&damaged);
		}
		text_free(&out);
		close(fd);
	}
	CHECK(refused > 50);
	/* Cut off at any place, or of another trace. */
	CHECK(!truncate("timeline.index", (off_t)bytes - 9));
	free(copy);
}

static void cut_is_refused(void)
{
	struct view_index index;
	int fd = open("timeline.index", O_RDONLY | O_CLOEXEC);

	CHECK(view_index_map(&index, fd, fingerprint) == -ESTALE);
	close(fd);
}

int main(void)
{
	struct view_index index;
	char folder[] = "/tmp/tandem-unit-view.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	make_spans();
	build(&index);
	CHECK(index.rows_count == 1 && index.tracks_count == 3);
	tiles_hold_all(&index);
	samples_have_their_bins(&index);
	samples_are_summed(&index);
	threads_are_ordered();
	counter_tiles(&index);
	overlaps(&index);
	searches(&index);
	totals(&index);
	depths_part();
	kinds_are_known(&index);
	damage_is_harmless(&index);
	cut_is_refused();
	view_index_close(&index);
	unlink("timeline.index");
	unlink("damaged");
	rmdir(folder);
	return check_status();
}
