/* SPDX-License-Identifier: MIT */
#include "domains/annotation/range.h"

#include <string.h>

#include "core/process.h"
#include "core/stream/stream.h"

static void scope_describe(const struct annotation_handle *scope,
			   enum tandem_annotation_interface source)
{
	struct tandem_annotation_range_scope *record = tandem_record_begin(
		TANDEM_ANNOTATION_EVENT_range_scope, (uint32_t)sizeof(*record) + scope->bytes);

	if (!record)
		return;
	record->scope = scope->scope;
	record->source = (uint8_t)source;
	record->name_count = (uint16_t)scope->bytes;
	memcpy(record + 1, scope->text, scope->bytes);
	tandem_record_commit();
}

/* Its number, described where it was not since the last resume. */
static uint32_t scope_number(struct annotation_handle *scope,
			     enum tandem_annotation_interface source)
{
	uint32_t statedump = tandem_process_statedump() + 1;

	if (scope && tandem_unlikely(atomic_exchange(&scope->statedump, statedump) != statedump))
		scope_describe(scope, source);
	return annotation_scope_number(scope);
}

void annotation_range_write(enum tandem_annotation_interface source,
			    struct annotation_handle *scope, enum tandem_annotation_kind kind,
			    uint64_t range, const struct annotation *annotation)
{
	const struct annotation_text *text = &annotation->text;
	uint32_t number = scope_number(scope, source);
	struct tandem_annotation_range *record = tandem_record_begin(
		TANDEM_ANNOTATION_EVENT_range, (uint32_t)sizeof(*record) + text->bytes);

	if (!record)
		return;
	record->source = (uint8_t)source;
	record->kind = (uint8_t)kind;
	record->payload_type = annotation->payload_type;
	record->scope = number;
	record->category = annotation->category;
	record->color = annotation->color;
	record->range = range;
	record->payload = annotation->payload;
	record->text_count = (uint16_t)text->bytes;
	memcpy(record + 1, text->at, text->bytes);
	tandem_record_commit();
}

void annotation_range_end_write(enum tandem_annotation_interface source,
				struct annotation_handle *scope, uint64_t range)
{
	uint32_t number = scope_number(scope, source);
	struct tandem_annotation_range_end *record =
		tandem_record_begin(TANDEM_ANNOTATION_EVENT_range_end, sizeof(*record));

	if (!record)
		return;
	record->source = (uint8_t)source;
	record->scope = number;
	record->range = range;
	tandem_record_commit();
}

void annotation_category_write(enum tandem_annotation_interface source,
			       struct annotation_handle *scope, uint32_t category,
			       const struct annotation_text *name)
{
	uint32_t number = scope_number(scope, source);
	struct tandem_annotation_range_category *record = tandem_record_begin(
		TANDEM_ANNOTATION_EVENT_range_category, (uint32_t)sizeof(*record) + name->bytes);

	if (!record)
		return;
	record->scope = number;
	record->category = category;
	record->name_count = (uint16_t)name->bytes;
	memcpy(record + 1, name->at, name->bytes);
	tandem_record_commit();
}
