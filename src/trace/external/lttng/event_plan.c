/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/event_plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/record.h"
#include "trace/external/ctf_value.h"
#include "trace/schema/former_names.h"

#define PREFIX "tandem_"
#define NOWHERE UINT64_MAX

static const struct tandem_event *event_named(const struct tandem_domain *domain, const char *text,
					      size_t length)
{
	char written[256];
	const char *name;

	if (length >= sizeof(written))
		return NULL;
	memcpy(written, text, length);
	written[length] = '\0';
	name = former_event_name(domain->number, written);
	for (unsigned i = 0; i < domain->event_count; i++)
		if (domain->events[i].name && !strcmp(domain->events[i].name, name))
			return &domain->events[i];
	return NULL;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t bytes = strlen(end);

	return length > bytes && !memcmp(text + length - bytes, end, bytes);
}

/* "tandem_opencl:clFinish_entry". */
static void plan_find(struct event_plan *plan, const char *name)
{
	const char *colon = strchr(name, ':'), *of;
	const struct tandem_domain *domain;
	char domain_name[32];
	size_t length;

	if (!colon || strncmp(name, PREFIX, strlen(PREFIX)))
		return;
	of = name + strlen(PREFIX);
	length = (size_t)(colon - of);
	if (length >= sizeof(domain_name))
		return;
	memcpy(domain_name, of, length);
	domain_name[length] = '\0';
	domain = tandem_domain_find(domain_name);
	if (!domain)
		return;
	length = strlen(colon + 1);
	plan->half = ends_with(colon + 1, length, "_entry")  ? EVENT_ENTRY
		     : ends_with(colon + 1, length, "_exit") ? EVENT_EXIT
							     : EVENT_RECORD;
	if (plan->half != EVENT_RECORD)
		length -= plan->half == EVENT_ENTRY ? strlen("_entry") : strlen("_exit");
	plan->event = event_named(domain, colon + 1, length);
	if (plan->event &&
	    (plan->event->class == TANDEM_CLASS_RECORD) != (plan->half == EVENT_RECORD))
		plan->event = NULL;
}

static uint64_t member_place(const struct event_plan *plan, const bt_field_class *payload,
			     const char *name)
{
	unsigned domain = tandem_id_domain(plan->event->id);
	uint64_t count = bt_field_class_structure_get_member_count(payload);

	for (uint64_t i = 0; i < count; i++) {
		const char *member = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(payload, i));

		if (!strcmp(former_field_name(domain, plan->event->name, member), name))
			return i;
	}
	return NOWHERE;
}

/* How many fields of the layout are there; all that are not lengths: it is that level's. */
static unsigned layout_match(const struct event_plan *plan, const struct tandem_layout *layout,
			     const bt_field_class *payload)
{
	unsigned found = 0;

	for (unsigned i = 0; i < layout->field_count; i++)
		found += member_place(plan, payload, layout->fields[i].name) != NOWHERE;
	return found;
}

static unsigned value_members(const bt_field_class *payload)
{
	uint64_t count = bt_field_class_structure_get_member_count(payload);
	unsigned values = 0;

	for (uint64_t i = 0; i < count; i++) {
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(payload, i));

		values += !(name[0] == '_' && ends_with(name, strlen(name), "_length"));
	}
	return values;
}

static void plan_level(struct event_plan *plan, const bt_field_class *payload)
{
	unsigned values = value_members(payload);

	plan->level = TANDEM_ARGS_FULL;
	for (int level = TANDEM_ARGS_FULL; level >= TANDEM_ARGS_NONE; level--) {
		const struct tandem_layout *layout = &plan->event->layout[level];

		if (layout->field_count == values &&
		    layout_match(plan, layout, payload) == values) {
			plan->level = (enum tandem_args_level)level;
			if (plan->half == EVENT_ENTRY)
				plan->levels |= 1u << level;
		}
	}
}

static int plan_places(struct event_plan *plan, const bt_field_class *payload)
{
	const struct tandem_layout *layout = &plan->event->layout[plan->level];

	plan->result = plan->returned = NOWHERE;
	if (plan->half == EVENT_EXIT) {
		plan->result = member_place(plan, payload, "result");
		plan->returned = bt_field_class_structure_get_member_count(payload) > 1
					 ? 1 - (plan->result == 1)
					 : NOWHERE;
		return 0;
	}
	plan->members = calloc(layout->field_count + 1u, sizeof(*plan->members));
	if (!plan->members)
		return -1;
	for (unsigned i = 0; i < layout->field_count; i++)
		plan->members[i] = member_place(plan, payload, layout->fields[i].name);
	return 0;
}

const struct event_plan *event_plans_get(struct event_plans *plans, const bt_event_class *class)
{
	uint64_t key = (uint64_t)(uintptr_t) class, place = map_get(&plans->of_class, key);
	const bt_field_class *payload;
	struct event_plan plan = {.event = NULL};
	const char *name;
	void *more;

	if (place != MAP_NONE)
		return &plans->plans[place];
	name = bt_event_class_get_name(class);
	payload = bt_event_class_borrow_payload_field_class_const(class);
	if (name)
		plan_find(&plan, name);
	if (plan.event && payload) {
		plan_level(&plan, payload);
		if (plan_places(&plan, payload))
			return NULL;
	} else if (plan.event && plan.half == EVENT_EXIT) {
		plan.event = NULL;
	}
	more = realloc(plans->plans, (plans->count + 1) * sizeof(*plans->plans));
	if (!more)
		return NULL;
	plans->plans = more;
	if (map_set(&plans->of_class, key, plans->count))
		return NULL;
	/* A live session may end, and the next one's class lie at its address. */
	bt_event_class_get_ref(class);
	plan.class = class;
	plans->plans[plans->count] = plan;
	return &plans->plans[plans->count++];
}

void event_plans_free(struct event_plans *plans)
{
	for (size_t i = 0; i < plans->count; i++) {
		bt_event_class_put_ref(plans->plans[i].class);
		free(plans->plans[i].members);
	}
	free(plans->plans);
	map_free(&plans->of_class);
}

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
	/* Little endian, as the records are. */
	memcpy(at, &value, bytes < sizeof(value) ? bytes : sizeof(value));
}

/* The elements of a sequence behind `at`; how many, or -1: no room. */
static int64_t fill_sequence(const struct tandem_field *field, const bt_field *value, uint8_t *at,
			     const uint8_t *end)
{
	uint64_t most = field->count_bytes == 1 ? UINT8_MAX : UINT16_MAX, count;

	if (bt_field_get_class_type(value) == BT_FIELD_CLASS_TYPE_STRING) {
		if (field->bytes != 1)
			return 0; /* letters are no elements of that size */
		count = bt_field_string_get_length(value);
		if (count > most || (uint64_t)(end - at) < count)
			return -1;
		memcpy(at, bt_field_string_get_value(value), count);
		return (int64_t)count;
	}
	if (!bt_field_class_type_is(bt_field_get_class_type(value), BT_FIELD_CLASS_TYPE_ARRAY))
		return 0;
	count = bt_field_array_get_length(value);
	if (count > most || (uint64_t)(end - at) < count * field->bytes)
		return -1;
	for (uint64_t i = 0; i < count; i++)
		put(at + i * field->bytes,
		    ctf_number(bt_field_array_borrow_element_field_by_index_const(value, i)),
		    field->bytes);
	return (int64_t)count;
}

size_t event_plan_fill(const struct event_plan *plan, const bt_field *payload, uint8_t *bytes,
		       size_t most)
{
	const struct tandem_layout *layout = &plan->event->layout[plan->level];
	size_t head = plan->half == EVENT_RECORD ? 12 : 24;
	uint8_t *at = bytes + layout->fixed_bytes - head;

	if (layout->fixed_bytes - head > most)
		return SIZE_MAX;
	memset(bytes, 0, layout->fixed_bytes - head);
	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		uint8_t *place = bytes + field->offset - head;
		const bt_field *value =
			plan->members[i] == NOWHERE
				? NULL
				: bt_field_structure_borrow_member_field_by_index_const(
					  payload, plan->members[i]);

		if (value && field->variable) {
			int64_t count = fill_sequence(field, value, at, bytes + most);

			if (count < 0)
				return SIZE_MAX;
			put(place, (uint64_t)count, field->count_bytes);
			at += (uint64_t)count * field->bytes;
		} else if (value) {
			put(place, ctf_number(value), field->bytes);
		}
	}
	return (size_t)(at - bytes);
}

size_t event_plan_end(const struct event_plan *plan, const bt_field *payload, int32_t *result,
		      uint8_t returned[8])
{
	const struct tandem_layout *layout = &plan->event->layout[TANDEM_ARGS_BASIC];
	unsigned bytes = layout->field_count ? layout->fields[0].bytes : 0;

	*result =
		plan->result == NOWHERE
			? 0
			: (int32_t)ctf_number(bt_field_structure_borrow_member_field_by_index_const(
				  payload, plan->result));
	if (plan->returned == NOWHERE || !bytes || bytes > 8)
		return 0;
	put(returned,
	    ctf_number(
		    bt_field_structure_borrow_member_field_by_index_const(payload, plan->returned)),
	    bytes);
	return bytes;
}
