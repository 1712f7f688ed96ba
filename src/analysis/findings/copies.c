/* SPDX-License-Identifier: MIT */
/* What is moved between host and device more often than once: from one buffer to another by
 * way of the host, data that the device was given before, and transfers of the same buffers
 * again and again that make most of the run. What a transfer costs: exposed.h. Memory grows with
 * buffers and transfers in flight. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/exposed.h"
#include "analysis/findings/finding.h"
#include "analysis/operations/transfer_ends.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 8u

/* Of the time between a process's first command and its last; what is less does not dominate it.
 * How long it took to begin says nothing of that, but what is less than a part of the run is not
 * worth the words. */
#define DOMINATES 0.1
#define DOMINATES_RUN 0.04

struct copy_time {
	uint64_t count, bytes, ns, most_ns; /* most: of one */
	uint64_t moved_ns;		    /* by the device; of a buffer's */
	uint16_t api;			    /* event id of the call */
};

struct copy_buffer {
	uint32_t process;
	struct copy_time to_device, to_host;
	uint64_t inputs;	/* those of the process, at the latest transfer to the host */
	uint64_t offset, bytes; /* written last */
	uint32_t generation;	/* +1: what parts of it were given before is no longer there */
};

struct copy_read { /* the latest transfer of a thread */
	uint64_t buffer, bytes, address;
	uint64_t call;
	bool written;	  /* its content was recorded: it went to the device */
	bool read_before; /* the transfer before it brought as many bytes there */
	uint16_t api;
	bool done; /* it took: */
	uint64_t ns, moved_ns;
};

struct copy_call {	 /* of a transfer in flight */
	uint64_t buffer; /* transfer_ends.h */
	uint64_t pair;	 /* the call of the read that it brings back to the device; 0: none */
	bool unchanged;	 /* the device was given the same before */
	bool changed;	 /* it was not: this is known */
};

struct copy_process {
	struct copy_time by_host, unchanged;
	bool sampled; /* not all bytes of those were compared */
	uint32_t unchanged_stream;
	int64_t unchanged_ns; /* when the first was enqueued */
	uint64_t inputs;      /* transfers that may have brought the device something new */
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the first */
	int64_t kernels_until_ns;
	int64_t first_ns, last_ns; /* of all commands: the first's start, the last's end */
};

struct copies {
	struct map buffer_of; /* transfer_ends.h -> buffer */
	struct copy_buffer *buffers;
	size_t buffer_count, buffer_capacity;
	struct map calls; /* number of a call in flight -> its place in `open` */
	struct copy_call *open;
	size_t open_count, open_capacity;
	struct map contents; /* buffer, bytes and a part of the hash -> hash of what was written */
	struct map read_ns;  /* call of a read that may be one half -> its time */
	struct copy_read *last;		/* by stream */
	struct copy_process *processes; /* by index */
	bool addresses;			/* are recorded */
};

static int copies_begin(struct findings *findings, void *state)
{
	struct copies *copies = state;

	copies->last = calloc(findings->session->stream_count + 1, sizeof(*copies->last));
	copies->processes =
		calloc(findings->session->process_count + 1, sizeof(*copies->processes));
	return copies->last && copies->processes ? 0 : -ENOMEM;
}

static uint64_t field_value(const struct trace_event *event, enum tandem_role role)
{
	const struct tandem_field *field = trace_field_role(event->layout, role);

	return field ? trace_field_unsigned(event, field) : 0;
}

/* Which buffer a call moves, and whether it is what was read from another one before. */
static int note_call(struct copies *copies, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct copy_read *last = &copies->last[event->stream->index];
	struct transfer_ends ends;
	struct copy_call call;
	uint64_t bytes, address;

	/* A kernel between them does not change what the host has. */
	if (!trace_event_op(event) || trace_event_failed(event) ||
	    !transfer_ends_find(event, &ends))
		return 0;
	bytes = field_value(event, TANDEM_ROLE_bytes);
	address = ends.host;
	copies->addresses |= address != 0;
	call.buffer = ends.buffer;
	call.pair = last->call && last->buffer != call.buffer && last->bytes == bytes && bytes &&
				    last->address == address
			    ? last->call
			    : 0;
	call.unchanged = call.changed = false;
	*last = (struct copy_read){call.buffer, bytes, address, item->call,
				   .read_before = last->call && !last->written &&
						  last->bytes == bytes && last->address == address};
	if (array_reserve(&copies->open, &copies->open_capacity, copies->open_count + 1,
			  sizeof(*copies->open)))
		return -ENOMEM;
	if (!copies->calls.count)
		copies->open_count = 0;
	copies->open[copies->open_count] = call;
	return map_set(&copies->calls, item->call, copies->open_count++);
}

static int buffer_find(struct copies *copies, uint64_t key, uint32_t process,
		       struct copy_buffer **buffer)
{
	uint64_t known = map_get(&copies->buffer_of, key);

	if (known == MAP_NONE) {
		known = copies->buffer_count;
		if (array_reserve(&copies->buffers, &copies->buffer_capacity, known + 1,
				  sizeof(*copies->buffers)) ||
		    map_set(&copies->buffer_of, key, known))
			return -ENOMEM;
		copies->buffers[known] = (struct copy_buffer){.process = process};
		copies->buffer_count++;
	}
	*buffer = &copies->buffers[known];
	return 0;
}

static void time_add(struct copy_time *time, uint16_t api, uint64_t bytes, uint64_t ns)
{
	time->api = api;
	time->count++;
	time->bytes += bytes;
	time->ns += ns;
	if (ns > time->most_ns)
		time->most_ns = ns;
}

static void time_move(struct copy_time *time, const struct operation *operation, uint64_t ns)
{
	time_add(time, operation->api, operation->record->bytes, ns);
	time->moved_ns += operation->record->end - operation->record->start;
}

static int count_by_host(struct copies *copies, struct copy_process *process,
			 const struct operation *operation, uint64_t pair, uint64_t ns)
{
	uint64_t read_ns = pair ? map_remove(&copies->read_ns, pair) : MAP_NONE;

	if (operation->kind == TANDEM_OPERATION_KIND_copy_d2h) {
		/* One that nothing followed is forgotten with the next. */
		if (copies->read_ns.count > 4096)
			map_clear(&copies->read_ns);
		return map_set(&copies->read_ns, operation->call, ns);
	}
	if (read_ns == MAP_NONE)
		return 0;
	if (!process->by_host.count) {
		process->stream = operation->stream;
		process->begin_ns = operation->times.start_ns;
		process->end_ns = operation->times.end_ns;
	}
	time_add(&process->by_host, operation->api, operation->record->bytes, ns + read_ns);
	return 0;
}

static int count_command(struct copies *copies, const struct operation *operation)
{
	struct copy_process *process = &copies->processes[operation->process];
	uint64_t at = map_remove(&copies->calls, operation->call), ns;
	struct copy_buffer *buffer;
	struct copy_call call;

	if (!operation->record || !operation->placed)
		return 0;
	if (!process->last_ns || operation->times.start_ns < process->first_ns)
		process->first_ns = operation->times.start_ns;
	if (operation->times.end_ns > process->last_ns)
		process->last_ns = operation->times.end_ns;
	exposed_kernel(&process->kernels_until_ns, operation);
	if (at == MAP_NONE || (operation->kind != TANDEM_OPERATION_KIND_copy_h2d &&
			       operation->kind != TANDEM_OPERATION_KIND_copy_d2h))
		return 0;
	call = copies->open[at];
	ns = exposed_ns(process->kernels_until_ns, operation);
	if (buffer_find(copies, call.buffer, operation->process, &buffer))
		return -ENOMEM;
	if (operation->stream != TRACE_NONE &&
	    copies->last[operation->stream].call == operation->call) {
		copies->last[operation->stream].done = true;
		copies->last[operation->stream].ns = ns;
		copies->last[operation->stream].moved_ns =
			operation->record->end - operation->record->start;
		copies->last[operation->stream].api = operation->api;
	}
	if (call.unchanged)
		time_add(&process->unchanged, operation->api, operation->record->bytes, ns);
	if (operation->kind == TANDEM_OPERATION_KIND_copy_h2d) {
		process->inputs += !call.unchanged;
		if (!call.changed)
			time_move(&buffer->to_device, operation, ns);
	} else if (buffer->inputs == process->inputs || !buffer->inputs) {
		/* Nothing new came since: what is read is on its way to a result. */
		time_move(&buffer->to_host, operation, ns);
	}
	if (operation->kind == TANDEM_OPERATION_KIND_copy_d2h)
		buffer->inputs = process->inputs;
	return count_by_host(copies, process, operation, call.pair, ns);
}

/* Of a part of a buffer so many contents are remembered. */
#define CONTENTS 64u

/* Whether the same bytes were written there before, whatever was written over them since: each
 * could have a buffer of its own. A write of another part that overlaps is the end of that. */
static int find_unchanged(struct copies *copies, uint64_t key, uint32_t process,
			  const struct tandem_rec_content *content, bool *unchanged)
{
	struct copy_buffer *buffer;
	uint64_t part, known, now;

	if (buffer_find(copies, key, process, &buffer))
		return -ENOMEM;
	if ((buffer->offset != content->offset || buffer->bytes != content->bytes) &&
	    buffer->offset < content->offset + content->bytes &&
	    content->offset < buffer->offset + buffer->bytes)
		buffer->generation++;
	buffer->offset = content->offset;
	buffer->bytes = content->bytes;
	part = ((key * UINT64_C(0x9E3779B97F4A7C15) ^ content->offset) *
			UINT64_C(0xFF51AFD7ED558CCD) ^
		content->bytes) |
	       1;
	part = (part ^ content->hash % CONTENTS * UINT64_C(0xC2B2AE3D27D4EB4F)) | 1;
	now = (content->hash + buffer->generation) & ~(UINT64_C(1) << 63);
	known = map_get(&copies->contents, part);
	*unchanged = known == now;
	return map_set(&copies->contents, part, now);
}

/* A transfer that was counted brought something new after all. */
static int time_take_back(struct copies *copies, const struct copy_read *last, uint32_t process,
			  uint64_t bytes)
{
	struct copy_buffer *buffer;

	if (buffer_find(copies, last->buffer, process, &buffer))
		return -ENOMEM;
	buffer->to_device.count--;
	buffer->to_device.bytes -= bytes;
	buffer->to_device.ns -= last->ns;
	buffer->to_device.moved_ns -= last->moved_ns;
	return 0;
}

/* It follows its call, and may come before its command's end or after it. */
static int take_content(struct copies *copies, const struct event_item *item)
{
	const struct tandem_rec_content *content = (const void *)item->event->record;
	uint32_t stream = item->event->stream->index;
	uint32_t process_index = item->event->stream->process->index;
	struct copy_process *process = &copies->processes[process_index];
	struct copy_read *last = &copies->last[stream];
	uint64_t at = map_get(&copies->calls, item->call);
	bool unchanged;

	if (!last->call || last->call != item->call)
		return 0;
	last->written = true;
	if (find_unchanged(copies, last->buffer, process_index, content, &unchanged))
		return -ENOMEM;
	if (!unchanged && last->done)
		return time_take_back(copies, last, process_index, content->bytes);
	if (!unchanged && at != MAP_NONE)
		copies->open[at].changed = true;
	/* What comes back is said to do so. */
	if (!unchanged || last->read_before)
		return 0;
	if (last->done && process->inputs)
		process->inputs--;
	process->sampled |= content->hashed < content->bytes;
	if (!process->unchanged_ns) {
		process->unchanged_stream = stream;
		process->unchanged_ns = item->event->ns;
	}
	if (last->done)
		time_add(&process->unchanged, last->api, content->bytes, last->ns);
	else if (at != MAP_NONE)
		copies->open[at].unchanged = true;
	return 0;
}

static int copies_item(struct findings *findings, void *state, const struct event_item *item)
{
	(void)findings;
	if (item->kind == ITEM_CALL)
		return note_call(state, item);
	if (item->kind == ITEM_OPERATION || item->kind == ITEM_UNFINISHED)
		return count_command(state, &item->operation);
	if (item->kind == ITEM_OTHER && item->event->record->id == TANDEM_EVENT_content)
		return take_content(state, item);
	return 0;
}

static const char *api_name(const struct findings *findings, const struct copy_time *time)
{
	const struct tandem_event *api = trace_session_event(findings->session, time->api);

	return api ? api->name : "";
}

static int add_by_host(struct findings *findings, const struct copies *copies,
		       const struct copy_process *process)
{
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	struct finding *finding;

	if (process->by_host.count < HABIT_COUNT)
		return 0;
	finding = findings_add(findings, "copies", "by-host");
	if (!finding)
		return -ENOMEM;
	finding->count = process->by_host.count;
	finding->object = api_name(findings, &process->by_host);
	/* Where the device is the CPU, a copy on it takes as long as one of the two. */
	finding->cost_ns = devices_have_cpu(&findings->iterator->devices) ? process->by_host.ns / 2
									  : process->by_host.ns;
	finding->what = findings_text(
		findings,
		"what was read from one buffer was written to another, %s times, %s in all",
		units_count(count, process->by_host.count),
		units_bytes(bytes, (double)process->by_host.bytes));
	finding->confidence = copies->addresses ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	finding->why = copies->addresses
			       ? "from the same host memory, and as many bytes; the host may have "
				 "changed them in between"
			       : "as many bytes, one call behind the other; --args full records "
				 "whether it is the same host memory";
	finding->suggestion = "copy from buffer to buffer on the device";
	finding_place(findings, finding, process->stream);
	finding_time(findings, finding, process->begin_ns, process->end_ns);
	return 0;
}

static int add_unchanged(struct findings *findings, const struct copy_process *process)
{
	const struct copy_time *time = &process->unchanged;
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	struct finding *finding;

	if (time->count < HABIT_COUNT)
		return 0;
	finding = findings_add(findings, "copies", "unchanged");
	if (!finding)
		return -ENOMEM;
	finding->count = time->count;
	finding->object = api_name(findings, time);
	finding->cost_ns = time->ns;
	finding->what = findings_text(findings,
				      "%s transfers brought the device data that it had been given "
				      "before, unchanged: %s in all",
				      units_count(count, time->count),
				      units_bytes(bytes, (double)time->bytes));
	finding->confidence = process->sampled ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	finding->why = process->sampled
			       ? "by a hash of samples, 64 KiB of each transfer, at the same "
				 "places each time"
			       : "by a hash of all bytes";
	finding->suggestion =
		"transfer it once; where a kernel changes it, keep an unchanged copy on "
		"the device and copy from that, or fill it there";
	finding_place(findings, finding, process->unchanged_stream);
	finding_time(findings, finding, process->unchanged_ns, process->unchanged_ns);
	return 0;
}

/* If each buffer were moved once each way. */
static int add_dominate(struct findings *findings, const struct copies *copies, uint32_t index)
{
	const struct copy_process *process = &copies->processes[index];
	uint64_t saved_ns = 0, moved_ns = 0, count = 0, bytes = 0, told_ns;
	const struct copy_time *worst = NULL;
	char number[UNITS_BYTES], all[UNITS_BYTES];
	struct finding *finding;

	for (size_t i = 0; i < copies->buffer_count; i++) {
		const struct copy_time *times[] = {&copies->buffers[i].to_device,
						   &copies->buffers[i].to_host};

		for (unsigned j = 0; j < 2 && copies->buffers[i].process == index; j++) {
			if (times[j]->count < HABIT_COUNT)
				continue;
			saved_ns +=
				times[j]->ns - (times[j]->most_ns < times[j]->ns ? times[j]->most_ns
										 : times[j]->ns);
			if (!worst || times[j]->ns > worst->ns)
				worst = times[j];
			moved_ns += times[j]->moved_ns;
			count += times[j]->count;
			bytes += times[j]->bytes;
		}
	}
	/* What goes by way of the host, or is unchanged, is reported already. */
	told_ns = process->by_host.ns + process->unchanged.ns;
	saved_ns -= told_ns < saved_ns ? told_ns : saved_ns;
	/* Where calls take most of it, waiting is what is wrong. */
	if ((double)saved_ns < DOMINATES * (double)(process->last_ns - process->first_ns) ||
	    (double)saved_ns < DOMINATES_RUN * (double)findings->duration_ns ||
	    2 * moved_ns < saved_ns)
		return 0;
	finding = findings_add(findings, "copies", "dominate");
	if (!finding)
		return -ENOMEM;
	finding->count = count;
	finding->object = worst ? api_name(findings, worst) : "";
	finding->cost_ns = saved_ns;
	finding->pid = findings->session->processes[index].pid;
	finding->what = findings_text(
		findings,
		"transfers of the same buffers dominate the run: %s of them, %s in all, with no "
		"kernel at the same time",
		units_count(number, count), units_bytes(all, (double)bytes));
	finding->confidence = CONFIDENCE_LOW;
	finding->why = "against one transfer of each buffer and direction; the program may need "
		       "each of them";
	finding->suggestion = "keep the data on the device, move only what changed or is looked "
			      "at, or let the transfers run next to kernels (a second queue)";
	return 0;
}

static int copies_end(struct findings *findings, void *state)
{
	const struct copies *copies = state;
	int status = 0;

	for (uint32_t i = 0; !status && i < findings->session->process_count; i++) {
		status = add_by_host(findings, copies, &copies->processes[i]);
		if (!status)
			status = add_unchanged(findings, &copies->processes[i]);
		if (!status)
			status = add_dominate(findings, copies, i);
	}
	return status;
}

static void copies_release(struct findings *findings, void *state)
{
	struct copies *copies = state;

	(void)findings;
	map_free(&copies->buffer_of);
	free(copies->buffers);
	map_free(&copies->calls);
	free(copies->open);
	map_free(&copies->contents);
	map_free(&copies->read_ns);
	free(copies->last);
	free(copies->processes);
}

const struct finding_ops finding_copies = {
	.name = "copies",
	.words = "buffers copied by way of the host, unchanged data, transfers that dominate",
	.state_bytes = sizeof(struct copies),
	.begin = copies_begin,
	.item = copies_item,
	.end = copies_end,
	.release = copies_release,
};
