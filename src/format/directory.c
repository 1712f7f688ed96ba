/* SPDX-License-Identifier: MIT */
#include "format/directory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static char *put_number(char *at, uint64_t number)
{
	char digits[20];
	unsigned count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		*at++ = digits[--count];
	*at = '\0';
	return at;
}

char *directory_put(char *at, const char *kind, uint64_t number, uint64_t part)
{
	at = stpcpy(at, kind);
	*at++ = '-';
	at = put_number(at, number);
	if (!part)
		return at;
	*at++ = '.';
	return put_number(at, part);
}

/* Goes behind the digits; false where there are none, or more than fit. */
static bool parse_number(const char **at, uint64_t *number)
{
	uint64_t value = 0;

	if (**at < '1' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; ++*at) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(**at - '0'), &value))
			return false;
	}
	*number = value;
	return true;
}

bool directory_parse(const char *name, const char *kind, struct directory_number *number)
{
	size_t length = strlen(kind);
	const char *at = name + length + 1;

	number->part = 0;
	if (strncmp(name, kind, length) != 0 || name[length] != '-' ||
	    !parse_number(&at, &number->number))
		return false;
	if (*at == '.') {
		at++;
		if (!parse_number(&at, &number->part))
			return false;
	}
	return !*at;
}

static bool starts_with(const char *name, const char *start)
{
	return !strncmp(name, start, strlen(start));
}

bool directory_has(const char *name)
{
	struct directory_number number;

	return !strcmp(name, DIRECTORY_CONTROL) || !strcmp(name, DIRECTORY_SCHEMA) ||
	       !strcmp(name, DIRECTORY_SYSTEM) || starts_with(name, DIRECTORY_DESCRIPTION) ||
	       directory_parse(name, DIRECTORY_PROCESS, &number) ||
	       starts_with(name, DIRECTORY_CUBIN "-") ||
	       /* What readers of earlier versions kept in it. */
	       !strcmp(name, "cache") || starts_with(name, "timeline.index");
}

bool directory_folder_has(const char *name)
{
	struct directory_number number;

	if (*name == '.')
		name++;
	return !strcmp(name, DIRECTORY_METADATA) ||
	       directory_parse(name, DIRECTORY_STREAM, &number) ||
	       directory_parse(name, DIRECTORY_WINDOW, &number) ||
	       directory_parse(name, DIRECTORY_DESCRIPTIONS, &number) ||
	       starts_with(name, "session.sqlite");
}

bool directory_holds_stream(int folder, const char *name)
{
	struct directory_number number;
	struct stat status;

	return directory_parse(name, DIRECTORY_STREAM, &number) && !number.part &&
	       !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) && status.st_size > 0;
}
