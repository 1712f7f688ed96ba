/* SPDX-License-Identifier: MIT */
/* What is moved between host and device more often than once: from one buffer to another by
 * way of the host, data that the device or the host was given before, and transfers of the same buffers
 * again and again that make most of the run. What a transfer costs: exposed.h. Memory grows with
 * buffers and transfers in flight. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/copies/read_contents.h"
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

/* Of less the host asks whether it changed: a flag, a residual. */
#define UNCHANGED_READ_BYTES 4096u

struct copy_time {
	uint64_t count, bytes, ns, most_ns; /* most: of one */
	uint64_t moved_ns;		    /* by the device; of a buffer's */
	uint16_t api;			    /* event id of the call */
};

struct copy_buffer {
	uint32_t process;
	struct copy_time to_device, to_host;
	uint64_t inputs;	 /* those of the process, at the latest transfer to the host */
	uint64_t offset, bytes;	 /* written last */
	uint64_t same, replaced; /* writes of what was read to the same memory, and of others */
	bool given;		 /* something since it was read */
	uint32_t generation;	 /* +1: what parts of it were given before is no longer there */
};

struct copy_read { /* the latest transfer of a thread */
	uint64_t buffer, bytes, address;
	uint64_t call;
	uint64_t pair;	     /* as that of a copy_call ... */
	bool by_host;	     /* ... which was counted ... */
	uint64_t by_host_ns; /* ... at this cost */
	bool written;	     /* its content was recorded: it went to the device */
	bool read_before;    /* the transfer before it brought as many bytes there */
	uint16_t api;
	bool given; /* of a read: its buffer was given something since the one before */
	bool done;  /* it took: */
	uint64_t ns, moved_ns;
};

struct copy_part {		/* of a buffer, that was read */
	uint64_t hash;		/* of what it gave last */
	uint64_t same, changed; /* reads that gave what the one before did, and that did not */
};

struct copy_call {	     /* of a transfer in flight */
	uint64_t buffer;     /* transfer_ends.h */
	uint64_t pair;	     /* the call of the read that it brings back to the device; 0: none */
	bool same;	     /* what that read brought: this is known */
	bool unchanged;	     /* the device was given the same before */
	bool changed;	     /* it was not: this is known */
	bool unchanged_read; /* of a read: the host was */
};

struct copy_process {
	struct copy_time by_host;
	uint64_t by_host_same; /* of these: what was written is known to be what was read */
	bool by_host_sampled;
	struct copy_unchanged {
		struct copy_time time;
		bool sampled; /* not all bytes were compared */
		uint32_t stream;
		int64_t ns; /* when the first was enqueued */
	} unchanged, unchanged_reads;
	uint64_t inputs; /* transfers that may have brought the device something new */
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
	struct read_contents reads;
	struct map read_parts; /* part of a buffer -> its place in `parts` */
	struct copy_part *parts;
	size_t part_count, part_capacity;
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
	if (!copies->last || !copies->processes)
		return -ENOMEM;
	return read_contents_begin(&copies->reads, findings->session);
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
	call = (struct copy_call){.buffer = ends.buffer};
	call.pair = last->call && last->buffer != call.buffer && last->bytes == bytes && bytes &&
				    last->address == address
			    ? last->call
			    : 0;
	*last = (struct copy_read){call.buffer,
				   bytes,
				   address,
				   item->call,
				   call.pair,
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

static void by_host_add(struct copies *copies, struct copy_process *process, struct copy_read *last,
			const struct copy_time *write, uint64_t pair)
{
	uint64_t read_ns = map_remove(&copies->read_ns, pair);

	/* What goes to several buffers was read once. */
	last->by_host = true;
	last->by_host_ns = write->ns + (read_ns == MAP_NONE ? 0 : read_ns);
	time_add(&process->by_host, write->api, write->bytes, last->by_host_ns);
}

static int count_by_host(struct copies *copies, struct copy_process *process,
			 const struct operation *operation, const struct copy_call *call,
			 uint64_t ns)
{
	const struct copy_time write = {
		.api = operation->api, .bytes = operation->record->bytes, .ns = ns};
	struct copy_read unknown, *last = &unknown;

	if (operation->kind == TANDEM_OPERATION_KIND_copy_d2h) {
		/* One that nothing followed is forgotten with the next. */
		if (copies->read_ns.count > 4096)
			map_clear(&copies->read_ns);
		return map_set(&copies->read_ns, operation->call, ns);
	}
	if (!call->pair || (!call->same && map_get(&copies->read_ns, call->pair) == MAP_NONE))
		return 0;
	if (!process->by_host.count) {
		process->stream = operation->stream;
		process->begin_ns = operation->times.start_ns;
		process->end_ns = operation->times.end_ns;
	}
	if (operation->stream != TRACE_NONE &&
	    copies->last[operation->stream].call == operation->call)
		last = &copies->last[operation->stream];
	by_host_add(copies, process, last, &write, call->pair);
	process->by_host_same += call->same;
	return 0;
}

static void count_unchanged_read(struct copies *copies, struct copy_process *process,
				 const struct operation *operation, uint64_t ns)
{
	struct read_content *read =
		read_contents_find(&copies->reads, operation->process, operation->call);

	time_add(&process->unchanged_reads.time, operation->api, operation->record->bytes, ns);
	if (!read)
		return;
	read->unchanged = true;
	read->ns = ns;
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
		copies->last[operation->stream].given = buffer->given;
		copies->last[operation->stream].ns = ns;
		copies->last[operation->stream].moved_ns =
			operation->record->end - operation->record->start;
		copies->last[operation->stream].api = operation->api;
	}
	if (call.unchanged)
		time_add(&process->unchanged.time, operation->api, operation->record->bytes, ns);
	/* Whether that changed it, the host has to ask. */
	if (call.unchanged_read && !buffer->given)
		count_unchanged_read(copies, process, operation, ns);
	if (operation->kind == TANDEM_OPERATION_KIND_copy_h2d) {
		process->inputs += !call.unchanged;
		if (!call.changed)
			time_move(&buffer->to_device, operation, ns);
	} else if (buffer->inputs == process->inputs || !buffer->inputs) {
		/* Nothing new came since: what is read is on its way to a result. */
		time_move(&buffer->to_host, operation, ns);
	}
	buffer->given = operation->kind == TANDEM_OPERATION_KIND_copy_h2d;
	if (operation->kind == TANDEM_OPERATION_KIND_copy_d2h)
		buffer->inputs = process->inputs;
	return count_by_host(copies, process, operation, &call, ns);
}

/* Of a part of a buffer so many contents are remembered. */
#define CONTENTS 64u

static uint64_t part_key(uint64_t buffer, uint64_t offset, uint64_t bytes)
{
	return ((buffer * UINT64_C(0x9E3779B97F4A7C15) ^ offset) * UINT64_C(0xFF51AFD7ED558CCD) ^
		bytes) |
	       1;
}

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
	part = part_key(key, content->offset, content->bytes);
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

/* What a read brought goes on to the device: that is said of it, and not that the host had it. */
static void unchanged_read_take_back(struct copies *copies, struct copy_process *process,
				     struct read_content *read)
{
	struct copy_time *time = &process->unchanged_reads.time;
	uint64_t at = map_get(&copies->calls, read->call);

	if (at != MAP_NONE)
		copies->open[at].unchanged_read = false;
	if (!read->unchanged)
		return;
	read->unchanged = false;
	time->count--;
	time->bytes -= read->bytes;
	time->ns -= read->ns;
}

static void by_host_take_back(struct copy_process *process, struct copy_read *last)
{
	if (!last->by_host)
		return;
	last->by_host = false;
	process->by_host.count--;
	process->by_host.bytes -= last->bytes;
	process->by_host.ns -= last->by_host_ns;
}

/* What is written is what was read from another buffer, whatever the memory in between; or it is not,
 * though the memory is the same: the host has replaced it. */
static int pair_by_content(struct copies *copies, const struct event_item *item,
			   const struct tandem_rec_content *content,
			   const struct read_content *read)
{
	struct copy_process *process = &copies->processes[item->event->stream->process->index];
	struct copy_read *last = &copies->last[item->event->stream->index];
	uint64_t at = map_get(&copies->calls, item->call);
	uint32_t process_index = item->event->stream->process->index;
	const struct read_content *paired =
		read_contents_find(&copies->reads, process_index, last->pair);
	struct copy_buffer *buffer;

	if (buffer_find(copies, last->buffer, process_index, &buffer))
		return -ENOMEM;
	buffer->same += read != NULL;
	buffer->replaced += !read && paired;
	/* Where the host mostly changes some of it, samples do not show that it did not. */
	if (read && (read->buffer == last->buffer ||
		     (buffer->replaced > buffer->same && content->hashed < content->bytes)))
		read = NULL;
	if (!read && !paired)
		return 0; /* all that is known is the memory */
	if (at != MAP_NONE) {
		copies->open[at].pair = read ? read->call : 0;
		copies->open[at].same = read != NULL;
	}
	if (!read) {
		by_host_take_back(process, last);
		return 0;
	}
	process->by_host_sampled |= content->hashed < content->bytes;
	if (!last->done)
		return 0;
	process->by_host_same++;
	if (last->by_host)
		return 0;
	if (!process->by_host.count) {
		process->stream = item->event->stream->index;
		process->begin_ns = process->end_ns = item->event->ns;
	}
	by_host_add(copies, process, last,
		    &(struct copy_time){.api = last->api, .bytes = content->bytes, .ns = last->ns},
		    read->call);
	return 0;
}

static void unchanged_begin(struct copy_unchanged *unchanged, const struct event_item *item,
			    bool sampled)
{
	unchanged->sampled |= sampled;
	if (unchanged->ns)
		return;
	unchanged->stream = item->event->stream->index;
	unchanged->ns = item->event->ns;
}

/* It follows its call, and may come before its command's end or after it. */
static int take_content(struct copies *copies, const struct event_item *item)
{
	const struct tandem_rec_content *content = (const void *)item->event->record;
	uint32_t process_index = item->event->stream->process->index;
	struct copy_process *process = &copies->processes[process_index];
	struct copy_read *last = &copies->last[item->event->stream->index];
	uint64_t at = map_get(&copies->calls, item->call);
	struct read_content *read;
	bool unchanged;

	if (!last->call || last->call != item->call)
		return 0;
	last->written = true;
	read = read_contents_written(&copies->reads, process_index, last->buffer, content);
	if (read)
		unchanged_read_take_back(copies, process, read);
	if (find_unchanged(copies, last->buffer, process_index, content, &unchanged) ||
	    pair_by_content(copies, item, content, read))
		return -ENOMEM;
	if (!unchanged && last->done)
		return time_take_back(copies, last, process_index, content->bytes);
	if (!unchanged && at != MAP_NONE)
		copies->open[at].changed = true;
	/* What comes back is said to do so. */
	if (!unchanged || last->read_before || read)
		return 0;
	if (last->done && process->inputs)
		process->inputs--;
	unchanged_begin(&process->unchanged, item, content->hashed < content->bytes);
	if (last->done)
		time_add(&process->unchanged.time, last->api, content->bytes, last->ns);
	else if (at != MAP_NONE)
		copies->open[at].unchanged = true;
	return 0;
}

/* Whether a part of a buffer gave what it had given. Where it mostly changes, samples do not show that
 * it did not. */
static int is_read_again(struct copies *copies, uint64_t key,
			 const struct tandem_rec_content_read *content, bool *again)
{
	uint64_t at = map_get(&copies->read_parts, key);
	struct copy_part *part;

	*again = false;
	if (at == MAP_NONE) {
		if (array_reserve(&copies->parts, &copies->part_capacity, copies->part_count + 1,
				  sizeof(*copies->parts)))
			return -ENOMEM;
		copies->parts[copies->part_count] = (struct copy_part){content->hash, 0, 0};
		return map_set(&copies->read_parts, key, copies->part_count++);
	}
	part = &copies->parts[at];
	*again = part->hash == content->hash;
	*(*again ? &part->same : &part->changed) += 1;
	part->hash = content->hash;
	*again &= content->hashed == content->bytes || part->same >= part->changed;
	return 0;
}

/* As take_content(), of a read. */
static int take_content_read(struct copies *copies, const struct event_item *item)
{
	const struct tandem_rec_content_read *content = (const void *)item->event->record;
	uint32_t process_index = item->event->stream->process->index;
	struct copy_process *process = &copies->processes[process_index];
	struct copy_read *last = &copies->last[item->event->stream->index];
	uint64_t at = map_get(&copies->calls, item->call);
	struct read_content *read;
	bool again;

	if (!last->call || last->call != item->call)
		return 0;
	read = read_contents_add(&copies->reads, process_index, item->call, last->buffer, content);
	if (content->bytes < UNCHANGED_READ_BYTES)
		return 0;
	if (is_read_again(copies, part_key(last->buffer, content->offset, content->bytes), content,
			  &again))
		return -ENOMEM;
	if (!again)
		return 0;
	if (last->done && last->given)
		return 0;
	unchanged_begin(&process->unchanged_reads, item, content->hashed < content->bytes);
	if (last->done) {
		time_add(&process->unchanged_reads.time, last->api, content->bytes, last->ns);
		read->unchanged = true;
		read->ns = last->ns;
	} else if (at != MAP_NONE) {
		copies->open[at].unchanged_read = true;
	}
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
	if (item->kind == ITEM_OTHER && item->event->record->id == TANDEM_EVENT_content_read)
		return take_content_read(state, item);
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
	if (process->by_host_same >= process->by_host.count) {
		finding->confidence =
			process->by_host_sampled ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
		finding->why =
			process->by_host_sampled
				? "by a hash of samples, 64 KiB of each transfer, at the same "
				  "places both times"
				: "by a hash of all bytes";
	}
	finding->suggestion = "copy from buffer to buffer on the device";
	finding_place(findings, finding, process->stream);
	finding_time(findings, finding, process->begin_ns, process->end_ns);
	return 0;
}

static struct finding *add_unchanged(struct findings *findings,
				     const struct copy_unchanged *unchanged, const char *end)
{
	const struct copy_time *time = &unchanged->time;
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "copies", "unchanged");

	if (!finding)
		return NULL;
	finding->count = time->count;
	finding->object = api_name(findings, time);
	finding->cost_ns = time->ns;
	finding->what = findings_text(findings,
				      "%s transfers brought the %s data that it had been given "
				      "before, unchanged: %s in all",
				      units_count(count, time->count), end,
				      units_bytes(bytes, (double)time->bytes));
	finding->confidence = unchanged->sampled ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	finding->why = unchanged->sampled
			       ? "by a hash of samples, 64 KiB of each transfer, at the same "
				 "places each time"
			       : "by a hash of all bytes";
	finding_place(findings, finding, unchanged->stream);
	finding_time(findings, finding, unchanged->ns, unchanged->ns);
	return finding;
}

static int add_unchanged_writes(struct findings *findings, const struct copy_process *process)
{
	struct finding *finding;

	if (process->unchanged.time.count < HABIT_COUNT)
		return 0;
	finding = add_unchanged(findings, &process->unchanged, "device");
	if (!finding)
		return -ENOMEM;
	finding->suggestion =
		"transfer it once; where a kernel changes it, keep an unchanged copy on "
		"the device and copy from that, or fill it there";
	return 0;
}

static int add_unchanged_reads(struct findings *findings, const struct copy_process *process)
{
	struct finding *finding;

	if (process->unchanged_reads.time.count < HABIT_COUNT)
		return 0;
	finding = add_unchanged(findings, &process->unchanged_reads, "host");
	if (!finding)
		return -ENOMEM;
	finding->suggestion = "read it once, or only the part that a kernel changed; a flag that a "
			      "kernel sets shows whether there is something to read";
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
	told_ns =
		process->by_host.ns + process->unchanged.time.ns + process->unchanged_reads.time.ns;
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
			status = add_unchanged_writes(findings, &copies->processes[i]);
		if (!status)
			status = add_unchanged_reads(findings, &copies->processes[i]);
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
	map_free(&copies->read_parts);
	free(copies->parts);
	read_contents_release(&copies->reads);
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
