/* SPDX-License-Identifier: MIT */
#include "view/rows/threads/thread_order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A thread that ran for a smaller part of the time, 1 / IDLE_PART, is idle. */
#define IDLE_PART 100u

/* So few are no crowd. */
#define IDLE_LEAST 2u

enum thread_rank { RANK_MAIN, RANK_LAUNCHES, RANK_CALLS, RANK_OTHER };

struct thread_activity { /* of one row */
	uint64_t calls;	 /* and ranges */
	uint64_t launches, running_ns, samples;
};

static void add_stats(const struct index_writer *writer, const struct track_writer *track,
		      struct thread_activity *activity)
{
	for (size_t i = 0; i < track->stat_count; i++) {
		const struct view_stat *stat = &track->stats[i];
		uint8_t kind = writer->labels[stat->label].kind;

		if (kind == VIEW_SPAN_running)
			activity->running_ns += stat->total_ns;
		if (kind == VIEW_SPAN_enqueue || kind == VIEW_SPAN_blocking)
			activity->launches += stat->count;
		if (view_span_group(kind) == VIEW_GROUP_call ||
		    view_span_group(kind) == VIEW_GROUP_range)
			activity->calls += stat->count;
	}
	if (track->type == VIEW_TRACK_samples)
		activity->samples += track->items;
}

static int sum_activities(const struct index_writer *writer, struct thread_activity *activities)
{
	int status = 0;

	for (size_t i = 0; i < writer->track_count && !status; i++) {
		struct track_writer *track = writer->tracks[i];

		if (track->row == VIEW_NONE || writer->rows[track->row].kind != VIEW_ROW_thread)
			continue;
		status = track_writer_close(track);
		if (!status)
			add_stats(writer, track, &activities[track->row]);
	}
	return status;
}

static void set_rank(const struct index_writer *writer, struct view_row *row,
		     const struct thread_activity *activity)
{
	bool main = row->number == writer->rows[row->parent].number;

	row->marks = (uint8_t)((main ? VIEW_MARK_main : 0) |
			       (activity->launches ? VIEW_MARK_launches : 0));
	row->rank = main		 ? RANK_MAIN
		    : activity->launches ? RANK_LAUNCHES
		    : activity->calls	 ? RANK_CALLS
					 : RANK_OTHER;
}

static bool is_idle(const struct view_row *row, const struct thread_activity *activity,
		    uint64_t sample_period_ns, uint64_t end_ns)
{
	uint64_t ran_ns = activity->samples * sample_period_ns;

	if (ran_ns < activity->running_ns)
		ran_ns = activity->running_ns;
	return row->kind == VIEW_ROW_thread && row->rank == RANK_OTHER &&
	       ran_ns < end_ns / IDLE_PART;
}

static int fold_idle(struct index_writer *writer, uint32_t process, uint32_t count,
		     const uint8_t *idle)
{
	struct view_row group = {
		.kind = VIEW_ROW_idle,
		.parent = process,
		.process = writer->rows[process].process,
		.stream = VIEW_NONE,
		.device = VIEW_NONE,
	};
	size_t rows = writer->row_count;
	char name[32];
	uint32_t made;
	int status;

	snprintf(name, sizeof(name), "%" PRIu32 " idle threads", count);
	status = index_writer_name(writer, name, &group.name);
	if (!status)
		status = index_writer_name(
			writer, "made no API calls and ran for less than 1 % of the time",
			&group.note);
	if (!status)
		status = index_writer_row(writer, &group, &made);
	for (size_t i = 0; i < rows && !status; i++)
		if (idle[i] && writer->rows[i].parent == process)
			writer->rows[i].parent = made;
	return status;
}

static int fold_all(struct index_writer *writer, const struct thread_activity *activities,
		    uint64_t sample_period_ns, uint64_t end_ns)
{
	size_t rows = writer->row_count;
	uint32_t *counts = calloc(rows + 1, sizeof(*counts));
	uint8_t *idle = calloc(rows + 1, 1);
	int status = counts && idle ? 0 : -ENOMEM;

	for (size_t i = 0; i < rows && !status; i++) {
		const struct view_row *row = &writer->rows[i];

		idle[i] = is_idle(row, &activities[i], sample_period_ns, end_ns);
		if (idle[i])
			counts[row->parent]++;
	}
	for (size_t i = 0; i < rows && !status; i++)
		if (counts[i] >= IDLE_LEAST)
			status = fold_idle(writer, (uint32_t)i, counts[i], idle);
	free(counts);
	free(idle);
	return status;
}

int thread_order_finish(struct index_writer *writer, uint64_t sample_period_ns, uint64_t end_ns)
{
	struct thread_activity *activities = calloc(writer->row_count + 1, sizeof(*activities));
	int status = activities ? sum_activities(writer, activities) : -ENOMEM;

	for (size_t i = 0; i < writer->row_count && !status; i++)
		if (writer->rows[i].kind == VIEW_ROW_thread)
			set_rank(writer, &writer->rows[i], &activities[i]);
	if (!status)
		status = fold_all(writer, activities, sample_period_ns, end_ns);
	free(activities);
	return status;
}
