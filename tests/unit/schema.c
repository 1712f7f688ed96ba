/* SPDX-License-Identifier: MIT */
/* Descriptors as text and back: what a session says of its events is all that the reader
 * needs to know of them. A domain of more events than a page has ids; records of another
 * layout. */
#include "trace/schema/schema.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "schema/tsdl.h"
#include "trace/schema/layout.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_names(const struct tandem_names *a, const struct tandem_names *b)
{
	if (!a || !b || !b->count)
		return !a;
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (a->names[i].value != b->names[i].value ||
		    !same_text(a->names[i].name, b->names[i].name))
			return false;
	return a->count == b->count;
}

static bool same_field(const struct tandem_field *a, const struct tandem_field *b)
{
	uint8_t kind = b->kind;

	/* An enumeration without names is a number. */
	if (kind == TANDEM_FIELD_ENUM && (!b->names || !b->names->count))
		kind = b->names && b->names->is_signed ? TANDEM_FIELD_INT : TANDEM_FIELD_UINT;
	if (kind == TANDEM_FIELD_FLAGS && (!b->names || !b->names->count))
		kind = TANDEM_FIELD_HEX;
	return same_text(a->name, b->name) && a->kind == kind && a->object == b->object &&
	       a->bytes == b->bytes && a->variable == b->variable &&
	       a->count_bytes == b->count_bytes && a->role == b->role && a->offset == b->offset &&
	       same_names(a->names, b->names);
}

static bool same_event(const struct tandem_event *a, const struct tandem_event *b, unsigned level)
{
	const struct tandem_layout *left = &a->layout[level], *right = &b->layout[level];

	if (a->id != b->id || !same_text(a->name, b->name) || a->class != b->class ||
	    a->has_result != b->has_result || memcmp(&a->traits, &b->traits, sizeof(a->traits)) ||
	    left->fixed_bytes != right->fixed_bytes || left->field_count != right->field_count ||
	    (b->has_result && !same_names(a->results, b->results)))
		return false;
	for (unsigned i = 0; i < left->field_count; i++)
		if (!same_field(&left->fields[i], &right->fields[i]))
			return false;
	return true;
}

static void there_and_back(enum tandem_args_level level)
{
	struct text text = TEXT_INIT;
	struct trace_tsdl tsdl;
	unsigned events = 0;

	for (unsigned number = 0; number < TANDEM_DOMAINS; number++)
		if (tandem_domain_get(number))
			tandem_tsdl_domain(&text, tandem_domain_get(number), level);
	CHECK(!trace_tsdl_parse(&tsdl, text.data, text.length));
	CHECK(!tsdl.bad);
	for (unsigned number = 0; number < TANDEM_DOMAINS; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);
		const struct trace_tsdl_domain *said = tsdl.domains[number];

		CHECK(!domain == !said);
		if (!domain || !said)
			continue;
		CHECK(!strcmp(said->hash, domain->hash) &&
		      same_text(said->domain.name, domain->name));
		CHECK(said->domain.event_count == domain->event_count);
		CHECK(same_text(said->row.title, tandem_domain_row(number)->title));
		CHECK(same_text(said->row.use_callback, tandem_domain_row(number)->use_callback));
		CHECK(said->row.mangled == tandem_domain_row(number)->mangled);
		CHECK(said->row.runtime == tandem_domain_row(number)->runtime);
		for (unsigned i = 0; i < domain->event_count; i++, events++) {
			bool same = same_event(&said->domain.events[i], &domain->events[i], level);

			if (!same)
				fprintf(stderr, "%s\n", domain->events[i].name);
			CHECK(same);
		}
	}
	CHECK(events > 1000);
	trace_tsdl_free(&tsdl);
	text_free(&text);
}

static void layouts_of(const char *text, struct trace_schema *schema,
		       struct trace_layouts **layouts)
{
	struct trace_schema_said said;

	*schema = (struct trace_schema){.text_count = 0};
	CHECK(!trace_schema_add(schema, TANDEM_ARGS_BASIC, text, strlen(text), &said));
	CHECK(!said.bad && !said.conflicts);
	CHECK(!trace_schema_finish(schema));
	*layouts = trace_layouts_create(schema, TANDEM_ARGS_BASIC);
	CHECK(*layouts);
}

/* 1,024 ids are no end: the domain's second page. */
static void two_pages(void)
{
	static const char text[] =
		"/* domain 20 big layout=\"1\" pages=\"20 33\" */\n"
		"event { name = \"first\"; id = 20481; stream_id = 0; fields := struct { u8 a; }; };\n"
		"event { name = \"late\"; id = 33793; stream_id = 0; fields := struct { u16 b; }; };\n"
		/* On a page that is not the domain's. */
		;
	struct trace_schema schema;
	struct trace_layouts *layouts;
	const struct trace_layout *late;

	layouts_of(text, &schema, &layouts);
	late = trace_layouts_get(layouts, 33793);
	CHECK(late && same_text(late->event->name, "late"));
	CHECK(trace_schema_domain_of(&schema, 33793) == 20);
	CHECK(same_text(trace_schema_event(&schema, 33793)->name, "late"));
	CHECK(same_text(trace_schema_event(&schema, 20481)->name, "first"));
	CHECK(!trace_schema_event(&schema, 33792) && !trace_schema_event(&schema, 33794));
	CHECK(trace_layouts_get(layouts, 20481)->index != late->index);
	trace_layouts_destroy(layouts);
	trace_schema_free(&schema);
}

/* The record `memory_free` of a build that knew of more, in another order, in other
 * widths, and not of all. */
static void conversion(void)
{
	static const char text[] =
		"enum tandem_domain : u8 { core = 0 };\n"
		"event { name = \"memory_free\"; id = 8; stream_id = 0; fields := struct { "
		"u32 bytes; u16 _why_count; u64 memory; utf8 why[_why_count]; }; };\n";
	struct {
		struct tandem_record head;
		uint32_t bytes;
		uint16_t why_count;
		uint64_t memory;
		char why[3];
	} __attribute__((packed)) stored = {{77, 8, sizeof(stored)}, 4096, 3, 12, "abc"};
	static char made[TRACE_RECORD_BYTES];
	const struct tandem_domain *core = tandem_domain_get(0);
	const struct tandem_event *known = &core->events[8];
	const struct trace_layout *layout;
	const struct tandem_record *head = (const void *)made;
	struct trace_schema schema;
	struct trace_layouts *layouts;
	uint64_t bytes = 0, memory = 0;

	CHECK(same_text(known->name, "memory_free"));
	layouts_of(text, &schema, &layouts);
	layout = trace_layouts_get(layouts, 8);
	CHECK(layout && layout->conversion && same_text(layout->event->name, "memory_free"));
	CHECK(!trace_layout_fits(layout, &stored, sizeof(stored)));
	CHECK(trace_layout_convert(layout, &stored, sizeof(stored), made) ==
	      known->layout[0].fixed_bytes);
	CHECK(head->id == 8 && head->timestamp == 77 && head->size == known->layout[0].fixed_bytes);
	for (unsigned i = 0; i < known->layout[0].field_count; i++) {
		const struct tandem_field *field = &known->layout[0].fields[i];

		if (same_text(field->name, "bytes"))
			memcpy(&bytes, made + field->offset, field->bytes);
		if (same_text(field->name, "memory"))
			memcpy(&memory, made + field->offset, field->bytes);
	}
	CHECK(bytes == 4096 && memory == 12);
	CHECK(trace_layout_fits_made(layout, made, head->size));
	/* A count that reaches beyond the record. */
	stored.why_count = 4;
	CHECK(!trace_layout_convert(layout, &stored, sizeof(stored), made));
	trace_layouts_destroy(layouts);
	trace_schema_free(&schema);
}

/* Cut at every byte of its end, and with bytes changed: never a crash, nothing that is not
 * there. */
static void damage(void)
{
	struct text text = TEXT_INIT;
	uint32_t state = 1;

	tandem_tsdl_domain(&text, tandem_domain_get(0), TANDEM_ARGS_FULL);
	for (size_t i = 0; i < 4000; i++) {
		size_t bytes = i < 2000 ? text.length - i : text.length;
		char *copy = malloc(bytes);
		struct trace_schema schema = {.text_count = 0};
		struct trace_schema_said said;
		struct trace_layouts *layouts;

		memcpy(copy, text.data, bytes);
		for (unsigned n = 0; i >= 2000 && n < 3; n++) {
			state = state * 1664525u + 1013904223u;
			copy[state % bytes] = (char)(state >> 24);
		}
		CHECK(!trace_schema_add(&schema, TANDEM_ARGS_FULL, copy, bytes, &said));
		CHECK(!trace_schema_finish(&schema));
		layouts = trace_layouts_create(&schema, TANDEM_ARGS_FULL);
		CHECK(layouts);
		trace_layouts_destroy(layouts);
		trace_schema_free(&schema);
		free(copy);
	}
	text_free(&text);
}

int main(void)
{
	there_and_back(TANDEM_ARGS_NONE);
	there_and_back(TANDEM_ARGS_BASIC);
	there_and_back(TANDEM_ARGS_FULL);
	two_pages();
	conversion();
	damage();
	return check_status();
}
