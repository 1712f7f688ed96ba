/* SPDX-License-Identifier: MIT */
#include "analysis/profile/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/kernel_records.h"
#include "util/array.h"
#include "util/keyed_row.h"

void samples_init(struct samples *samples, samples_fn *on_sample, void *user)
{
	*samples = (struct samples){.on_sample = on_sample, .user = user, .range = RANGE_WHOLE};
}

void samples_free(struct samples *samples)
{
	unwind_destroy(samples->unwind);
	symbols_destroy(samples->symbols);
	address_spaces_free(&samples->address_spaces);
	intern_free(&samples->names);
	free(samples->frames);
	free(samples->nodes);
	map_free(&samples->by_name);
	map_free(&samples->by_place);
	map_free(&samples->by_child);
	samples_init(samples, NULL, NULL);
}

const char *samples_name(const struct samples *samples, uint32_t frame)
{
	return intern_text(&samples->names, samples->frames[frame].name);
}

const char *samples_file(const struct samples *samples, uint32_t frame)
{
	return intern_text(&samples->names, samples->frames[frame].file);
}

static int frame_get(struct samples *samples, const char *name, bool named, const char *path,
		     uint32_t *frame)
{
	struct samples_frame fresh = {.named = named};
	const struct samples_frame *row;

	if (intern_add(&samples->names, name, strlen(name), &fresh.name) ||
	    intern_add(&samples->names, path, strlen(path), &fresh.file))
		return -ENOMEM;
	row = keyed_row(&samples->by_name, (uint64_t)fresh.file << 32 | fresh.name,
			&samples->frames, &samples->frame_capacity, &samples->frame_count, &fresh,
			sizeof(fresh));
	if (!row)
		return -ENOMEM;
	*frame = (uint32_t)(row - samples->frames);
	return 0;
}

/* What has no name is named by its file, so that its cost can be seen. */
static int frame_at(struct samples *samples, const struct space *space, uint64_t address,
		    uint32_t *frame)
{
	const struct space_mapping *mapping = address_space_find(space, address);
	const struct mapped_file *file;
	const char *name, *slash;
	uint64_t offset, key, known;
	char place[300];
	int status;

	if (!mapping)
		return frame_get(samples, "[unknown]", false, "", frame);
	file = &samples->address_spaces.files[mapping->file];
	offset = address - mapping->start + mapping->offset;
	key = (uint64_t)mapping->file << 40 ^ offset;
	known = map_get(&samples->by_place, key);
	if (known != MAP_NONE) {
		*frame = (uint32_t)known;
		return 0;
	}
	name = symbols_find(samples->symbols, file, offset);
	if (!*name) {
		slash = strrchr(file->path, '/');
		snprintf(place, sizeof(place), *file->path == '[' ? "%s" : "[%s]",
			 slash && slash[1] ? slash + 1 : file->path);
	}
	status = frame_get(samples, *name ? name : place, *name != '\0', file->path, frame);
	return status ? status : map_set(&samples->by_place, key, *frame);
}

static int node_get(struct samples *samples, uint32_t parent, uint32_t frame, uint32_t *node)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	const struct samples_node fresh = {.parent = parent, .frame = frame};
	const struct samples_node *row =
		keyed_row(&samples->by_child, key, &samples->nodes, &samples->node_capacity,
			  &samples->node_count, &fresh, sizeof(fresh));

	if (!row)
		return -ENOMEM;
	*node = (uint32_t)(row - samples->nodes);
	return 0;
}

static int begin(struct samples *samples)
{
	if (samples->node_count)
		return 0;
	samples->symbols = symbols_create();
	samples->unwind = unwind_create(samples->symbols);
	if (array_reserve(&samples->nodes, &samples->node_capacity, 1, sizeof(*samples->nodes)))
		return -ENOMEM;
	samples->nodes[samples->node_count++] = (struct samples_node){.parent = 0};
	return 0;
}

static int take(struct samples *samples, struct space *space, const uint64_t *frames, size_t count,
		struct samples_sample *sample)
{
	uint32_t frame;
	int status = 0;

	if (!range_holds(&samples->range, sample->ns))
		return 0;
	/* A thread that is about to end, or of which the kernel told nothing. */
	if (!count)
		status = frame_get(samples, "[no stack]", false, "", &frame)
				 ?: node_get(samples, 0, frame, &sample->node);
	for (size_t i = count; i && !status; i--) {
		/* Of a caller the place is behind the call: the call itself counts. */
		uint64_t address = frames[i - 1] - (i > 1);

		/* What lies nowhere is what frame pointers found in code without them. */
		if (i > 1 && !address_space_find(space, address))
			continue;
		status = frame_at(samples, space, address, &frame);
		if (!status)
			status = node_get(samples, sample->node, frame, &sample->node);
	}
	if (status)
		return status;
	samples->count++;
	samples->in_kernel += sample->in_kernel;
	samples->without += !count;
	samples->nodes[sample->node].self++;
	return samples->on_sample ? samples->on_sample(samples->user, sample) : 0;
}

static int take_frames(struct samples *samples, const struct trace_event *event)
{
	const struct tandem_kernel_sample *record = (const void *)event->record;
	struct space *space = address_spaces_get(&samples->address_spaces, record->pid);
	size_t count =
		record->frames_count < SAMPLES_DEEPEST ? record->frames_count : SAMPLES_DEEPEST;
	struct samples_sample sample = {.pid = record->pid,
					.tid = record->local_tid,
					.cpu = event->tid,
					.in_kernel = record->in_kernel,
					.period_ns = samples->period_ns,
					.ns = event->ns};
	uint64_t frames[SAMPLES_DEEPEST];

	memcpy(frames, record + 1, count * sizeof(*frames));
	return space ? take(samples, space, frames, count, &sample) : -ENOMEM;
}

static int take_stack(struct samples *samples, const struct trace_event *event)
{
	const struct tandem_kernel_sample_stack *record = (const void *)event->record;
	struct space *space = address_spaces_get(&samples->address_spaces, record->pid);
	struct samples_sample sample = {.pid = record->pid,
					.tid = record->local_tid,
					.cpu = event->tid,
					.in_kernel = record->in_kernel,
					.period_ns = samples->period_ns,
					.ns = event->ns};
	const uint8_t *content = (const uint8_t *)(record + 1);
	uint64_t frames[SAMPLES_DEEPEST];
	struct unwind_stack stack;
	size_t count = 0;

	if (!space)
		return -ENOMEM;
	if (record->registers_count == sizeof(stack.registers) / sizeof(*stack.registers)) {
		memcpy(stack.registers, content, sizeof(stack.registers));
		stack.bytes = content + sizeof(stack.registers);
		stack.count = record->stack_count;
		count = unwind_frames(samples->unwind, &samples->address_spaces, space, &stack,
				      frames, SAMPLES_DEEPEST);
	}
	return take(samples, space, frames, count, &sample);
}

int samples_consume(struct samples *samples, const struct trace_event *event)
{
	int status;

	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_sampling:
		samples->period_ns =
			((const struct tandem_kernel_sampling *)(const void *)event->record)
				->period_ns;
		return begin(samples);
	case TANDEM_KERNEL_EVENT_sample:
	case TANDEM_KERNEL_EVENT_sample_stack:
		status = begin(samples);
		if (status)
			return status;
		return event->record->id == TANDEM_KERNEL_EVENT_sample ? take_frames(samples, event)
								       : take_stack(samples, event);
	default:
		/* Nothing is mapped before it is said that there will be samples, but for
		 * what the kernel told first of all. */
		return address_spaces_consume(&samples->address_spaces, event);
	}
}

size_t samples_stack(const struct samples *samples, uint32_t node, uint32_t *frames, size_t room)
{
	size_t count = 0;

	for (; node && count < room; node = samples->nodes[node].parent)
		frames[count++] = samples->nodes[node].frame;
	return count;
}
