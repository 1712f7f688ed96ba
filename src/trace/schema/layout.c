/* SPDX-License-Identifier: MIT */
#include "trace/schema/layout.h"

#include <stdlib.h>
#include <string.h>

#include "schema/ids.h"

/* A field of what is stored, and where it goes; `to` NULL: nowhere. */
struct conversion_field {
	const struct tandem_field *from, *to;
};

struct trace_conversion {
	struct trace_layout stored;
	uint16_t id;	      /* that the record gets */
	uint16_t fixed_bytes; /* of the layout that it gets */
	unsigned count;
	struct conversion_field *fields; /* of this build's layout, in its order; `from` NULL: 0 */
};

/* A field outside of its record would make the reader trust a damaged size: better no
 * such event at all. */
static bool layout_is_sound(const struct tandem_event *event, const struct tandem_layout *layout)
{
	size_t least = event->class == TANDEM_CLASS_RECORD ? sizeof(struct tandem_record)
							   : sizeof(struct tandem_call_record);

	if (layout->fixed_bytes < least)
		return false;
	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		unsigned bytes = field->variable ? field->count_bytes : field->bytes;

		if (field->offset < least || field->offset + bytes > layout->fixed_bytes)
			return false;
	}
	return true;
}

static int layout_init(struct trace_layouts *layouts, struct trace_layout *made,
		       const struct tandem_event *event, const struct tandem_layout *layout)
{
	const struct tandem_field **variables = NULL;
	struct trace_variable *sizes = NULL;
	unsigned variable_count = 0;

	for (unsigned i = 0; i < layout->field_count; i++)
		variable_count += layout->fields[i].variable;
	if (variable_count) {
		variables = arena_alloc(&layouts->arena, variable_count * sizeof(*variables));
		sizes = arena_alloc(&layouts->arena, variable_count * sizeof(*sizes));
		if (!variables || !sizes)
			return -1;
	}
	*made = (struct trace_layout){.event = event,
				      .layout = layout,
				      .fixed_bytes = layout->fixed_bytes,
				      .index = made->index,
				      .class = event->class,
				      .has_result = event->has_result,
				      .is_call = event->class != TANDEM_CLASS_RECORD,
				      .is_plain = event->class != TANDEM_CLASS_RECORD &&
						  event->class != TANDEM_CLASS_ENQUEUE &&
						  event->class != TANDEM_CLASS_WAIT &&
						  event->class != TANDEM_CLASS_TASK,
				      .variables = variables,
				      .sizes = sizes};
	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];

		if (field->role < TANDEM_ROLE_COUNT && !made->roles[field->role] && i < UINT8_MAX)
			made->roles[field->role] = (uint8_t)(i + 1);
		if (field->variable) {
			sizes[made->variable_count] = (struct trace_variable){
				field->offset, field->count_bytes, field->bytes};
			variables[made->variable_count++] = field;
		} else if (event->class == TANDEM_CLASS_ENQUEUE && field->role == TANDEM_ROLE_op &&
			   field->bytes == 8) {
			made->op_offset = field->offset;
		}
	}
	made->roles[TANDEM_ROLE_none] = 0;
	return 0;
}

/* --- records in the layout of another build */

static int conversion_init(struct trace_layouts *layouts, struct trace_layout *made,
			   const struct tandem_event *stored, enum tandem_args_level level)
{
	const struct tandem_layout *from = &stored->layout[level], *to = made->layout;
	struct trace_conversion *conversion = arena_alloc(&layouts->arena, sizeof(*conversion));

	if (!conversion)
		return -1;
	conversion->fields =
		arena_alloc(&layouts->arena, (to->field_count + 1u) * sizeof(*conversion->fields));
	if (!conversion->fields || layout_init(layouts, &conversion->stored, stored, from))
		return -1;
	conversion->id = made->event->id;
	conversion->fixed_bytes = to->fixed_bytes;
	conversion->count = to->field_count;
	for (unsigned i = 0; i < to->field_count; i++) {
		const struct tandem_field *field = &to->fields[i];

		conversion->fields[i].to = field;
		for (unsigned j = 0; j < from->field_count; j++) {
			const struct tandem_field *other = &from->fields[j];

			/* Elements of another width are of another kind. */
			if (!strcmp(field->name, other->name) &&
			    field->variable == other->variable &&
			    (!field->variable || field->bytes == other->bytes))
				conversion->fields[i].from = other;
		}
	}
	made->conversion = conversion;
	made->fixed_bytes = UINT32_MAX;
	return 0;
}

static void convert_number(const struct conversion_field *field, const uint8_t *record,
			   uint8_t *made)
{
	const struct tandem_field *from = field->from, *to = field->to;
	unsigned bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
	bool negative =
		from->kind == TANDEM_FIELD_INT && record[from->offset + from->bytes - 1] & 0x80;

	/* Little endian. */
	memset(made + to->offset, negative ? 0xff : 0, to->bytes);
	memcpy(made + to->offset, record + from->offset, bytes);
}

static const uint8_t *stored_elements(const struct trace_layout *stored, const uint8_t *record,
				      const struct tandem_field *field, uint32_t *bytes)
{
	const uint8_t *at = record + stored->fixed_bytes;

	for (unsigned i = 0; i < stored->variable_count; i++) {
		*bytes = trace_variable_bytes(stored->sizes[i], record);
		if (stored->variables[i] == field)
			return at;
		at += *bytes;
	}
	*bytes = 0;
	return at;
}

/* Appends the elements at `end`; what has no room, or more of them than this build can
 * count, is left out. */
static uint32_t convert_elements(const struct trace_conversion *conversion,
				 const struct conversion_field *field, const uint8_t *record,
				 uint8_t *made, uint32_t end)
{
	uint32_t most = field->to->count_bytes == 1 ? UINT8_MAX : UINT16_MAX, bytes, count;
	const uint8_t *elements = stored_elements(&conversion->stored, record, field->from, &bytes);

	count = bytes / field->to->bytes;
	if (count > most)
		count = most;
	bytes = count * field->to->bytes;
	if (bytes > UINT16_MAX - end)
		return end;
	memcpy(made + field->to->offset, &count, field->to->count_bytes);
	memcpy(made + end, elements, bytes);
	return end + bytes;
}

uint32_t trace_layout_convert(const struct trace_layout *layout, const void *record, uint32_t bytes,
			      void *made)
{
	const struct trace_conversion *conversion = layout->conversion;
	struct tandem_record *head = made;
	uint32_t end = conversion->fixed_bytes;

	if (!trace_layout_fits(&conversion->stored, record, bytes))
		return 0;
	memset(made, 0, end);
	memcpy(made, record, sizeof(*head));
	for (unsigned i = 0; i < conversion->count; i++) {
		const struct conversion_field *field = &conversion->fields[i];

		if (field->from && !field->to->variable)
			convert_number(field, record, made);
		else if (field->from)
			end = convert_elements(conversion, field, record, made, end);
	}
	head->id = conversion->id;
	head->size = (uint16_t)end;
	return end;
}

/* --- all events of a schema */

static const struct tandem_domain *domain_of(const struct trace_schema *schema, unsigned number)
{
	return schema ? schema->domains[number].domain : tandem_domain_get(number);
}

static int events_init(struct trace_layouts *layouts, const struct trace_schema *schema,
		       const struct tandem_domain *domain, struct trace_layout *all,
		       enum tandem_args_level level)
{
	const struct tandem_event *const *stored =
		schema ? schema->domains[domain->number].stored : NULL;

	for (unsigned i = 0; i < domain->event_count; i++) {
		const struct tandem_event *event = &domain->events[i];

		all[i].index = (uint32_t)(&all[i] - layouts->all);
		if (!event->name || !layout_is_sound(event, &event->layout[level]))
			continue;
		if (layout_init(layouts, &all[i], event, &event->layout[level]) ||
		    (stored && stored[i] && layout_is_sound(stored[i], &stored[i]->layout[level]) &&
		     conversion_init(layouts, &all[i], stored[i], level)))
			return -1;
	}
	for (unsigned i = 0; i < domain->event_count; i++) {
		unsigned page = i / TANDEM_PAGE_EVENTS, event = i % TANDEM_PAGE_EVENTS;

		if (page >= domain->page_count)
			break;
		page = domain->pages[page] % TANDEM_PAGES;
		if (event && !(schema && schema->page_domain[page] != domain->number + 1))
			layouts->by_id[page * TANDEM_PAGE_EVENTS + event] = &all[i];
	}
	return 0;
}

struct trace_layouts *trace_layouts_create(const struct trace_schema *schema,
					   enum tandem_args_level level)
{
	struct trace_layouts *layouts = calloc(1, sizeof(*layouts));
	struct trace_layout *all;

	if (!layouts)
		return NULL;
	for (unsigned number = 0; number < TRACE_DOMAINS; number++) {
		const struct tandem_domain *domain = domain_of(schema, number);

		layouts->count += domain ? domain->event_count : 0;
	}
	all = layouts->all = calloc(layouts->count + 1, sizeof(*layouts->all));
	for (unsigned number = 0; all && number < TRACE_DOMAINS; number++) {
		const struct tandem_domain *domain = domain_of(schema, number);

		if (!domain)
			continue;
		if (events_init(layouts, schema, domain, all, level)) {
			trace_layouts_destroy(layouts);
			return NULL;
		}
		all += domain->event_count;
	}
	if (!all) {
		trace_layouts_destroy(layouts);
		return NULL;
	}
	return layouts;
}

void trace_layouts_destroy(struct trace_layouts *layouts)
{
	if (!layouts)
		return;
	arena_free(&layouts->arena);
	free(layouts->all);
	free(layouts);
}

unsigned trace_layouts_count(const struct trace_layouts *layouts)
{
	return layouts->count;
}

void trace_layouts_number(struct trace_layouts *layouts, unsigned first)
{
	for (unsigned i = 0; i < layouts->count; i++)
		layouts->all[i].index = first + i;
}

struct trace_layouts *trace_layouts_without(const struct trace_layouts *layouts,
					    const struct trace_schema *schema, uint64_t domains)
{
	struct trace_layouts *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	for (unsigned id = 0; id < TRACE_LAYOUTS_IDS; id++) {
		unsigned domain = schema->page_domain[TANDEM_ID_PAGE(id)];

		if (layouts->by_id[id] && !(domain && domains >> (domain - 1) & 1))
			made->by_id[id] = layouts->by_id[id];
	}
	return made;
}
