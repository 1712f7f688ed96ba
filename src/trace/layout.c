#include "trace/layout.h"

#include <stdlib.h>

#include "schema/ids.h"

/* What the schema says is ours, but a field outside of its record would make
 * the reader trust a damaged size: better no such event at all. */
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

static void layout_init(struct trace_layout *made, const struct tandem_event *event,
			const struct tandem_layout *layout, const struct tandem_field **variables,
			struct trace_variable *sizes)
{
	*made = (struct trace_layout){.event = event,
				      .layout = layout,
				      .fixed_bytes = layout->fixed_bytes,
				      .class = event->class,
				      .has_result = event->has_result,
				      .is_call = event->class != TANDEM_CLASS_RECORD,
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
}

struct trace_layouts *trace_layouts_create(enum tandem_args_level level)
{
	struct trace_layouts *layouts = calloc(1, sizeof(*layouts));
	unsigned variables = 0;

	if (!layouts)
		return NULL;
	for (unsigned number = 0; number < 64; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		for (unsigned i = 0; domain && i < domain->event_count; i++) {
			layouts->count++;
			variables += domain->events[i].layout[level].field_count;
		}
	}
	layouts->all = calloc(layouts->count + 1, sizeof(*layouts->all));
	layouts->variables = calloc(variables + 1, sizeof(*layouts->variables));
	layouts->sizes = calloc(variables + 1, sizeof(*layouts->sizes));
	if (!layouts->all || !layouts->variables || !layouts->sizes) {
		trace_layouts_destroy(layouts);
		return NULL;
	}
	variables = 0;
	layouts->count = 0;
	for (unsigned number = 0; number < 64; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		/* So that `event - 1 < count - 1` is false for every event. */
		layouts->domains[number].count = 1;
		if (!domain)
			continue;
		layouts->domains[number].events = &layouts->all[layouts->count];
		layouts->domains[number].count = domain->event_count;
		for (unsigned i = 0; i < domain->event_count; i++) {
			struct trace_layout *made = &layouts->all[layouts->count];
			const struct tandem_event *event = &domain->events[i];

			if (layout_is_sound(event, &event->layout[level]))
				layout_init(made, event, &event->layout[level],
					    &layouts->variables[variables],
					    &layouts->sizes[variables]);
			variables += made->variable_count;
			made->index = (uint16_t)layouts->count++;
		}
	}
	return layouts;
}

void trace_layouts_destroy(struct trace_layouts *layouts)
{
	if (!layouts)
		return;
	free(layouts->all);
	free(layouts->variables);
	free(layouts->sizes);
	free(layouts);
}

unsigned trace_layouts_count(const struct trace_layouts *layouts)
{
	return layouts->count;
}
