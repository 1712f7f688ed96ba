/* SPDX-License-Identifier: MIT */
#include "util/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Rows of a table stay on one line each: only so many levels are broken up. */
#define JSON_INDENTED_LEVELS 2u

void json_init(struct json *json, struct text *text, bool indented)
{
	*json = (struct json){.text = text, .indented = indented, .first = true};
}

static void json_break(struct json *json)
{
	text_add_char(json->text, '\n');
	for (unsigned i = 0; i < json->depth; i++)
		text_add_string(json->text, "  ");
}

static void json_quote(struct json *json, const char *bytes, size_t length)
{
	struct text *text = json->text;

	text_add_char(text, '"');
	for (size_t i = 0; i < length;) {
		size_t plain = i;
		size_t run;

		while (plain < length && (unsigned char)bytes[plain] >= 0x20 &&
		       (unsigned char)bytes[plain] < 0x7f && bytes[plain] != '"' &&
		       bytes[plain] != '\\')
			plain++;
		text_add(text, bytes + i, plain - i);
		i = plain;
		if (i == length)
			break;
		run = utf8_length(bytes + i, length - i);
		if (bytes[i] == '"' || bytes[i] == '\\') {
			text_add_char(text, '\\');
			text_add_char(text, bytes[i]);
		} else if (bytes[i] == '\n') {
			text_add_string(text, "\\n");
		} else if (run == 1) {
			text_format(text, "\\u%04x", (unsigned)bytes[i]);
		} else if (run) {
			text_add(text, bytes + i, run);
		} else {
			text_add_string(text, "\xef\xbf\xbd");
		}
		i += run ? run : 1;
	}
	text_add_char(text, '"');
}

/* What stands before a value: comma, line break, key. */
static void json_member(struct json *json, const char *key)
{
	bool broken = json->indented && json->depth && json->depth <= JSON_INDENTED_LEVELS;

	if (!json->first)
		text_add_char(json->text, ',');
	if (broken)
		json_break(json);
	else if (!json->first)
		text_add_char(json->text, ' ');
	json->first = false;
	if (key) {
		json_quote(json, key, strlen(key));
		text_add_string(json->text, ": ");
	}
}

static void json_begin(struct json *json, const char *key, char bracket)
{
	json_member(json, key);
	text_add_char(json->text, bracket);
	json->depth++;
	json->first = true;
}

static void json_end(struct json *json, char bracket)
{
	bool empty = json->first;

	json->depth--;
	if (json->indented && !empty && json->depth < JSON_INDENTED_LEVELS)
		json_break(json);
	text_add_char(json->text, bracket);
	json->first = false;
}

void json_begin_object(struct json *json, const char *key)
{
	json_begin(json, key, '{');
}

void json_end_object(struct json *json)
{
	json_end(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
	json_begin(json, key, '[');
}

void json_end_array(struct json *json)
{
	json_end(json, ']');
}

void json_string(struct json *json, const char *key, const char *string)
{
	json_member(json, key);
	json_quote(json, string, strlen(string));
}

void json_bytes(struct json *json, const char *key, const char *bytes, size_t length)
{
	json_member(json, key);
	json_quote(json, bytes, length);
}

void json_unsigned(struct json *json, const char *key, uint64_t number)
{
	json_member(json, key);
	text_add_unsigned(json->text, number);
}

void json_signed(struct json *json, const char *key, int64_t number)
{
	json_member(json, key);
	text_format(json->text, "%" PRId64, number);
}

void json_float(struct json *json, const char *key, double number, int decimals)
{
	json_member(json, key);
	if (isfinite(number))
		text_format(json->text, "%.*f", decimals, number);
	else
		text_add_string(json->text, "null");
}

void json_thousandths(struct json *json, const char *key, int64_t number)
{
	uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;
	unsigned rest = (unsigned)(size % 1000);
	char digits[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
			 (char)('0' + rest % 10)};

	json_member(json, key);
	if (number < 0)
		text_add_char(json->text, '-');
	text_add_unsigned(json->text, size / 1000);
	text_add(json->text, digits, sizeof(digits));
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_member(json, key);
	text_add_string(json->text, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	json_member(json, key);
	text_add_string(json->text, "null");
}
