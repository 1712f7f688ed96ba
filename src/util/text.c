/* SPDX-License-Identifier: MIT */
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/array.h"

enum { LEAST = 120 }; /* bytes of a text, so that few are moved while they grow */

static bool text_reserve(struct text *text, size_t more)
{
	size_t need = text->length + more + 1;

	if (text->failed || need <= more ||
	    array_reserve(&text->data, &text->capacity, need > LEAST ? need : LEAST, 1))
		text->failed = true;
	return !text->failed;
}

void text_add_slowly(struct text *text, const char *bytes, size_t length)
{
	if (text_reserve(text, length))
		text_add(text, bytes, length);
}

void text_add_unsigned(struct text *text, unsigned long long number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	text_add(text, digits + at, sizeof(digits) - at);
}

void text_vformat(struct text *text, const char *format, va_list arguments)
{
	size_t room = text->failed ? 0 : text->capacity - text->length;
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(room ? text->data + text->length : NULL, room, format, again);
	va_end(again);
	/* Formatting is dear: a second time only where it did not fit. */
	if (length >= 0 && (size_t)length >= room) {
		if (!text_reserve(text, (size_t)length))
			length = -1;
		else
			vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
	}
	if (length >= 0 && !text->failed)
		text->length += (size_t)length;
	else if (text->capacity > text->length)
		text->data[text->length] = '\0';
}

void text_format(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vformat(text, format, arguments);
	va_end(arguments);
}

void text_pad(struct text *text, size_t from, size_t column)
{
	size_t width;

	if (from > text->length)
		return;
	for (width = text->length == from ? 0 : utf8_count(text->data + from, text->length - from);
	     width < column; width++)
		text_add_char(text, ' ');
}

size_t text_control(const char *bytes, size_t length)
{
	unsigned char c = length ? (unsigned char)*bytes : ' ';

	if (c < 0x20 || c == 0x7f)
		return 1;
	return c == 0xc2 && length > 1 && (unsigned char)bytes[1] >= 0x80 &&
			       (unsigned char)bytes[1] < 0xa0
		       ? 2
		       : 0;
}

void text_add_visible(struct text *text, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t run = utf8_length(bytes + i, length - i);

		if (run && !text_control(bytes + i, length - i)) {
			text_add(text, bytes + i, run);
			i += run;
		} else {
			text_format(text, "\\x%02x", (unsigned char)bytes[i++]);
		}
	}
}

void text_escape(struct text *text, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t plain = i;
		unsigned char c;
		size_t run;
		bool control;

		while (plain < length && bytes[plain] >= 0x20 && bytes[plain] < 0x7f &&
		       bytes[plain] != '\\')
			plain++;
		text_add(text, bytes + i, plain - i);
		i = plain;
		if (i == length)
			break;
		c = (unsigned char)bytes[i];
		run = utf8_length(bytes + i, length - i);
		control = text_control(bytes + i, length - i) > 0;

		if (c == '\\')
			text_add_string(text, "\\\\");
		else if (c == '\n')
			text_add_string(text, "\\n");
		else if (c == '\t')
			text_add_string(text, "\\t");
		else if (run && !control)
			text_add(text, bytes + i, run);
		else
			text_format(text, "\\x%02x", c);
		i += run && !control ? run : 1;
	}
}

void text_add_utf8(struct text *text, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t run = utf8_length(bytes + i, length - i);

		if (run)
			text_add(text, bytes + i, run);
		else
			text_add_string(text, "\xef\xbf\xbd");
		i += run ? run : 1;
	}
}

void text_clear(struct text *text)
{
	text->length = 0;
	text->failed = false;
	if (text->data)
		*text->data = '\0';
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text)TEXT_INIT;
}

size_t utf8_length(const char *bytes, size_t length)
{
	const unsigned char *b = (const unsigned char *)bytes;
	size_t need;

	if (!length)
		return 0;
	if (b[0] < 0x80)
		return 1;
	need = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
	if (b[0] < 0xc2 || b[0] > 0xf4 || need > length)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
	    (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
		return 0;
	return need;
}

size_t utf8_count(const char *bytes, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; count++) {
		size_t run =
			(unsigned char)bytes[i] < 0x80 ? 1 : utf8_length(bytes + i, length - i);

		i += run ? run : 1;
	}
	return count;
}

bool utf8_valid(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t run = utf8_length(bytes + i, length - i);

		if (!run)
			return false;
		i += run;
	}
	return true;
}
