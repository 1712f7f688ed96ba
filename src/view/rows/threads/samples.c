/* SPDX-License-Identifier: MIT */
#include "view/rows/threads/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static int thread_get(struct view_samples *samples, const struct samples_sample *sample,
		      struct view_sampled **thread)
{
	uint64_t key = (uint64_t)sample->pid << 32 | sample->tid;
	uint64_t index = map_get(&samples->by_tid, key);
	struct view_sampled fresh = {.pid = sample->pid,
				     .tid = sample->tid,
				     .last_ns = INT64_MIN,
				     .name = VIEW_NONE,
				     .process_name = VIEW_NONE};

	if (index == MAP_NONE) {
		index = samples->count;
		if (index_writer_track(samples->writer, VIEW_NONE, VIEW_TRACK_samples,
				       &fresh.track) ||
		    array_reserve(&samples->threads, &samples->capacity, index + 1,
				  sizeof(*samples->threads)) ||
		    map_set(&samples->by_tid, key, index))
			return -ENOMEM;
		fresh.track->refs_kind = VIEW_REFS_sample;
		samples->threads[samples->count++] = fresh;
	}
	*thread = &samples->threads[index];
	return 0;
}

static void find_name(const struct view_samples *samples, struct view_sampled *thread)
{
	const struct states_thread *task = states_find(samples->states, thread->tid);

	if (!task)
		return;
	thread->name = task->name;
	thread->process_name = states_process_name(samples->states, task);
}

static const char *name_of(const struct view_samples *samples, uint32_t name)
{
	return name == VIEW_NONE ? "" : intern_text(&samples->states->names, name);
}

/* By the name of a function. */
static int label_of(struct view_samples *samples, uint32_t frame, uint32_t *label)
{
	size_t known = samples->labels_capacity;
	int status = 0;

	if (array_reserve(&samples->labels, &samples->labels_capacity, (size_t)frame + 1,
			  sizeof(*samples->labels)))
		return -ENOMEM;
	if (known < samples->labels_capacity)
		memset(samples->labels + known, 0,
		       (samples->labels_capacity - known) * sizeof(*samples->labels));
	if (!samples->labels[frame]) {
		status = index_writer_label(samples->writer, samples_name(&samples->samples, frame),
					    VIEW_SPAN_sample, 0, &samples->labels[frame]);
		samples->labels[frame]++;
	}
	*label = samples->labels[frame] - 1;
	return status;
}

static int on_sample(void *samples_of, const struct samples_sample *sample)
{
	struct view_samples *samples = samples_of;
	int64_t at_ns = sample->ns - samples->session->start_ns;
	struct view_sampled *thread;
	uint32_t label;
	int status = thread_get(samples, sample, &thread);

	if (!status)
		status = label_of(samples, samples->samples.nodes[sample->node].frame, &label);
	if (status)
		return status;
	find_name(samples, thread);
	/* CPUs' clocks may differ by some ns, and a thread changes its CPU. */
	if (at_ns < thread->last_ns)
		at_ns = thread->last_ns;
	thread->last_ns = at_ns;
	return track_writer_ref(thread->track, at_ns, at_ns, label,
				sample->node * 2 + sample->in_kernel);
}

void view_samples_init(struct view_samples *samples, struct index_writer *writer,
		       const struct states *states, struct trace_session *session)
{
	memset(samples, 0, sizeof(*samples));
	samples->writer = writer;
	samples->session = session;
	samples->states = states;
	samples_init(&samples->samples, on_sample, samples);
}

int view_samples_event(struct view_samples *samples, const struct trace_event *event)
{
	return samples_consume(&samples->samples, event);
}

static int write_stacks(struct view_samples *samples)
{
	const struct samples *taken = &samples->samples;
	int status = 0;

	for (uint32_t i = 0; i < taken->frame_count && !status; i++)
		status = index_writer_frame(samples->writer, samples_name(taken, i),
					    samples_file(taken, i));
	for (uint32_t i = 0; i < taken->node_count && !status; i++)
		status = index_writer_stack(samples->writer, taken->nodes[i].parent,
					    taken->nodes[i].frame);
	samples->writer->sample_period_ns = taken->period_ns;
	return status;
}

int view_samples_finish(struct view_samples *samples, struct view_threads *threads)
{
	int status = samples->count ? write_stacks(samples) : 0;

	for (size_t i = 0; i < samples->count && !status; i++) {
		const struct view_sampled *thread = &samples->threads[i];

		if (view_threads_find(threads, thread->pid, thread->tid, &thread->track->row))
			continue;
		status = view_threads_add_process(threads, thread->pid,
						  name_of(samples, thread->process_name));
		if (!status)
			status = view_threads_add(threads, thread->pid, thread->tid,
						  name_of(samples, thread->name),
						  &thread->track->row);
	}
	return status;
}

void view_samples_free(struct view_samples *samples)
{
	samples_free(&samples->samples);
	free(samples->threads);
	free(samples->labels);
	map_free(&samples->by_tid);
	memset(samples, 0, sizeof(*samples));
}
