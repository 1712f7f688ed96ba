/* SPDX-License-Identifier: MIT */
/* Transfers: many small ones, rates far under the best of the device, host memory
 * that the device cannot reach by itself or that begins at an odd address, the same
 * buffer back and forth (bounces.h). */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/exposed.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/transfers/bounces.h"
#include "analysis/operations/launch_config.h"
#include "analysis/operations/operation.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

#define SIZE_CLASSES 64u

/* Fewer are no habit. */
#define HABIT_COUNT 16u

/* Up to so many bytes are moved in no time next to what a transfer takes to begin; at this rate
 * (bytes a ns) at least, where no larger ones say more. */
#define TINY_BYTES 4096u
#define TINY_RATE 1.0

/* Smaller ones take as long wherever they lie. */
#define PLACED_BYTES 65536u

/* What a processor and a device move at a time: memory that begins elsewhere is not
 * moved as a whole. */
#define ALIGNMENT 64u

/* Against which others they have to be so much slower. */
#define PLACED_SLOWER 1.15

/* So many aligned ones must have been seen: one or two may have been fast by chance. */
#define PLACED_COUNT 4u

/* Bytes a ns that pinned memory reaches with a device of its own where no transfer of the run
 * says more: PCI Express 3.0 with 16 lanes, less what its packets take (NVIDIA's bandwidthTest
 * shows 12 to 13 GB/s). Later ones reach a multiple. */
#define PINNED_RATE 12.0

/* Of what a link carries, data that a large transfer from pinned memory moves: the rest is packets'
 * heads (54.5 of 63.0 GB/s on an H100, PCI Express 5.0 with 16 lanes). */
#define LINK_PART 0.86

enum transfer_place { PLACE_OTHER, PLACE_PAGEABLE, PLACE_ODD, PLACES };

struct transfer_class { /* of a power of two of bytes */
	uint64_t count, bytes;
	uint64_t ns;	   /* on the device */
	uint64_t host_ns;  /* and what the call took besides */
	uint64_t least_ns; /* of both, of one transfer */
	uint64_t exposed_ns;
	uint32_t stream;
	uint16_t api; /* event id of the call, of the longest; so are: */
	int64_t begin_ns, end_ns;
	uint64_t longest_ns;
};

struct transfer_row { /* one device and direction */
	uint32_t device;
	uint8_t kind;
	struct transfer_class classes[SIZE_CLASSES];
	/* Of these, such as follow another one of their thread with no kernel in between. */
	struct transfer_class further[SIZE_CLASSES];
	uint64_t runs[SIZE_CLASSES]; /* of such, by the size of the second: one more is in each */
	struct transfer_class places[PLACES]; /* large ones, by their host memory */
};

struct transfer_run {  /* transfers of one direction */
	uint64_t call; /* the latest; 0: none */
	bool goes_on;  /* it followed another one */
};

struct transfer_thread { /* of a stream */
	uint64_t kernel; /* the latest call that enqueued one */
	struct transfer_run to_device, to_host;
};

struct transfers {
	struct transfer_row *rows;
	size_t count, capacity;
	struct map odd; /* calls in flight whose host memory begins at an odd address */
	struct transfer_thread *threads; /* by stream */
	struct bounces bounces;
	int64_t *kernels_until_ns; /* by process */
	struct map links;	   /* row of devices -> bytes a ms that its link carries */
	struct launch_configs launch_configs;
};

static int transfers_begin(struct findings *findings, void *state)
{
	struct transfers *transfers = state;

	transfers->threads =
		calloc(findings->session->stream_count + 1, sizeof(*transfers->threads));
	transfers->kernels_until_ns =
		calloc(findings->session->process_count + 1, sizeof(*transfers->kernels_until_ns));
	return transfers->threads && transfers->kernels_until_ns
		       ? bounces_begin(&transfers->bounces, findings->session)
		       : -ENOMEM;
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
		      uint64_t call_ns, uint64_t exposed_ns)
{
	uint64_t ns = operation->record->end - operation->record->start;

	class->count++;
	class->bytes += operation->record->bytes;
	class->ns += ns;
	class->host_ns += call_ns;
	class->exposed_ns += exposed_ns;
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

/* Whether its thread could have moved it together with the one before; then whether that was
 * the first. */
static bool is_further(struct transfers *transfers, const struct operation *operation, bool *second)
{
	struct transfer_thread *thread;
	struct transfer_run *run;
	uint64_t before;

	if (operation->stream == TRACE_NONE || !operation->call)
		return false;
	thread = &transfers->threads[operation->stream];
	run = operation->kind == TANDEM_OPERATION_KIND_copy_h2d ? &thread->to_device
								: &thread->to_host;
	*second = !run->goes_on;
	before = run->call;
	run->call = operation->call;
	run->goes_on = before && before < operation->call &&
		       (thread->kernel < before || thread->kernel > operation->call);
	return run->goes_on;
}

static int count_size(struct transfers *transfers, const struct operation *operation, bool odd,
		      uint64_t exposed_ns)
{
	struct transfer_row *row = row_find(transfers, operation->device, operation->kind);
	uint64_t bytes = operation->record->bytes, call_ns = host_ns(operation);
	unsigned size = 63 - (unsigned)__builtin_clzll(bytes | 1);
	bool second = false;

	if (!row)
		return -ENOMEM;
	class_add(&row->classes[size], operation, call_ns, exposed_ns);
	if (is_further(transfers, operation, &second)) {
		class_add(&row->further[size], operation, call_ns, exposed_ns);
		row->runs[size] += second;
	}
	if (bytes >= PLACED_BYTES)
		class_add(&row->places[place_of(transfers, operation, odd)], operation, call_ns,
			  exposed_ns);
	return 0;
}

static bool is_transfer(uint8_t kind)
{
	return kind == TANDEM_OPERATION_KIND_copy_h2d || kind == TANDEM_OPERATION_KIND_copy_d2h;
}

static int note_call(struct transfers *transfers, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	/* Addresses are recorded at the highest level of arguments only. */
	const struct tandem_field *address = trace_field_role(event->layout, TANDEM_ROLE_address);
	int status = bounces_call(&transfers->bounces, item);

	if (status || !trace_event_op(event) || trace_event_failed(event) || !address ||
	    !(trace_field_unsigned(event, address) % ALIGNMENT))
		return status;
	return map_set(&transfers->odd, item->call, 1);
}

static int count_command(struct transfers *transfers, const struct operation *operation)
{
	bool odd = map_remove(&transfers->odd, operation->call) != MAP_NONE;
	int64_t *kernels_until_ns = &transfers->kernels_until_ns[operation->process];
	uint64_t ns;
	int status;

	if (operation->record && operation->placed)
		exposed_kernel(kernels_until_ns, operation);
	if (operation->kind == TANDEM_OPERATION_KIND_kernel && operation->stream != TRACE_NONE &&
	    operation->call > transfers->threads[operation->stream].kernel)
		transfers->threads[operation->stream].kernel = operation->call;
	if (!operation->record || !operation->placed || !is_transfer(operation->kind) ||
	    !operation->record->bytes)
		return 0;
	ns = exposed_ns(*kernels_until_ns, operation);
	status = count_size(transfers, operation, odd, ns);
	return status ? status : bounces_command(&transfers->bounces, operation, ns);
}

/* Of 8 bits, or of 128 of 130 from 8 GT/s on (before: of 8 of 10). */
static int note_link(struct findings *findings, struct transfers *transfers,
		     const struct trace_event *event)
{
	uint64_t speed = trace_field_number(event, "megatransfers");
	uint64_t bits = speed * trace_field_number(event, "lanes") * 1000;
	uint32_t row;

	if (devices_of_number(
		    &findings->iterator->devices, event,
		    (uint32_t)trace_field_number(event, "device"),
		    (uint8_t)trace_session_domain_of(findings->session, event->record->id), &row))
		return -ENOMEM;
	return map_set(&transfers->links, row,
		       (speed >= 8000 ? bits * 128 / 130 : bits * 8 / 10) / 8);
}

static int transfers_item(struct findings *findings, void *state, const struct event_item *item)
{
	if (item->kind == ITEM_CALL)
		return note_call(state, item);
	if (item->kind == ITEM_OTHER &&
	    item->event->layout->event->traits.record == TANDEM_RECORD_device_link)
		return note_link(findings, state, item->event);
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
	return class->count && ((double)class->bytes / best < fixed * (double)class->count ||
				class->bytes <= class->count * TINY_BYTES);
}

static int add_small(struct findings *findings, const struct transfer_row *row, double best,
		     double fixed)
{
	struct transfer_class small = {.stream = TRACE_NONE};
	char count[UNITS_BYTES], bytes[UNITS_BYTES], all[UNITS_BYTES], rate[UNITS_BYTES];
	double known = best > TINY_RATE ? best : TINY_RATE;
	struct finding *finding;
	double moved_ns = 0;
	uint64_t runs = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->further[i];

		if (!is_small(&row->classes[i], best, fixed) || !class->count)
			continue;
		small.count += class->count;
		runs += row->runs[i];
		small.bytes += class->bytes;
		small.ns += class->exposed_ns;
		moved_ns += (double)class->bytes /
			    (class->bytes <= class->count * TINY_BYTES ? known : best);
		if (class->longest_ns >= small.longest_ns) {
			small.longest_ns = class->longest_ns;
			small.stream = class->stream;
			small.api = class->api;
			small.begin_ns = class->begin_ns;
			small.end_ns = class->end_ns;
		}
	}
	if (small.count < HABIT_COUNT || moved_ns >= (double)small.ns)
		return 0;
	finding = add_class(findings, row, &small, "small");
	if (!finding)
		return -ENOMEM;
	finding->count = small.count + runs;
	finding->cost_ns = small.ns - (uint64_t)moved_ns;
	finding->what = findings_text(
		findings,
		"%s small transfers %s (%s), of %s on average, one right after another, took %s "
		"with their calls",
		units_count(count, finding->count), direction(row->kind),
		api_name(findings, &small),
		units_bytes(bytes, (double)small.bytes / (double)small.count),
		units_ns(all, (double)small.ns));
	finding->why = findings_text(findings,
				     "against one transfer with those before them, at %s/s, the %s",
				     units_bytes(rate, (double)small.bytes / moved_ns * 1e9),
				     best < known && small.bytes <= small.count * TINY_BYTES
					     ? "least that is assumed of so few bytes"
					     : "best rate seen here");
	finding->suggestion =
		"gather them into one buffer and transfer that at once, or leave the data on the "
		"device";
	return 0;
}

/* Of those of as many bytes or more: where the device is the CPU, less of them may be in a cache. */
static double best_from(const struct transfer_row *row, unsigned size)
{
	double best = 0;

	for (unsigned i = size; i < SIZE_CLASSES; i++) {
		if (class_rate(&row->classes[i]) > best)
			best = class_rate(&row->classes[i]);
	}
	return best;
}

/* Large ones, of a size that was slower than others. */
static int add_slow(struct findings *findings, const struct transfer_row *row, double best,
		    double fixed)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	bool is_cpu = devices_taken_part(&findings->iterator->devices.rows[row->device]) > 0;
	char count[UNITS_BYTES], bytes[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];
	double all_best = best;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->classes[i];
		struct finding *finding;

		best = is_cpu ? best_from(row, i) : all_best;
		if (class->count < 2 || class_rate(class) > best / 2 ||
		    is_small(class, all_best, fixed))
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

/* What they could have reached, and by what that is known. 0: nothing is. */
static double placed_rate(const struct findings *findings, const struct transfers *transfers,
			  const struct transfer_row *row, enum transfer_place place,
			  const char **why)
{
	const struct transfer_class *other = &row->places[PLACE_OTHER];
	uint64_t link = map_get(&transfers->links, row->device);

	*why = "against the other large transfers of this device and direction in this run";
	if (other->count >= (place == PLACE_ODD ? PLACED_COUNT : 1))
		return class_rate(other);
	if (place != PLACE_PAGEABLE ||
	    devices_taken_part(&findings->iterator->devices.rows[row->device]) > 0)
		return 0;
	*why = "no transfer of the run used pinned memory: against what that reaches on the "
	       "device's link, as the system describes it";
	if (link != MAP_NONE)
		return LINK_PART * (double)link / 1e6;
	*why = "no transfer of the run used pinned memory: against what that reaches with PCI "
	       "Express 3.0 and 16 lanes; a faster link saves more";
	return PINNED_RATE;
}

static int add_place(struct findings *findings, const struct transfers *transfers,
		     const struct transfer_row *row, enum transfer_place place)
{
	const struct transfer_class *class = &row->places[place];
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	char count[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];
	const char *why;
	double reached = placed_rate(findings, transfers, row, place, &why);
	bool seen = row->places[PLACE_OTHER].count;
	struct finding *finding;

	if (!class->count || class_rate(class) * PLACED_SLOWER > reached)
		return 0;
	finding = add_class(findings, row, class, place == PLACE_ODD ? "misaligned" : "pageable");
	if (!finding)
		return -ENOMEM;
	finding->cost_ns = class->ns - (uint64_t)((double)class->bytes / reached);
	finding->what = findings_text(
		findings, "%s transfer%s %s (%s) %s: %s/s, where %s %s/s",
		units_count(count, class->count), class->count == 1 ? "" : "s",
		direction(row->kind), api_name(findings, class),
		place == PLACE_ODD ? "used host memory that is not 64-byte aligned"
				   : "used ordinary (pageable) host memory, which the driver must "
				     "copy once more",
		units_bytes(rate, class_rate(class) * 1e9),
		seen ? "others reached" : "pinned memory would reach",
		units_bytes(most, reached * 1e9));
	finding->why = why;
	finding->suggestion = place == PLACE_ODD
				      ? "align the memory to a page: aligned_alloc(4096, ...)"
				      : findings_text(findings,
						      "allocate host memory that the device can "
						      "reach: %s",
						      domain->use_pinned);
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
			status = add_place(findings, transfers, row, place);
	}
	return status ? status : bounces_add(&transfers->bounces, findings);
}

static void transfers_release(struct findings *findings, void *state)
{
	struct transfers *transfers = state;

	(void)findings;
	free(transfers->rows);
	map_free(&transfers->odd);
	map_free(&transfers->links);
	free(transfers->threads);
	bounces_release(&transfers->bounces);
	launch_configs_free(&transfers->launch_configs);
	free(transfers->kernels_until_ns);
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
