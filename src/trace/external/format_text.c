#include "trace/external/format_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define END "\nprint fmt: \"\"\n"

struct reader {
	const char *at, *end;
};

static bool take(struct reader *reader, const char *words)
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
static bool take_name(struct reader *reader)
{
	const char *begin = reader->at;

	while (reader->at < reader->end && is_word(*reader->at))
		reader->at++;
	return reader->at > begin && reader->at - begin < 128;
}

static bool take_digits(struct reader *reader)
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
static bool take_array(struct reader *reader)
{
	const char *begin = reader->at;

	if (!take(reader, "["))
		return false;
	while (reader->at < reader->end && (is_word(*reader->at) || *reader->at == '+'))
		reader->at++;
	return reader->at - begin < 128 && take(reader, "]");
}

/* "unsigned long args[6]", "const char * name", "__data_loc char[] name". */
static bool take_declaration(struct reader *reader)
{
	unsigned names = 0;

	skip_spaces(reader);
	while (take_name(reader)) {
		names++;
		if (reader->at < reader->end && *reader->at == '[' && !take_array(reader))
			return false;
		skip_spaces(reader);
		while (names && take(reader, "*"))
			skip_spaces(reader);
	}
	return names >= 2 && names <= 8 && reader->at[-1] != '*' && reader->at[-1] != ' ';
}

static bool take_field(struct reader *reader)
{
	return take_declaration(reader) && take(reader, ";\toffset:") && take_digits(reader) &&
	       take(reader, ";\tsize:") && take_digits(reader) && take(reader, ";\tsigned:") &&
	       (take(reader, "0") || take(reader, "1")) && take(reader, ";\n");
}

/* "name: sched_switch", "ID: 314", "format:", fields, an empty line, more fields. */
static bool take_description(struct reader *reader)
{
	unsigned fields = 0;

	if (!take(reader, "name: ") || !take_name(reader) || !take(reader, "\nID: ") ||
	    !take_digits(reader) || !take(reader, "\nformat:\n"))
		return false;
	for (;;) {
		if (take(reader, "\tfield:")) {
			if (!take_field(reader))
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

	if (!take_description(&reader))
		return NULL;
	length = (size_t)(reader.at - text);
	copy = malloc(length + sizeof(END));
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	memcpy(copy + length, END, sizeof(END));
	return copy;
}
