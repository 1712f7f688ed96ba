/* SPDX-License-Identifier: MIT */
/* Transfers: many small ones, rates far under the best of the device, host memory
 * that the device cannot reach by itself or that begins at an odd address, the same
 * buffer back and forth. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "analysis/operations/launch_config.h"
#include "analysis/operations/operation.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

#define SIZE_CLASSES 64u

/* Fewer are no habit. */
#define HABIT_COUNT 16u

/* Smaller ones take as long wherever they lie. */
#define PLACED_BYTES 65536u

/* What a processor and a device move at a time: memory that begins elsewhere is not
 * moved as a whole. */
#define ALIGNMENT 64u

/* Against which others they have to be so much slower. */
#define PLACED_SLOWER 1.15

/* Set in the key of a buffer: its host memory begins at an odd address. */
#define ODD_ADDRESS (UINT64_C(1) << 63)

enum transfer_place { PLACE_OTHER, PLACE_PAGEABLE, PLACE_ODD, PLACES };

struct transfer_class { /* of a power of two of bytes */
	uint64_t count, bytes;
	uint64_t ns;	   /* on the device */
	uint64_t host_ns;  /* and what the call took besides */
	uint64_t least_ns; /* of both, of one transfer */
	uint32_t stream;
	uint16_t api; /* event id of the call, of the longest; so are: */
	int64_t begin_ns, end_ns;
	uint64_t longest_ns;
};

struct transfer_row { /* one device and direction */
	uint32_t device;
	uint8_t kind;
	struct transfer_class classes[SIZE_CLASSES];
	struct transfer_class places[PLACES]; /* large ones, by their host memory */
};

struct transfer_buffer { /* what was last moved of a buffer */
	uint8_t kind;
	uint64_t bytes, ns, address;
};

struct bounce { /* the same bytes to the host and back, of a process */
	uint64_t count, ns;
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the first */
};

struct transfers {
	struct transfer_row *rows;
	size_t count, capacity;
	struct map buffers; /* process and number -> last */
	struct transfer_buffer *last;
	size_t last_count, last_capacity;
	struct map calls;	/* number of a call in flight -> its buffer's key */
	struct map addresses;	/* the same -> the host's end */
	struct bounce *bounces; /* by process */
	struct launch_configs launch_configs;
};

static int transfers_begin(struct findings *findings, void *state)
{
	struct transfers *transfers = state;

	transfers->bounces =
		calloc(findings->session->process_count + 1, sizeof(*transfers->bounces));
	return transfers->bounces ? 0 : -ENOMEM;
}

static struct transfer_row *row_find(struct transfers *transfers, uint32_t device, uint8_t kind)
{
	struct transfer_row *row;

	for (size_t i = 0; i < transfers->count; i++) {
		row = &transfers->rows[i];
		if (row->device == device && row->kind == kind)
			return row;
	}
	if (array_reserve(&transfers->rows, &transfers->capacity, transfers->count + 1,
			  sizeof(*transfers->rows)))
		return NULL;
	row = &transfers->rows[transfers->count++];
	*row = (struct transfer_row){.device = device, .kind = kind};
	return row;
}

/* What the host spent on it before the device knew of it, and after the device
 * was done. */
static uint64_t host_ns(const struct operation *operation)
{
	const struct operation_times *times = &operation->times;
	int64_t before, after;

	if (!operation->call || !operation->call_end_ns)
		return 0;
	before = times->queued_ns - operation->call_begin_ns;
	after = operation->call_end_ns -
		(times->end_ns < operation->call_end_ns ? times->end_ns : times->queued_ns);
	return (uint64_t)(before > 0 ? before : 0) + (uint64_t)(after > 0 ? after : 0);
}

static void class_add(struct transfer_class *class, const struct operation *operation,
		      uint64_t call_ns)
{
	uint64_t ns = operation->record->end - operation->record->start;

	class->count++;
	class->bytes += operation->record->bytes;
	class->ns += ns;
	class->host_ns += call_ns;
	if (ns + call_ns < class->least_ns || class->count == 1)
		class->least_ns = ns + call_ns;
	if (ns >= class->longest_ns) {
		class->longest_ns = ns;
		class->stream = operation->stream;
		class->api = operation->api;
		class->begin_ns = operation->times.start_ns;
		class->end_ns = operation->times.end_ns;
	}
}

static enum transfer_place place_of(const struct transfers *transfers,
				    const struct operation *operation, bool odd)
{
	const struct launch_config *launch_config = launch_configs_find(
		&transfers->launch_configs, operation->process, operation->record->launch_config);

	if (launch_config && !launch_config->is_launch &&
	    (launch_config->source == TANDEM_TRANSFER_MEMORY_KIND_pageable ||
	     launch_config->destination == TANDEM_TRANSFER_MEMORY_KIND_pageable))
		return PLACE_PAGEABLE;
	return odd ? PLACE_ODD : PLACE_OTHER;
}

static int count_size(struct transfers *transfers, const struct operation *operation, bool odd)
{
	struct transfer_row *row = row_find(transfers, operation->device, operation->kind);
	uint64_t bytes = operation->record->bytes;
	uint64_t call_ns = host_ns(operation);

	if (!row)
		return -ENOMEM;
	class_add(&row->classes[63 - __builtin_clzll(bytes | 1)], operation, call_ns);
	if (bytes >= PLACED_BYTES)
		class_add(&row->places[place_of(transfers, operation, odd)], operation, call_ns);
	return 0;
}

static int count_bounce(struct transfers *transfers, const struct operation *operation,
			uint64_t key, uint64_t address)
{
	struct bounce *bounce = &transfers->bounces[operation->process];
	uint64_t known = map_get(&transfers->buffers, key);
	struct transfer_buffer now = {
		.kind = operation->kind,
		.bytes = operation->record->bytes,
		.ns = operation->record->end - operation->record->start,
		.address = address,
	};
	struct transfer_buffer *last;

	if (known == MAP_NONE) {
		if (array_reserve(&transfers->last, &transfers->last_capacity,
				  transfers->last_count + 1, sizeof(*transfers->last)))
			return -ENOMEM;
		transfers->last[transfers->last_count] = now;
		return map_set(&transfers->buffers, key, transfers->last_count++);
	}
	last = &transfers->last[known];
	if (last->kind == TANDEM_OPERATION_KIND_copy_d2h &&
	    now.kind == TANDEM_OPERATION_KIND_copy_h2d && last->bytes == now.bytes &&
	    last->address == now.address) {
		if (!bounce->count++) {
			bounce->stream = operation->stream;
			bounce->begin_ns = operation->times.start_ns;
			bounce->end_ns = operation->times.end_ns;
		}
		bounce->ns += last->ns + now.ns;
	}
	*last = now;
	return 0;
}

static bool is_transfer(uint8_t kind)
{
	return kind == TANDEM_OPERATION_KIND_copy_h2d || kind == TANDEM_OPERATION_KIND_copy_d2h;
}

/* Which buffer a call moves is in its arguments; how, in its command's end. */
static int note_call(struct transfers *transfers, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_field *buffer, *address;
	uint64_t odd = 0;

	if (!trace_event_op(event) || trace_event_failed(event))
		return 0;
	buffer = trace_field_role(event->layout, TANDEM_ROLE_memory);
	if (!buffer || buffer->kind != TANDEM_FIELD_OBJECT)
		return 0;
	/* Addresses are recorded at the highest level of arguments only. */
	address = trace_field_role(event->layout, TANDEM_ROLE_address);
	if (address && trace_field_unsigned(event, address) % ALIGNMENT)
		odd = ODD_ADDRESS;
	if (address &&
	    map_set(&transfers->addresses, item->call, trace_field_unsigned(event, address)))
		return -ENOMEM;
	return map_set(&transfers->calls, item->call,
		       odd | (uint64_t)event->stream->process->index << 32 |
			       (uint32_t)trace_field_unsigned(event, buffer));
}

static int count_command(struct transfers *transfers, const struct operation *operation)
{
	uint64_t key = map_remove(&transfers->calls, operation->call);
	uint64_t address = map_remove(&transfers->addresses, operation->call);
	int status;

	if (!operation->record || !operation->placed || !is_transfer(operation->kind) ||
	    !operation->record->bytes)
		return 0;
	status = count_size(transfers, operation, key != MAP_NONE && key & ODD_ADDRESS);
	if (!status && operation->call && key != MAP_NONE)
		status = count_bounce(transfers, operation, key & ~ODD_ADDRESS, address);
	return status;
}

static int transfers_item(struct findings *findings, void *state, const struct event_item *item)
{
	(void)findings;
	if (item->kind == ITEM_CALL)
		return note_call(state, item);
	if (item->kind == ITEM_OTHER)
		return launch_configs_learn(&((struct transfers *)state)->launch_configs,
					    item->event);
	if (item->kind == ITEM_OPERATION || item->kind == ITEM_UNFINISHED)
		return count_command(state, &item->operation);
	return 0;
}

/* Bytes a ns, of a class as a whole. */
static double class_rate(const struct transfer_class *class)
{
	return class->ns ? (double)class->bytes / (double)class->ns : 0;
}

static double best_rate(const struct transfer_row *row)
{
	double best = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		if (class_rate(&row->classes[i]) > best)
			best = class_rate(&row->classes[i]);
	}
	return best;
}

static const char *api_name(const struct findings *findings, const struct transfer_class *class)
{
	const struct tandem_event *api = trace_session_event(findings->session, class->api);

	return api ? api->name : "other calls";
}

static const char *direction(uint8_t kind)
{
	return kind == TANDEM_OPERATION_KIND_copy_h2d ? "to the device" : "to the host";
}

static struct finding *add_class(struct findings *findings, const struct transfer_row *row,
				 const struct transfer_class *class, const char *cause)
{
	struct finding *finding = findings_add(findings, "transfers", cause);

	if (!finding)
		return NULL;
	finding->count = class->count;
	finding->object = operation_kind_name(row->kind);
	finding->device = findings_text(
		findings, "%s", event_iterator_device_name(findings->iterator, row->device));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding_place(findings, finding, class->stream);
	finding_time(findings, finding, class->begin_ns, class->end_ns);
	return finding;
}

/* What a transfer costs whatever its size: of the fastest of the smallest, all
 * that moving its bytes does not explain. */
static double fixed_ns(const struct transfer_row *row, double best)
{
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->classes[i];

		if (class->count)
			return (double)class->least_ns -
			       (double)class->bytes / (double)class->count / best;
	}
	return 0;
}

/* Smaller than what could be moved while its fixed cost runs. */
static bool is_small(const struct transfer_class *class, double best, double fixed)
{
	return class->count && (double)class->bytes / best < fixed * (double)class->count;
}

static int add_small(struct findings *findings, const struct transfer_row *row, double best,
		     double fixed)
{
	struct transfer_class small = {.stream = TRACE_NONE};
	char count[UNITS_BYTES], bytes[UNITS_BYTES], all[UNITS_BYTES], rate[UNITS_BYTES];
	struct finding *finding;
	double alone_ns;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->classes[i];

		if (!is_small(class, best, fixed))
			continue;
		small.count += class->count;
		small.bytes += class->bytes;
		small.ns += class->ns + class->host_ns;
		if (class->longest_ns >= small.longest_ns) {
			small.longest_ns = class->longest_ns;
			small.stream = class->stream;
			small.api = class->api;
			small.begin_ns = class->begin_ns;
			small.end_ns = class->end_ns;
		}
	}
	alone_ns = fixed + (double)small.bytes / best;
	if (small.count < HABIT_COUNT || alone_ns >= (double)small.ns)
		return 0;
	finding = add_class(findings, row, &small, "small");
	if (!finding)
		return -ENOMEM;
	finding->cost_ns = small.ns - (uint64_t)alone_ns;
	finding->what = findings_text(
		findings, "%s small transfers %s (%s), of %s on average, took %s with their calls",
		units_count(count, small.count), direction(row->kind), api_name(findings, &small),
		units_bytes(bytes, (double)small.bytes / (double)small.count),
		units_ns(all, (double)small.ns));
	finding->why = findings_text(findings,
				     "against one transfer of all their bytes at the best "
				     "rate seen here, %s/s",
				     units_bytes(rate, best * 1e9));
	finding->suggestion =
		"gather them into one buffer and transfer that at once, or leave the data on the "
		"device";
	return 0;
}

/* Large ones, of a size that was slower than others. */
static int add_slow(struct findings *findings, const struct transfer_row *row, double best,
		    double fixed)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	char count[UNITS_BYTES], bytes[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->classes[i];
		struct finding *finding;

		if (class->count < 2 || class_rate(class) > best / 2 ||
		    is_small(class, best, fixed))
			continue;
		finding = add_class(findings, row, class, "slow");
		if (!finding)
			return -ENOMEM;
		finding->cost_ns = class->ns - (uint64_t)((double)class->bytes / best);
		finding->what = findings_text(
			findings,
			"%s transfers %s (%s) of about %s ran at %s/s; the device reached "
			"%s/s",
			units_count(count, class->count), direction(row->kind),
			api_name(findings, class),
			units_bytes(bytes, (double)class->bytes / (double)class->count),
			units_bytes(rate, class_rate(class) * 1e9), units_bytes(most, best * 1e9));
		finding->why = "against the best rate of this device and direction in this run";
		finding->suggestion = findings_text(
			findings,
			"use pinned host memory%s%s%s, aligned to pages, and touch it "
			"before the transfer",
			*domain->pinned ? " (" : "", domain->pinned, *domain->pinned ? ")" : "");
	}
	return 0;
}

/* Where others, of the same size and direction, were faster. */
static int add_place(struct findings *findings, const struct transfer_row *row,
		     enum transfer_place place)
{
	const struct transfer_class *class = &row->places[place],
				    *other = &row->places[PLACE_OTHER];
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	char count[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];
	struct finding *finding;

	if (!class->count || !other->count || class_rate(class) * PLACED_SLOWER > class_rate(other))
		return 0;
	finding = add_class(findings, row, class, place == PLACE_ODD ? "misaligned" : "pageable");
	if (!finding)
		return -ENOMEM;
	finding->cost_ns = class->ns - (uint64_t)((double)class->bytes / class_rate(other));
	finding->what = findings_text(
		findings, "%s transfer%s %s %s: %s/s, where others reached %s/s",
		units_count(count, class->count), class->count == 1 ? "" : "s",
		direction(row->kind),
		place == PLACE_ODD ? "used host memory that is not 64-byte aligned"
				   : "used ordinary (pageable) host memory, which the driver must "
				     "copy once more",
		units_bytes(rate, class_rate(class) * 1e9),
		units_bytes(most, class_rate(other) * 1e9));
	finding->why = "against the other large transfers of this device and direction in this run";
	finding->suggestion = place == PLACE_ODD
				      ? "align the memory to a page: aligned_alloc(4096, ...)"
				      : findings_text(findings,
						      "allocate host memory that the device can "
						      "reach: %s",
						      domain->use_pinned);
	return 0;
}

static int add_bounce(struct findings *findings, const struct bounce *bounce)
{
	struct finding *finding = findings_add(findings, "transfers", "back-and-forth");
	char count[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = bounce->count;
	finding->cost_ns = bounce->ns;
	finding->what = findings_text(findings,
				      "the same bytes of a buffer went to the host and back "
				      "to the device %s times",
				      units_count(count, bounce->count));
	finding->confidence = CONFIDENCE_LOW;
	finding->why = "the host may have changed them in between";
	finding->suggestion = "keep the data on the device and change it there, with a kernel";
	finding_place(findings, finding, bounce->stream);
	finding_time(findings, finding, bounce->begin_ns, bounce->end_ns);
	return 0;
}

static int transfers_end(struct findings *findings, void *state)
{
	struct transfers *transfers = state;
	int status = 0;

	for (size_t i = 0; !status && i < transfers->count; i++) {
		const struct transfer_row *row = &transfers->rows[i];
		double best = best_rate(row);

		if (!(best > 0))
			continue;
		status = add_small(findings, row, best, fixed_ns(row, best));
		if (!status)
			status = add_slow(findings, row, best, fixed_ns(row, best));
		for (enum transfer_place place = PLACE_PAGEABLE; !status && place < PLACES; place++)
			status = add_place(findings, row, place);
	}
	for (size_t i = 0; !status && i < findings->session->process_count; i++) {
		if (transfers->bounces[i].count >= HABIT_COUNT)
			status = add_bounce(findings, &transfers->bounces[i]);
	}
	return status;
}

static void transfers_release(struct findings *findings, void *state)
{
	struct transfers *transfers = state;

	(void)findings;
	free(transfers->rows);
	map_free(&transfers->buffers);
	map_free(&transfers->calls);
	map_free(&transfers->addresses);
	free(transfers->last);
	launch_configs_free(&transfers->launch_configs);
	free(transfers->bounces);
}

const struct finding_ops finding_transfers = {
	.name = "transfers",
	.words = "small, slow and unaligned transfers, the same data back and forth",
	.state_bytes = sizeof(struct transfers),
	.begin = transfers_begin,
	.item = transfers_item,
	.end = transfers_end,
	.release = transfers_release,
};
