/* SPDX-License-Identifier: MIT */
/* A growing text. Out of memory is remembered, not returned at every step: the
 * owner asks text_failed() once, at the end. One thread.
 *
 *	struct text line = TEXT_INIT;
 *	text_format(&line, "%s(", name);
 *	text_escape(&line, bytes, length);
 *	fwrite(line.data, 1, line.length, stdout);
 *	text_free(&line);
 */
#ifndef TANDEM_UTIL_TEXT_H
#define TANDEM_UTIL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct text {
	char *data; /* ends with NUL once something was added */
	size_t length, capacity;
	bool failed;
};

#define TEXT_INIT            \
	{                    \
		.data = NULL \
	}

/* When there is no room left. */
void text_add_slowly(struct text *text, const char *bytes, size_t length);

/* Inline, as a line of output is made of some twenty pieces. */
static inline void text_add(struct text *text, const char *bytes, size_t length)
{
	if (__builtin_expect(length >= text->capacity - text->length, 0) || text->failed) {
		text_add_slowly(text, bytes, length);
		return;
	}
	if (length)
		memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
}

static inline void text_add_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

static inline void text_add_char(struct text *text, char c)
{
	text_add(text, &c, 1);
}

void text_add_unsigned(struct text *text, unsigned long long number);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vformat(struct text *text, const char *format, va_list arguments);

/* Fills with blanks up to `column` characters behind `from`, at least none.
 * Counts characters of UTF-8, not bytes. */
void text_pad(struct text *text, size_t from, size_t column);

/* Adds bytes of unknown origin so that a terminal is safe: control characters
 * and bytes that are not UTF-8 as \n, \t, \xNN; a backslash doubled. */
void text_escape(struct text *text, const char *bytes, size_t length);

/* The same of a whole line that holds text of one's own: control characters and bytes that
 * are not UTF-8 as \xNN, nothing else. What was escaped stays as it is. */
void text_add_visible(struct text *text, const char *bytes, size_t length);

/* Bytes of the control character (U+0000 to U+001F, U+007F to U+009F) at `bytes`, 0 where
 * there is none. */
size_t text_control(const char *bytes, size_t length);

/* Adds bytes of unknown origin as UTF-8: what is none becomes U+FFFD. */
void text_add_utf8(struct text *text, const char *bytes, size_t length);

/* Empties it, keeps the memory. */
void text_clear(struct text *text);
void text_free(struct text *text);

/* Number of bytes of the UTF-8 character at `bytes`, 0 where there is none:
 * overlong forms, surrogates and what lies behind U+10FFFF are none. */
size_t utf8_length(const char *bytes, size_t length);

bool utf8_valid(const char *bytes, size_t length);

/* Characters (not columns) of a UTF-8 text; a stray byte counts one. */
size_t utf8_count(const char *bytes, size_t length);

#endif
