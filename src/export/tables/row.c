/* SPDX-License-Identifier: MIT */
#include "export/tables/row.h"

#include <inttypes.h>

void row_field(struct table_value *value, const struct trace_event *event, const char *name,
	       struct text *words)
{
	const struct tandem_field *field = trace_field_find(event->layout, name);
	const char *word;
	size_t count = 0;

	if (!field)
		return;
	switch ((enum tandem_field_kind)field->kind) {
	case TANDEM_FIELD_STRING:
		value->text = (const char *)trace_field_elements(event, field, &count);
		row_text(value, value->text, count);
		break;
	case TANDEM_FIELD_ENUM:
		word = trace_name_find(field->names, trace_field_signed(event, field));
		row_word(value, word ? word : "unknown");
		break;
	case TANDEM_FIELD_HEX:
		text_clear(words);
		text_format(words, "0x%" PRIx64, trace_field_unsigned(event, field));
		if (!words->failed)
			row_text(value, words->data, words->length);
		break;
	case TANDEM_FIELD_INT:
		row_integer(value, trace_field_signed(event, field));
		break;
	default:
		row_integer(value, (int64_t)trace_field_unsigned(event, field));
		break;
	}
}
