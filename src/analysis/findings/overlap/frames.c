/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/overlap/schedule.h"
#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer frames are no habit; in a shorter stretch most is its begin and its end. */
#define FRAMES_LEAST 8u
#define STRETCH_FRAMES 3u

/* A frame of more commands is none. */
#define FRAME_COMMANDS 256u

/* Less of the run is not worth a change of the program. */
#define GAIN_LEAST 0.03

/* Another queue carries some of the work already if it has this part of this one's time. */
#define OTHERS_PART 0.25

/* In the order of a frame. */
enum phase { TO_DEVICE, COMPUTE, TO_HOST };

struct frames_used {
	uint64_t keys[SCHEDULE_USED_MOST];
	unsigned count;
	uint32_t next_free; /* + 1 */
};

struct frame_command {
	struct schedule_command scheduled;
	enum phase phase;
};

/* What makes two frames alike, and the buffers that they move. */
struct frame_kind {
	uint64_t hash;
	uint64_t buffers[SCHEDULE_USED_MOST];
	unsigned buffer_count;
};

struct frames_queue {
	uint32_t process, device, number, stream;
	uint64_t busy_ns; /* of all its commands */
	int64_t latest_end_ns;
	struct frame_command *frame;
	size_t frame_count, frame_capacity;
	struct frame_kind kind, before; /* of this frame, without its buffers, and of the latest */
	struct schedule schedule;
	/* The stretch that goes on: */
	bool begun;
	int64_t begin_ns;
	uint64_t from_ns; /* in the schedule */
	uint64_t stretch_frames;
	/* All stretches: */
	uint64_t frames, took_ns, remains_ns, longest_ns;
	bool assumed; /* what kernels use, of some frames */
	int64_t longest_begin_ns, longest_end_ns;
};

static uint64_t hash_step(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x100000001B3);
}

static int keep_used(struct frames *frames, uint64_t op, const struct frames_used *used)
{
	uint32_t index = frames->free_used - 1;

	if (frames->free_used) {
		frames->free_used = frames->used[index].next_free;
	} else {
		if (array_reserve(&frames->used, &frames->used_capacity, frames->used_count + 1,
				  sizeof(*frames->used)))
			return -ENOMEM;
		index = (uint32_t)frames->used_count++;
	}
	frames->used[index] = *used;
	return map_set(&frames->used_of, op, index);
}

static int note_enqueue(struct frames *frames, const struct trace_event *event)
{
	uint32_t process = event->stream->process->index;
	uint64_t op = operation_key(process, trace_event_op(event));
	struct used_memory_list list;
	struct transfer_ends ends;
	struct frames_used used = {.count = 0};

	/* Of a place in memory that lies at addresses it is not known which kernels use it: it is told from
	 * others of the same allocation. */
	if (transfer_ends_find(event, &ends) && ends.is_address)
		return map_set(&frames->one_of, op, ends.buffer & INT64_MAX);
	used_memory_find(frames->memory, event, &list);
	if (list.unknown)
		return 0;
	for (unsigned i = 0; i < list.count; i++)
		used.keys[used.count++] = (uint64_t)process << 32 | list.whole[i];
	if (used.count < 2)
		return used.count ? map_set(&frames->one_of, op, used.keys[0] & INT64_MAX) : 0;
	return keep_used(frames, op, &used);
}

/* What a command uses, which is asked once; nothing where it is not known. */
static void take_used(struct frames *frames, const struct operation *operation,
		      struct schedule_command *command)
{
	uint64_t op = operation_key(operation->process, operation->op);
	uint64_t known = map_remove(&frames->one_of, op);
	struct frames_used *used;

	if (known != MAP_NONE) {
		command->used[0] = known;
		command->used_count = 1;
		return;
	}
	known = map_remove(&frames->used_of, op);
	if (known == MAP_NONE)
		return;
	used = &frames->used[known];
	memcpy(command->used, used->keys, used->count * sizeof(*used->keys));
	command->used_count = used->count;
	used->next_free = frames->free_used;
	frames->free_used = (uint32_t)known + 1;
}

static bool holds(const uint64_t *keys, unsigned count, uint64_t key)
{
	for (unsigned i = 0; i < count; i++) {
		if (keys[i] == key)
			return true;
	}
	return false;
}

/* The frame's buffers. False: there are too many, or one is not known. */
static bool find_buffers(struct frames_queue *queue)
{
	struct frame_kind *kind = &queue->kind;

	for (size_t i = 0; i < queue->frame_count; i++) {
		const struct frame_command *command = &queue->frame[i];

		if (command->phase == COMPUTE)
			continue;
		if (command->scheduled.used_count != 1)
			return false;
		if (holds(kind->buffers, kind->buffer_count, command->scheduled.used[0]))
			continue;
		if (kind->buffer_count == SCHEDULE_USED_MOST)
			return false;
		kind->buffers[kind->buffer_count++] = command->scheduled.used[0];
	}
	return true;
}

static bool has(const struct frames_queue *queue, enum phase phase)
{
	for (size_t i = 0; i < queue->frame_count; i++) {
		if (queue->frame[i].phase == phase)
			return true;
	}
	return false;
}

/* Whether it is like the one before and is given other buffers; without transfers to the device,
 * whether others are read. */
static bool takes_turn(const struct frames_queue *queue)
{
	enum phase phase = has(queue, TO_DEVICE) ? TO_DEVICE : TO_HOST;

	if (queue->kind.hash != queue->before.hash)
		return false;
	for (size_t i = 0; i < queue->frame_count; i++) {
		const struct frame_command *command = &queue->frame[i];

		if (command->phase == phase &&
		    !holds(queue->before.buffers, queue->before.buffer_count,
			   command->scheduled.used[0]))
			return true;
	}
	return false;
}

static bool is_known(const struct frames_queue *queue)
{
	for (size_t i = 0; i < queue->frame_count; i++) {
		if (!queue->frame[i].scheduled.used_count)
			return false;
	}
	return true;
}

/* Kernels of which it is not known what they use. */
static void assume_used(struct frames_queue *queue)
{
	for (size_t i = 0; i < queue->frame_count; i++) {
		struct schedule_command *command = &queue->frame[i].scheduled;

		if (queue->frame[i].phase != COMPUTE)
			continue;
		memcpy(command->used, queue->kind.buffers, sizeof(queue->kind.buffers));
		command->used_count = queue->kind.buffer_count;
	}
}

static int end_frame(struct frames_queue *queue)
{
	bool known = is_known(queue), found = find_buffers(queue), apart, frame;
	int status = 0;

	if (!queue->frame_count)
		return 0;
	frame = has(queue, TO_DEVICE) + has(queue, COMPUTE) + has(queue, TO_HOST) > 1;
	apart = queue->frame_count <= FRAME_COMMANDS && (known || (found && takes_turn(queue)));
	if (apart && !known)
		assume_used(queue);
	if (apart && frame) {
		queue->stretch_frames++;
		queue->assumed |= !known;
	}
	for (size_t i = 0; !status && i < queue->frame_count; i++) {
		if (!apart)
			schedule_fence(&queue->schedule);
		status = schedule_add(&queue->schedule, &queue->frame[i].scheduled);
	}
	if (!apart && !found)
		schedule_fence(&queue->schedule);
	queue->before = queue->kind;
	queue->kind = (struct frame_kind){.hash = 0};
	queue->frame_count = 0;
	return status;
}

static int end_stretch(struct frames_queue *queue)
{
	uint64_t ns = (uint64_t)(queue->latest_end_ns - queue->begin_ns);
	int status = end_frame(queue);

	if (!queue->begun || status)
		return status;
	if (queue->stretch_frames >= STRETCH_FRAMES) {
		queue->frames += queue->stretch_frames;
		queue->took_ns += ns;
		queue->remains_ns += queue->schedule.end_ns - queue->from_ns;
		if (ns > queue->longest_ns) {
			queue->longest_ns = ns;
			queue->longest_begin_ns = queue->begin_ns;
			queue->longest_end_ns = queue->latest_end_ns;
		}
	}
	queue->begun = false;
	return 0;
}

static void begin_stretch(struct frames_queue *queue, int64_t begin_ns)
{
	schedule_fence(&queue->schedule);
	queue->begun = true;
	queue->begin_ns = begin_ns;
	queue->from_ns = queue->schedule.end_ns;
	queue->stretch_frames = 0;
}

static struct frames_queue *queue_find(struct frames *frames, const struct operation *operation)
{
	const struct frames_queue fresh = {.process = operation->process,
					   .device = operation->device,
					   .number = operation->queue_number,
					   .latest_end_ns = INT64_MIN};
	uint64_t key = (uint64_t)operation->process << 32 | operation->queue_number;

	return keyed_row(&frames->queue_of, key, &frames->queues, &frames->capacity, &frames->count,
			 &fresh, sizeof(fresh));
}

static enum replay_engine engine_of(enum phase phase)
{
	return phase == TO_DEVICE ? REPLAY_TO_DEVICE
	       : phase == TO_HOST ? REPLAY_TO_HOST
				  : REPLAY_COMPUTE;
}

static int add_command(struct frames_queue *queue, const struct operation *operation,
		       enum phase phase, const struct schedule_command *used)
{
	int64_t start_ns = operation->times.start_ns, end_ns = operation->times.end_ns;
	struct frame_command *command;
	int status = 0;

	if (!queue->begun || operation->times.queued_ns >= queue->latest_end_ns) {
		status = end_stretch(queue);
		begin_stretch(queue, start_ns);
		queue->latest_end_ns = start_ns;
	} else if (queue->frame_count && phase < queue->frame[queue->frame_count - 1].phase) {
		status = end_frame(queue);
	}
	if (status || array_reserve(&queue->frame, &queue->frame_capacity, queue->frame_count + 1,
				    sizeof(*queue->frame)))
		return -ENOMEM;
	command = &queue->frame[queue->frame_count++];
	*command = (struct frame_command){.phase = phase, .scheduled = *used};
	command->scheduled.engine = engine_of(phase);
	command->scheduled.queued_ns = operation->times.queued_ns;
	command->scheduled.end_ns = end_ns;
	if (start_ns > queue->latest_end_ns)
		command->scheduled.gap_ns = (uint64_t)(start_ns - queue->latest_end_ns);
	else
		start_ns = queue->latest_end_ns;
	command->scheduled.run_ns = (uint64_t)(end_ns - start_ns);
	queue->kind.hash = hash_step(queue->kind.hash, phase + 1);
	queue->kind.hash = hash_step(queue->kind.hash, phase == COMPUTE ? (uintptr_t)operation->name
									: operation->record->bytes);
	queue->latest_end_ns = end_ns;
	queue->stream = operation->stream;
	/* It is none: what comes is another one, in order behind this. */
	return queue->frame_count > FRAME_COMMANDS ? end_frame(queue) : 0;
}

static int note_operation(struct frames *frames, struct findings *findings,
			  const struct operation *operation)
{
	const struct devices *devices = &findings->iterator->devices;
	struct schedule_command command = {.used_count = 0};
	struct frames_queue *queue;
	enum phase phase = COMPUTE;

	take_used(frames, operation, &command);
	if (!operation->placed || !operation->record || operation->queue == TRACE_NONE ||
	    operation->stream == TRACE_NONE ||
	    devices_taken_part(&devices->rows[operation->device]) > 0)
		return 0;
	queue = queue_find(frames, operation);
	if (!queue)
		return -ENOMEM;
	/* Recorded late: it ended before one that came earlier. */
	if (operation->times.end_ns <= queue->latest_end_ns)
		return 0;
	queue->busy_ns += (uint64_t)(operation->times.end_ns - operation->times.start_ns);
	switch (operation->kind) {
	case TANDEM_OPERATION_KIND_barrier:
	case TANDEM_OPERATION_KIND_marker:
		return 0;
	case TANDEM_OPERATION_KIND_copy_h2d:
		phase = TO_DEVICE;
		break;
	case TANDEM_OPERATION_KIND_copy_d2h:
		phase = TO_HOST;
		break;
	case TANDEM_OPERATION_KIND_kernel:
	case TANDEM_OPERATION_KIND_copy_d2d:
	case TANDEM_OPERATION_KIND_fill:
		break;
	default:
		return end_stretch(queue);
	}
	if (!devices->objects.queues[operation->queue].in_order)
		return 0;
	return add_command(queue, operation, phase, &command);
}

static int note_call(struct frames *frames, const struct event_item *item)
{
	const struct trace_event *event = item->event;

	switch (event->layout->event->class) {
	case TANDEM_CLASS_WAIT:
	case TANDEM_CLASS_ENQUEUE:
		break;
	default:
		return 0;
	}
	if (item->end_ns > event->ns && trace_event_blocks(event))
		frames->wait_ns[event->stream->index] += (uint64_t)(item->end_ns - event->ns);
	return trace_event_op(event) && !trace_event_failed(event) ? note_enqueue(frames, event)
								   : 0;
}

int frames_init(struct frames *frames, const struct trace_session *session,
		const struct used_memory *memory)
{
	memset(frames, 0, sizeof(*frames));
	frames->memory = memory;
	frames->wait_ns = calloc(session->stream_count + 1, sizeof(*frames->wait_ns));
	return frames->wait_ns ? 0 : -ENOMEM;
}

int frames_item(struct frames *frames, struct findings *findings, const struct event_item *item)
{
	if (item->kind == ITEM_OPERATION)
		return note_operation(frames, findings, &item->operation);
	return item->kind == ITEM_CALL ? note_call(frames, item) : 0;
}

static bool is_alone(const struct frames *frames, const struct frames_queue *queue)
{
	for (size_t i = 0; i < frames->count; i++) {
		const struct frames_queue *other = &frames->queues[i];

		if (other != queue && other->process == queue->process &&
		    other->device == queue->device &&
		    (double)other->busy_ns > OTHERS_PART * (double)queue->busy_ns)
			return false;
	}
	return true;
}

static bool is_reported(const struct findings *findings, const struct frames_queue *queue)
{
	uint64_t pid = findings_pid(findings, queue->stream);

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (!strcmp(finding->name, "overlap") && finding->pid == pid &&
		    finding->queue == queue->number)
			return true;
	}
	return false;
}

/* The host's own work takes as long as it did. */
static uint64_t saved_ns(const struct frames *frames, const struct frames_queue *queue)
{
	uint64_t saved_ns =
		queue->took_ns > queue->remains_ns ? queue->took_ns - queue->remains_ns : 0;
	uint64_t wait_ns = frames->wait_ns[queue->stream];

	return saved_ns < wait_ns ? saved_ns : wait_ns;
}

static int add_queue(struct findings *findings, const struct frames_queue *queue, uint64_t ns)
{
	const char *word = findings_domain(findings, queue->device)->queue;
	char now[UNITS_BYTES], then[UNITS_BYTES], count[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "overlap", "one-queue");

	if (!finding)
		return -ENOMEM;
	finding->count = queue->frames;
	finding->cost_ns = ns;
	finding->queue = queue->number;
	finding_device(findings, finding, queue->device);
	finding->what = findings_text(
		findings,
		"transfers and kernels are serialised on one %s, though each was enqueued before "
		"the one before it ended: %s frames of them took %s; with %ss of their own for "
		"transfers they would take about %s",
		word, units_count(count, queue->frames), units_ns(now, (double)queue->took_ns),
		word, units_ns(then, (double)(queue->took_ns - ns)));
	finding->confidence = queue->assumed ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
	finding->why =
		queue->assumed
			? "successive frames move different buffers in turn; that kernels use only "
			  "those of their own frame is assumed, and that the device has an engine "
			  "for kernels and one for transfers of each direction"
			: "by the memory objects that each command was given; that the device has "
			  "an engine for kernels and one for transfers of each direction is "
			  "assumed";
	finding->suggestion = findings_text(
		findings,
		"enqueue the transfers of each direction to a %s of its own, and let events order "
		"them with the kernels of the same frame",
		word);
	finding_place(findings, finding, queue->stream);
	finding_time(findings, finding, queue->longest_begin_ns, queue->longest_end_ns);
	return 0;
}

int frames_add(struct frames *frames, struct findings *findings)
{
	int status = 0;

	for (size_t i = 0; !status && i < frames->count; i++) {
		struct frames_queue *queue = &frames->queues[i];
		uint64_t ns;

		status = end_stretch(queue);
		if (status || queue->frames < FRAMES_LEAST)
			continue;
		ns = saved_ns(frames, queue);
		if ((double)ns >= GAIN_LEAST * (double)findings->duration_ns &&
		    is_alone(frames, queue) && !is_reported(findings, queue))
			status = add_queue(findings, queue, ns);
	}
	return status;
}

void frames_free(struct frames *frames)
{
	for (size_t i = 0; i < frames->count; i++) {
		free(frames->queues[i].frame);
		schedule_free(&frames->queues[i].schedule);
	}
	free(frames->queues);
	free(frames->used);
	free(frames->wait_ns);
	map_free(&frames->queue_of);
	map_free(&frames->one_of);
	map_free(&frames->used_of);
}
