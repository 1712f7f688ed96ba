/* SPDX-License-Identifier: MIT */
#include "analysis/findings/transfers/places.h"

#include <errno.h>
#include <string.h>

#include "trace/field.h"
#include "util/units.h"

/* Smaller ones take as long wherever they lie. */
#define PLACED_BYTES 65536u

/* What a processor and a device move at a time: memory that begins elsewhere is not
 * moved as a whole. */
#define ALIGNMENT 64u

/* What allocators align memory to: max_align_t of 64-bit systems. */
#define ALLOCATED_ALIGNMENT 16u

/* So many transfers are a habit. */
#define HABIT_COUNT 8u

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

/* Pinned memory that moves at less of what the link carries is no one piece: it has rows. */
#define LINK_SLOW 6
#define SLOW_BYTES 262144u

struct reached {     /* by transfers that are not so slow */
	double rate; /* bytes a ns; 0: not known */
	const char *by, *why;
};

static int note_call(struct places *places, const struct event_item *item)
{
	/* Addresses are recorded at the highest level of arguments only. */
	const struct tandem_field *address =
		trace_field_role(item->event->layout, TANDEM_ROLE_address);

	uint64_t at;

	if (!trace_event_op(item->event) || trace_event_failed(item->event) || !address)
		return 0;
	at = trace_field_unsigned(item->event, address);
	if (!(at % ALIGNMENT))
		return 0;
	return map_set(&places->odd, item->call,
		       at % ALLOCATED_ALIGNMENT ? PLACE_ODDER : PLACE_ODD);
}

/* Of 8 bits, or of 128 of 130 from 8 GT/s on (before: of 8 of 10). */
static int note_link(struct places *places, const struct event_item *item)
{
	uint64_t speed = trace_field_number(item->event, "megatransfers");
	uint64_t bits = speed * trace_field_number(item->event, "lanes") * 1000;

	if (item->device == TRACE_NONE)
		return 0;
	return map_set(&places->links, item->device,
		       (speed >= 8000 ? bits * 128 / 130 : bits * 8 / 10) / 8);
}

int places_item(struct places *places, const struct event_item *item)
{
	if (item->kind == ITEM_CALL)
		return note_call(places, item);
	if (item->kind != ITEM_OTHER)
		return 0;
	if (item->event->layout->event->traits.record == TANDEM_RECORD_device_link)
		return note_link(places, item);
	return launch_configs_learn(&places->launch_configs, item->event);
}

static uint64_t queue_key(uint32_t process, uint32_t queue)
{
	return (uint64_t)process << 32 | queue;
}

int places_command(struct places *places, const struct operation *operation)
{
	if (operation->kind != TANDEM_OPERATION_KIND_kernel || !operation->record)
		return 0;
	return map_count(&places->kernels, queue_key(operation->process, operation->queue_number),
			 operation->record->end - operation->record->start);
}

static uint64_t kernels_ns(const struct places *places, uint32_t process)
{
	uint64_t key, ns, sum = 0;
	size_t at = 0;

	while (map_next(&places->kernels, &at, &key, &ns))
		sum += key >> 32 == process ? ns : 0;
	return sum;
}

enum place places_take(struct places *places, const struct operation *operation)
{
	uint64_t odd = map_remove(&places->odd, operation->call);
	const struct launch_config *launch_config;

	if (!operation->record || operation->record->bytes < PLACED_BYTES)
		return PLACES;
	launch_config = launch_configs_find(&places->launch_configs, operation->process,
					    operation->record->launch_config);
	if (launch_config && !launch_config->is_launch &&
	    (launch_config->source == TANDEM_TRANSFER_MEMORY_KIND_pageable ||
	     launch_config->destination == TANDEM_TRANSFER_MEMORY_KIND_pageable))
		return PLACE_PAGEABLE;
	return odd == MAP_NONE ? PLACE_OTHER : (enum place)odd;
}

bool places_is_to_host(const struct places *places, const struct operation *operation)
{
	const struct launch_config *config =
		operation->record ? launch_configs_find(&places->launch_configs, operation->process,
							operation->record->launch_config)
				  : NULL;

	return config && !config->is_launch &&
	       config->destination == TANDEM_TRANSFER_MEMORY_KIND_pageable;
}

double places_link_rate(const struct places *places, uint32_t device)
{
	uint64_t link = map_get(&places->links, device);

	return link == MAP_NONE ? 0 : LINK_PART * (double)link / 1e6;
}

static struct reached reached_find(const struct places *places, const struct findings *findings,
				   uint32_t device, enum place place,
				   const struct transfer_class *other)
{
	double link = places_link_rate(places, device);
	bool is_cpu = devices_taken_part(&findings->iterator->devices.rows[device]) > 0;

	/* A core copies from any address: what is slow there is memory that is touched first. */
	if (is_cpu && place == PLACE_ODD)
		return (struct reached){.rate = 0};
	if (other->count >= (place == PLACE_ODD ? PLACED_COUNT : 1))
		return (struct reached){
			transfer_class_rate(other), "others reached",
			"against the other large transfers of this device and direction in this "
			"run"};
	if (place != PLACE_PAGEABLE || is_cpu)
		return (struct reached){.rate = 0};
	if (link > 0)
		return (struct reached){
			link, "pinned memory would reach",
			"no transfer of the run used pinned memory: against what that reaches on "
			"the device's link, as the system describes it"};
	return (struct reached){
		PINNED_RATE, "pinned memory would reach",
		"no transfer of the run used pinned memory: against what that reaches with PCI "
		"Express 3.0 and 16 lanes; a faster link saves more"};
}

/* What is found of the other direction already: it is one cause. */
static struct finding *other_direction(struct findings *findings, uint32_t device,
				       const struct transfer_class *class, const char *cause)
{
	const char *name = event_iterator_device_name(findings->iterator, device);
	uint64_t pid = findings_pid(findings, class->stream);

	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		if (!strcmp(finding->name, "transfers") && !strcmp(finding->cause, cause) &&
		    finding->pid == pid && finding->device && !strcmp(finding->device, name))
			return finding;
	}
	return NULL;
}

/* Whether their call need not wait for them, and they have a queue of their own: from other memory
 * they would go on while kernels run. With ordinary memory the call itself moves them. */
static bool is_apart(const struct places *places, const struct findings *findings,
		     const struct transfer_class *class)
{
	const struct tandem_event *api = trace_session_event(findings->session, class->api);

	return api && api->traits.synchronous == TANDEM_WHEN_never &&
	       map_get(&places->kernels, queue_key(class->process, class->queue)) == MAP_NONE;
}

/* What other memory saves: that it is moved faster and, next to kernels, that it is not waited for. */
static uint64_t saved_ns(const struct places *places, const struct findings *findings,
			 const struct transfer_class *class, double rate, bool odd)
{
	uint64_t moved_ns = (uint64_t)((double)class->bytes / rate);
	uint64_t hidden_ns = moved_ns < class->exposed_ns ? moved_ns : class->exposed_ns;
	uint64_t beside_ns = kernels_ns(places, class->process);

	if (odd || !is_apart(places, findings, class))
		return class->ns - moved_ns;
	return class->ns - moved_ns + (hidden_ns < beside_ns ? hidden_ns : beside_ns);
}

static int add_place(const struct places *places, struct findings *findings, uint32_t device,
		     uint8_t kind, enum place place, const struct transfer_class *class,
		     const struct reached *reached)
{
	bool odd = place == PLACE_ODD;
	const char *cause = odd ? "misaligned" : "pageable";
	struct finding *finding = other_direction(findings, device, class, cause);
	uint64_t cost_ns = saved_ns(places, findings, class, reached->rate, odd);
	char count[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];

	units_count(count, class->count);
	units_bytes(rate, transfer_class_rate(class) * 1e9);
	units_bytes(most, reached->rate * 1e9);
	if (finding) {
		finding->cost_ns += cost_ns;
		finding->count += class->count;
		finding->what =
			findings_text(findings, "%s; and %s %s (%s): %s/s, where %s %s/s",
				      finding->what, count, transfer_direction(kind),
				      transfer_class_api(class, findings), rate, reached->by, most);
		return 0;
	}
	finding = transfer_class_finding(class, findings, device, kind, cause);
	if (!finding)
		return -ENOMEM;
	finding->cost_ns = cost_ns;
	finding->what = findings_text(
		findings, "%s transfer%s %s (%s) %s: %s/s, where %s %s/s", count,
		class->count == 1 ? "" : "s", transfer_direction(kind),
		transfer_class_api(class, findings),
		odd ? "used host memory that is not 64-byte aligned"
		    : "used ordinary (pageable) host memory, which the driver must copy once more",
		rate, reached->by, most);
	finding->why = reached->why;
	finding->suggestion =
		odd ? "align the memory to a page: aligned_alloc(4096, ...)"
		    : findings_text(findings, "allocate host memory that the device can reach: %s",
				    findings_domain(findings, device)->use_pinned);
	return 0;
}

/* Of all of a direction, where no other transfer says what it costs. */
static int add_unknown(struct findings *findings, uint32_t device, uint8_t kind,
		       const struct transfer_class *class)
{
	struct finding *finding = other_direction(findings, device, class, "misaligned");
	char count[UNITS_BYTES];

	if (finding)
		return 0;
	finding = transfer_class_finding(class, findings, device, kind, "misaligned");
	if (!finding)
		return -ENOMEM;
	finding->always_report = true;
	finding->what = findings_text(
		findings,
		"all %s large transfers %s (%s) used host memory that is not even 16-byte aligned",
		units_count(count, class->count), transfer_direction(kind),
		transfer_class_api(class, findings));
	finding->confidence = CONFIDENCE_LOW;
	finding->why = "none of them began at an aligned address: what it costs is unknown";
	finding->suggestion = "align the memory to a page, or what is transferred in it: "
			      "aligned_alloc(4096, ...)";
	return 0;
}

/* Of a call that says how many bytes follow one another, it is one piece. */
static bool moves_one_piece(const struct findings *findings, uint16_t id)
{
	const struct tandem_event *api = trace_session_event(findings->session, id);
	const struct tandem_layout *layout =
		api ? &api->layout[sizeof(api->layout) / sizeof(*api->layout) - 1] : NULL;
	bool bytes = false, rows = false;

	for (uint16_t i = 0; layout && i < layout->field_count; i++) {
		bytes |= layout->fields[i].role == TANDEM_ROLE_bytes;
		rows |= layout->fields[i].role == TANDEM_ROLE_row;
	}
	return bytes && !rows;
}

/* Large ones from and to pinned memory, at a small part of what the link carries. */
static int add_below_link(struct findings *findings, uint32_t device, uint8_t kind,
			  const struct transfer_class *class, double link)
{
	struct finding *finding = transfer_class_finding(class, findings, device, kind, "slow");
	char count[UNITS_BYTES], bytes[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->cost_ns = class->ns - (uint64_t)((double)class->bytes / link);
	finding->what = findings_text(
		findings,
		"%s transfers %s (%s) of about %s ran at %s/s, from and to pinned memory; the "
		"device's link carries %s/s",
		units_count(count, class->count), transfer_direction(kind),
		transfer_class_api(class, findings),
		units_bytes(bytes, (double)class->bytes / (double)class->count),
		units_bytes(rate, transfer_class_rate(class) * 1e9), units_bytes(most, link * 1e9));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"against what a large transfer in one piece reaches on the link, as the system "
		"describes it";
	finding->suggestion =
		"gather what is wanted on the device, with a kernel, and transfer it in one "
		"piece: rows of a box are moved one by one";
	return 0;
}

static void class_join(struct transfer_class *class, const struct transfer_class *more)
{
	bool longer = more->longest_ns > class->longest_ns;
	struct transfer_class both = longer ? *more : *class;

	both.count = class->count + more->count;
	both.bytes = class->bytes + more->bytes;
	both.ns = class->ns + more->ns;
	both.exposed_ns = class->exposed_ns + more->exposed_ns;
	*class = both;
}

int places_add(const struct places *places, struct findings *findings, uint32_t device,
	       uint8_t kind, const struct transfer_class classes[PLACES])
{
	bool is_cpu = devices_taken_part(&findings->iterator->devices.rows[device]) > 0;
	const struct transfer_class *other = &classes[PLACE_OTHER];
	double link = places_link_rate(places, device);
	int status = 0;

	for (enum place place = PLACE_PAGEABLE; !status && place <= PLACE_ODD; place++) {
		struct transfer_class class = classes[place];
		struct reached reached =
			reached_find(places, findings, device, place, &classes[PLACE_OTHER]);

		if (place == PLACE_ODD)
			class_join(&class, &classes[PLACE_ODDER]);
		if (class.count && transfer_class_rate(&class) * PLACED_SLOWER <= reached.rate)
			status = add_place(places, findings, device, kind, place, &class, &reached);
	}
	if (!status && link > 0 && other->count >= HABIT_COUNT &&
	    other->bytes >= other->count * SLOW_BYTES &&
	    LINK_SLOW * transfer_class_rate(other) <= link &&
	    !moves_one_piece(findings, other->api))
		status = add_below_link(findings, device, kind, other, link);
	if (!status && !is_cpu && classes[PLACE_ODDER].count >= HABIT_COUNT &&
	    !classes[PLACE_ODD].count && !classes[PLACE_OTHER].count &&
	    !classes[PLACE_PAGEABLE].count)
		status = add_unknown(findings, device, kind, &classes[PLACE_ODDER]);
	return status;
}

void places_release(struct places *places)
{
	map_free(&places->odd);
	map_free(&places->links);
	map_free(&places->kernels);
	launch_configs_free(&places->launch_configs);
}
