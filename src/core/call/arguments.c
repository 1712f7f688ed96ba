/* SPDX-License-Identifier: MIT */
#include "core/call/arguments.h"

#include <string.h>

#include "core/control.h"
#include "schema/record.h"

#define TEXTS_MOST 4u
#define FIXED_BYTES 256u

/* The fixed part is made next to the record: what it names may have to be described
 * first, in a record of its own. */
struct fixed {
	uint8_t bytes[FIXED_BYTES];
	uint32_t at;
	const char *text[TEXTS_MOST];
	uint16_t text_bytes[TEXTS_MOST];
	uint32_t texts, all_text_bytes;
};

static void put_text(struct fixed *fixed, const char *text)
{
	uint16_t bytes = text && fixed->texts < TEXTS_MOST
				 ? (uint16_t)strnlen(text, tandem_control.max_string_bytes)
				 : 0;

	memcpy(fixed->bytes + fixed->at, &bytes, sizeof(bytes));
	if (!bytes)
		return;
	fixed->text[fixed->texts] = text;
	fixed->text_bytes[fixed->texts++] = bytes;
	fixed->all_text_bytes += bytes;
}

static const void *handle_at(const void *arguments, uint16_t at)
{
	const void *handle;

	if (!arguments)
		return NULL;
	memcpy(&handle, (const uint8_t *)arguments + at, sizeof(handle));
	return handle;
}

static void put_step(struct fixed *fixed, const struct arguments_step *step, const void *arguments,
		     uint32_t (*number)(enum arguments_kind kind, const void *handle))
{
	uint8_t *to = fixed->bytes + fixed->at;
	uint32_t object;

	switch (step->kind) {
	case ARGUMENTS_COPY:
		if (arguments)
			memcpy(to, (const uint8_t *)arguments + step->at, step->bytes);
		else
			memset(to, 0, step->bytes);
		break;
	case ARGUMENTS_ZERO:
		memset(to, 0, step->bytes);
		break;
	case ARGUMENTS_TEXT:
		put_text(fixed, handle_at(arguments, step->at));
		break;
	default:
		object = number((enum arguments_kind)step->kind, handle_at(arguments, step->at));
		memcpy(to, &object, sizeof(object));
		break;
	}
	fixed->at += step->bytes;
}

static __attribute__((noinline)) void
full_begin(struct tandem_call *call, const struct arguments_function *function,
	   const struct arguments_step *step, const void *arguments, uint64_t op,
	   uint32_t (*number)(enum arguments_kind kind, const void *handle))
{
	unsigned level = tandem_control.args_level;
	const struct arguments_step *end =
		step + function->level[level].first + function->level[level].count;
	struct fixed fixed;
	uint8_t *record;

	fixed.at = 0;
	fixed.texts = 0;
	fixed.all_text_bytes = 0;
	if (function->class == TANDEM_CLASS_ENQUEUE) {
		memcpy(fixed.bytes, &op, sizeof(op));
		fixed.at = sizeof(op);
	}
	for (step += function->level[level].first; step < end; step++)
		put_step(&fixed, step, arguments, number);
	record = tandem_call_begin(call, function->id,
				   (uint32_t)sizeof(struct tandem_call_record) + fixed.at +
					   fixed.all_text_bytes);
	if (tandem_unlikely(!record))
		return;
	record += sizeof(struct tandem_call_record);
	memcpy(record, fixed.bytes, fixed.at);
	record += fixed.at;
	for (uint32_t i = 0; i < fixed.texts; i++) {
		memcpy(record, fixed.text[i], fixed.text_bytes[i]);
		record += fixed.text_bytes[i];
	}
	tandem_call_commit_at(call, arguments, function->args_bytes);
}

void arguments_begin(struct tandem_call *call, const struct arguments_function *function,
		     const struct arguments_step *steps, const void *arguments, uint64_t op,
		     uint32_t (*number)(enum arguments_kind kind, const void *handle))
{
	if (tandem_unlikely(function->level[tandem_control.args_level].bytes))
		full_begin(call, function, steps, arguments, op, number);
	else if (tandem_likely(
			 tandem_call_begin(call, function->id, sizeof(struct tandem_call_record))))
		tandem_call_commit_at(call, arguments, function->args_bytes);
}

const void *arguments_handle(const struct arguments_function *function,
			     const struct arguments_step *steps, const void *arguments,
			     enum arguments_kind kind, const void *otherwise)
{
	const struct arguments_step *step = steps + function->level[TANDEM_ARGS_FULL].first;

	for (uint32_t i = 0; arguments && i < function->level[TANDEM_ARGS_FULL].count; i++, step++)
		if (step->kind == kind)
			return handle_at(arguments, step->at);
	return otherwise;
}
