/* SPDX-License-Identifier: MIT */
#include "sinks/lttng/provider.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttng/tracepoint.h>

#include "schema/record.h"
#include "sinks/lttng/write.h"

/* LTTng compares it as text: what a tracepoint's callers and its provider agree on. */
#define SIGNATURE "const struct lttng_event *, event, const void *, bytes, size_t, count"

/* A record's bytes can be written as they are only where LTTng aligns nothing, as on x86
 * and 64-bit Arm. */
_Static_assert(lttng_ust_rb_alignof(uint64_t) == 1, "payloads are packed");

struct provider {
	char name[32];
	struct lttng_ust_probe_desc probe;
	struct lttng_event *events; /* by 2 × index in the domain's table + half */
};

static struct provider providers[TANDEM_DOMAINS];
/* A page of it is used where a domain's ids are. */
struct lttng_event *lttng_events[UINT16_MAX + 1];

#define INTEGER(bits, is_signed, in_base)                                                         \
	{                                                                                         \
		.parent = {.type = lttng_ust_type_integer},                                       \
		.struct_size = sizeof(struct lttng_ust_type_integer), .size = bits,               \
		.alignment = 8, .signedness = is_signed, .reverse_byte_order = 0, .base = in_base \
	}
#define WIDTHS(is_signed, base)                                                     \
	{                                                                           \
		INTEGER(8, is_signed, base), INTEGER(16, is_signed, base),          \
			INTEGER(32, is_signed, base), INTEGER(64, is_signed, base), \
	}

static const struct lttng_ust_type_integer unsigned_types[] = WIDTHS(0, 10);
static const struct lttng_ust_type_integer signed_types[] = WIDTHS(1, 10);
static const struct lttng_ust_type_integer hex_types[] = WIDTHS(0, 16);
static const struct lttng_ust_type_float float_type = {
	.parent = {.type = lttng_ust_type_float},
	.struct_size = sizeof(struct lttng_ust_type_float),
	.exp_dig = 11,
	.mant_dig = 53,
	.alignment = 8,
};

static unsigned width(unsigned bytes)
{
	return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

/* Enumerations by their names, each made once. */
static struct {
	const struct tandem_names *names;
	struct lttng_ust_type_enum *type;
} * enums;
static size_t enum_count;

static struct lttng_ust_type_enum *enum_create(const struct tandem_names *names,
					       const struct lttng_ust_probe_desc *probe)
{
	struct lttng_ust_enum_entry *entries = calloc(names->count, sizeof(*entries));
	const struct lttng_ust_enum_entry **list = calloc(names->count, sizeof(*list));
	struct lttng_ust_enum_desc *description = calloc(1, sizeof(*description));
	struct lttng_ust_type_enum *type = calloc(1, sizeof(*type));

	if (!entries || !list || !description || !type) {
		free(entries);
		free(list);
		free(description);
		free(type);
		return NULL;
	}
	for (uint32_t i = 0; i < names->count; i++) {
		struct lttng_ust_enum_value value = {
			.value = (unsigned long long)names->names[i].value,
			.signedness = names->is_signed != 0,
		};

		entries[i] = (struct lttng_ust_enum_entry){.struct_size = sizeof(*entries),
							   .start = value,
							   .end = value,
							   .string = names->names[i].name};
		list[i] = &entries[i];
	}
	*description = (struct lttng_ust_enum_desc){.struct_size = sizeof(*description),
						    .name = names->type,
						    .entries = list,
						    .nr_entries = names->count,
						    .probe_desc = probe};
	*type = (struct lttng_ust_type_enum){
		.parent = {.type = lttng_ust_type_enum},
		.struct_size = sizeof(*type),
		.desc = description,
		.container_type = names->is_signed ? &signed_types[width(names->bytes)].parent
						   : &unsigned_types[width(names->bytes)].parent};
	return type;
}

static const struct lttng_ust_type_common *enum_type(const struct tandem_names *names,
						     const struct lttng_ust_probe_desc *probe)
{
	void *more;

	for (size_t i = 0; i < enum_count; i++)
		if (enums[i].names == names)
			return enums[i].type ? &enums[i].type->parent : NULL;
	more = realloc(enums, (enum_count + 1) * sizeof(*enums));
	if (!more)
		return NULL;
	enums = more;
	enums[enum_count].names = names;
	enums[enum_count].type = enum_create(names, probe);
	enum_count++;
	return enums[enum_count - 1].type ? &enums[enum_count - 1].type->parent : NULL;
}

/* Of a value, or of an element of a sequence. */
static const struct lttng_ust_type_common *value_type(const struct tandem_field *field,
						      const struct lttng_ust_probe_desc *probe)
{
	const struct lttng_ust_type_common *type = NULL;

	switch (field->kind) {
	case TANDEM_FIELD_FLOAT:
		return &float_type.parent;
	case TANDEM_FIELD_INT:
		return &signed_types[width(field->bytes)].parent;
	case TANDEM_FIELD_HEX:
	case TANDEM_FIELD_FLAGS:
		return &hex_types[width(field->bytes)].parent;
	case TANDEM_FIELD_ENUM:
		if (!field->variable && field->names && field->names->count &&
		    field->names->bytes == field->bytes)
			type = enum_type(field->names, probe);
		break;
	default:
		break;
	}
	return type ? type : &unsigned_types[width(field->bytes)].parent;
}

static const struct lttng_ust_type_common *sequence_type(const struct tandem_field *field,
							 const char *length_name,
							 const struct lttng_ust_probe_desc *probe)
{
	struct lttng_ust_type_sequence *type = calloc(1, sizeof(*type));

	if (!type)
		return NULL;
	*type = (struct lttng_ust_type_sequence){
		.parent = {.type = lttng_ust_type_sequence},
		.struct_size = sizeof(*type),
		.length_name = length_name,
		.elem_type = value_type(field, probe),
		.encoding = field->kind == TANDEM_FIELD_STRING ? lttng_ust_string_encoding_UTF8
							       : lttng_ust_string_encoding_none,
	};
	return &type->parent;
}

/* A list of fields that grows to a known size. */
struct field_list {
	struct lttng_ust_event_field *fields;
	const struct lttng_ust_event_field **pointers;
	uint32_t count;
};

static int list_create(struct field_list *list, uint32_t most)
{
	list->fields = calloc(most ? most : 1, sizeof(*list->fields));
	list->pointers = calloc(most ? most : 1, sizeof(*list->pointers));
	list->count = 0;
	return list->fields && list->pointers ? 0 : -ENOMEM;
}

static int list_add(struct field_list *list, const char *name,
		    const struct lttng_ust_type_common *type)
{
	struct lttng_ust_event_field *field = &list->fields[list->count];

	if (!name || !type)
		return -ENOMEM;
	*field = (struct lttng_ust_event_field){
		.struct_size = sizeof(*field), .name = name, .type = type};
	list->pointers[list->count++] = field;
	return 0;
}

static char *length_name(const struct tandem_field *field)
{
	char *name;

	return asprintf(&name, "_%s_length", field->name) < 0 ? NULL : name;
}

/* The fixed part, with the lengths in it, then the sequences: as in the record. */
static int list_fill(struct field_list *list, const struct tandem_layout *layout,
		     const struct lttng_ust_probe_desc *probe)
{
	const char *lengths[256];
	int error =
		layout->field_count > 256 ? -EINVAL : list_create(list, layout->field_count * 2u);

	for (unsigned i = 0; !error && i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];

		lengths[i] = field->variable ? length_name(field) : NULL;
		error = field->variable
				? list_add(list, lengths[i],
					   &unsigned_types[width(field->count_bytes)].parent)
				: list_add(list, field->name, value_type(field, probe));
	}
	for (unsigned i = 0; !error && i < layout->field_count; i++)
		if (layout->fields[i].variable)
			error = list_add(list, layout->fields[i].name,
					 sequence_type(&layout->fields[i], lengths[i], probe));
	return error;
}

/* The result, and what the call returned besides. */
static int list_fill_exit(struct field_list *list, const struct tandem_event *event,
			  const struct tandem_layout *layout,
			  const struct lttng_ust_probe_desc *probe)
{
	const struct lttng_ust_type_common *type = NULL;
	int error = list_create(list, 2);

	if (!error && event->results && event->results->count && event->results->bytes == 4)
		type = enum_type(event->results, probe);
	if (!error)
		error = list_add(list, "result", type ? type : &signed_types[2].parent);
	if (!error && lttng_returned(layout))
		error = list_add(list, layout->fields[0].name,
				 value_type(&layout->fields[0], probe));
	return error;
}

static int event_create(struct lttng_event *event, const struct provider *provider,
			const struct tandem_event *of, enum lttng_half half,
			enum tandem_args_level level, struct lttng_ust_event_desc *description)
{
	static const char *const ends[] = {"_entry", "_exit"};
	struct lttng_ust_tracepoint_class *class = calloc(1, sizeof(*class));
	bool call = of->class != TANDEM_CLASS_RECORD;
	struct field_list list = {0};
	char *name = NULL;
	int error;

	if (!class || asprintf(&name, "%s%s", of->name, call ? ends[half] : "") < 0)
		return -ENOMEM;
	error = half == LTTNG_ENTRY
			? list_fill(&list, &of->layout[level], &provider->probe)
			: list_fill_exit(&list, of, &of->layout[level], &provider->probe);
	if (error)
		return error;
	*class = (struct lttng_ust_tracepoint_class){.struct_size = sizeof(*class),
						     .fields = list.pointers,
						     .nr_fields = list.count,
						     .probe_callback = (void (*)(void))lttng_write,
						     .signature = SIGNATURE,
						     .probe_desc = &provider->probe};
	*description = (struct lttng_ust_event_desc){.struct_size = sizeof(*description),
						     .event_name = name,
						     .probe_desc = &provider->probe,
						     .tp_class = class};
	event->of = of;
	event->head_bytes = call ? sizeof(struct tandem_call_record) : sizeof(struct tandem_record);
	if (half == LTTNG_EXIT && lttng_returned(&of->layout[level]))
		event->returned_bytes = of->layout[level].fields[0].bytes;
	event->fields = list.pointers;
	event->field_count = list.count;
	event->tracepoint = (struct lttng_ust_tracepoint){.struct_size = sizeof(event->tracepoint),
							  .provider_name = provider->name,
							  .event_name = name,
							  .signature = SIGNATURE};
	return 0;
}

static int provider_create(struct provider *provider, const struct tandem_domain *domain,
			   enum tandem_args_level level)
{
	static const int level_debug = 14; /* LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG, the default */
	static const int *loglevel = &level_debug;
	static const char *no_uri;
	size_t most = (size_t)domain->event_count * LTTNG_HALVES, count = 0;
	struct lttng_ust_event_desc *descriptions = calloc(most, sizeof(*descriptions));
	const struct lttng_ust_event_desc **list = calloc(most + 1, sizeof(*list));
	struct lttng_ust_tracepoint **tracepoints = calloc(most, sizeof(*tracepoints));
	int error = 0;

	provider->events = calloc(most, sizeof(*provider->events));
	if (!descriptions || !list || !tracepoints || !provider->events)
		return -ENOMEM;
	snprintf(provider->name, sizeof(provider->name), "tandem_%s", domain->name);
	for (size_t i = 0; !error && i < most; i++) {
		const struct tandem_event *of = &domain->events[i / LTTNG_HALVES];
		enum lttng_half half = (enum lttng_half)(i % LTTNG_HALVES);

		if (!of->name || !TANDEM_ID_EVENT(of->id) ||
		    (half == LTTNG_EXIT && of->class == TANDEM_CLASS_RECORD))
			continue;
		error = event_create(&provider->events[i], provider, of, half, level,
				     &descriptions[count]);
		if (!error && half == LTTNG_ENTRY)
			lttng_events[of->id] = &provider->events[i];
		descriptions[count].loglevel = &loglevel;
		descriptions[count].model_emf_uri = &no_uri;
		list[count] = &descriptions[count];
		tracepoints[count++] = &provider->events[i].tracepoint;
	}
	if (error)
		return error;
	provider->probe = (struct lttng_ust_probe_desc){.struct_size = sizeof(provider->probe),
							.provider_name = provider->name,
							.event_desc = list,
							.nr_events = (unsigned)count,
							.major = LTTNG_UST_PROVIDER_MAJOR,
							.minor = LTTNG_UST_PROVIDER_MINOR};
	/* The call sites first: a session that is there enables them at once. */
	if (lttng_ust_tracepoint_module_register(tracepoints, (int)count) ||
	    !lttng_ust_probe_register(&provider->probe))
		return -ENOMEM;
	return 0;
}

int lttng_provider_create(enum tandem_args_level level)
{
	int error = 0;

	for (unsigned number = 0; !error && number < TANDEM_DOMAINS; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		if (!domain || !domain->event_count || number == TANDEM_DOMAIN_kernel)
			continue;
		error = provider_create(&providers[number], domain, level);
	}
	return error;
}
