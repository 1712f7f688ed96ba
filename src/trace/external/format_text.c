/* SPDX-License-Identifier: MIT */
#include "trace/external/format_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define END "\nprint fmt: \"\"\n"

struct reader {
	const char *at, *end;
};

static bool parse_token(struct reader *reader, const char *words)
{
	size_t length = strlen(words);

	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, words, length))
		return false;
	reader->at += length;
	return true;
}

static bool is_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_';
}

/* Letters, digits and `_`, one at least and no more than names have. */
static bool parse_name(struct reader *reader)
{
	const char *begin = reader->at;

	while (reader->at < reader->end && is_word(*reader->at))
		reader->at++;
	return reader->at > begin && reader->at - begin < 128;
}

static bool parse_digits(struct reader *reader)
{
	const char *begin = reader->at;

	while (reader->at < reader->end && isdigit((unsigned char)*reader->at))
		reader->at++;
	return reader->at > begin && reader->at - begin < 7;
}

static void skip_spaces(struct reader *reader)
{
	while (reader->at < reader->end && *reader->at == ' ')
		reader->at++;
}

/* "[16]", "[30+1]", "[TASK_COMM_LEN]"; "[]" of a type whose place is told elsewhere. */
static bool parse_array(struct reader *reader)
{
	const char *begin = reader->at;

	if (!parse_token(reader, "["))
		return false;
	while (reader->at < reader->end && (is_word(*reader->at) || *reader->at == '+'))
		reader->at++;
	return reader->at - begin < 128 && parse_token(reader, "]");
}

/* "unsigned long args[6]", "const char * name", "__data_loc char[] name". */
static bool parse_declaration(struct reader *reader)
{
	unsigned names = 0;

	skip_spaces(reader);
	while (parse_name(reader)) {
		names++;
		if (reader->at < reader->end && *reader->at == '[' && !parse_array(reader))
			return false;
		skip_spaces(reader);
		while (names && parse_token(reader, "*"))
			skip_spaces(reader);
	}
	return names >= 2 && names <= 8 && reader->at[-1] != '*' && reader->at[-1] != ' ';
}

static bool parse_field(struct reader *reader)
{
	return parse_declaration(reader) && parse_token(reader, ";\toffset:") &&
	       parse_digits(reader) && parse_token(reader, ";\tsize:") && parse_digits(reader) &&
	       parse_token(reader, ";\tsigned:") &&
	       (parse_token(reader, "0") || parse_token(reader, "1")) && parse_token(reader, ";\n");
}

/* "name: sched_switch", "ID: 314", "format:", fields, an empty line, more fields. */
static bool parse_description(struct reader *reader)
{
	unsigned fields = 0;

	if (!parse_token(reader, "name: ") || !parse_name(reader) ||
	    !parse_token(reader, "\nID: ") || !parse_digits(reader) ||
	    !parse_token(reader, "\nformat:\n"))
		return false;
	for (;;) {
		if (parse_token(reader, "\tfield:")) {
			if (!parse_field(reader))
				return false;
			fields++;
		} else if (reader->end - reader->at < 2 || reader->at[0] != '\n' ||
			   reader->at[1] != '\t') {
			return fields > 0;
		} else {
			reader->at++;
		}
	}
}

char *format_text_check(const char *text, size_t bytes)
{
	struct reader reader = {text, text + bytes};
	size_t length;
	char *copy;

	if (!parse_description(&reader))
		return NULL;
	length = (size_t)(reader.at - text);
	copy = malloc(length + sizeof(END));
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	memcpy(copy + length, END, sizeof(END));
	return copy;
}
