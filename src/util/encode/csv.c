/* SPDX-License-Identifier: MIT */
#include "util/encode/csv.h"

#include <string.h>

static size_t digits(const char *bytes, size_t length)
{
	size_t count = 0;

	while (count < length && bytes[count] >= '0' && bytes[count] <= '9')
		count++;
	return count;
}

/* [+-]digits[.digits][e[+-]digits], all of it. */
static bool is_number(const char *bytes, size_t length)
{
	size_t at = length && (*bytes == '-' || *bytes == '+'), count;

	count = digits(bytes + at, length - at);
	at += count;
	if (at < length && bytes[at] == '.') {
		size_t more = digits(bytes + at + 1, length - at - 1);

		at += 1 + more;
		count += more;
	}
	if (!count)
		return false;
	if (at < length && (bytes[at] == 'e' || bytes[at] == 'E')) {
		at++;
		at += at < length && (bytes[at] == '-' || bytes[at] == '+');
		count = digits(bytes + at, length - at);
		if (!count)
			return false;
		at += count;
	}
	return at == length;
}

static bool stays(char c)
{
	return c == '\n' || c == '\t';
}

static void add_escaped(struct text *out, const char *bytes, size_t length)
{
	size_t from = 0, at = 0;

	while (at < length) {
		size_t control = stays(bytes[at]) ? 0 : text_control(bytes + at, length - at);

		if (!control && bytes[at] != '"') {
			at++;
			continue;
		}
		text_add_utf8(out, bytes + from, at - from);
		if (control)
			text_format(out, "\\x%02x", (unsigned char)bytes[at + control - 1]);
		else
			text_add_string(out, "\"\"");
		at += control ? control : 1;
		from = at;
	}
	text_add_utf8(out, bytes + from, length - from);
}

void csv_add_text(struct text *out, const char *bytes, size_t length)
{
	bool formula = length && memchr("=+-@\t\n", *bytes, 6) && !is_number(bytes, length);
	bool quoted = !length;

	for (size_t i = 0; i < length; i++)
		quoted |= memchr(",\"\n", bytes[i], 3) != NULL;
	if (quoted)
		text_add_char(out, '"');
	if (formula)
		text_add_char(out, '\'');
	add_escaped(out, bytes, length);
	if (quoted)
		text_add_char(out, '"');
}
