/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/text.h"

static void say(const char *format, va_list arguments)
{
	/* One write, so that a line does not mix with the program's own. */
	char line[4096];
	int used = snprintf(line, sizeof(line), "tandem: ");

	struct text visible = TEXT_INIT;

	vsnprintf(line + used, sizeof(line) - (size_t)used, format, arguments);
	/* Names of files, programs and devices are anything. */
	text_add_visible(&visible, line, strlen(line));
	fprintf(stderr, "%s\n", visible.data ? visible.data : line);
	text_free(&visible);
}

int cli_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	return CLI_FAILED;
}

void cli_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

int cli_fail(const struct error *error)
{
	struct text line = TEXT_INIT;

	for (unsigned i = 0; i < error->count; i++) {
		if (i)
			text_add_string(&line, ": ");
		text_escape(&line, error->causes[i], strlen(error->causes[i]));
	}
	if (*error->hint)
		text_format(&line, "; %s", error->hint);
	cli_error("%s", line.data ? line.data : "failed");
	text_free(&line);
	return CLI_FAILED;
}

int cli_usage(const char *command)
{
	fprintf(stderr, "Try `tandem %s --help`.\n", command);
	return CLI_USAGE;
}

bool cli_colour(int fd)
{
	const char *none = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (none && *none)
		return false;
	if (!term || !strcmp(term, "dumb"))
		return false;
	return isatty(fd);
}

/* Where the terminal says nothing. */
#define COLUMNS_USUAL 80u
#define COLUMNS_LEAST 40u

/* What the user asks for; 0: nothing, or no number of columns. Shells do not export it. */
static unsigned columns_asked(void)
{
	const char *text = getenv("COLUMNS");
	uint64_t columns = 0;

	if (!text || cli_parse_number(text, UINT16_MAX, &columns))
		return 0;
	return (unsigned)columns;
}

unsigned cli_width(int fd)
{
	unsigned columns = columns_asked();
	struct winsize size;

	if (!columns) {
		if (!isatty(fd))
			return 0;
		if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
			return COLUMNS_USUAL;
		columns = size.ws_col;
	}
	return columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns;
}

unsigned cli_height(int fd)
{
	struct winsize size;

	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_row;
}

static int unit_shift(const char *unit)
{
	static const char letters[] = "KMGT";
	const char *letter;

	if (!*unit || !strcmp(unit, "B"))
		return 0;
	letter = strchr(letters, *unit == 'k' ? 'K' : *unit);
	if (!letter)
		return -EINVAL;
	if (unit[1] && strcmp(unit + 1, "B") != 0 && strcmp(unit + 1, "iB") != 0)
		return -EINVAL;
	return (int)(letter - letters + 1) * 10;
}

int cli_parse_bytes(const char *text, uint64_t *bytes)
{
	char *rest;
	double number;
	int shift;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	number = strtod(text, &rest);
	shift = unit_shift(rest);
	if (shift < 0)
		return -EINVAL;
	number *= (double)(UINT64_C(1) << shift);
	if (!(number < 9e18))
		return -ERANGE;
	*bytes = (uint64_t)number;
	return 0;
}

int cli_parse_number(const char *text, uint64_t max, uint64_t *number)
{
	char *rest;
	unsigned long long value;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &rest, 10);
	if (*rest)
		return -EINVAL;
	if (errno || value > max)
		return -ERANGE;
	*number = value;
	return 0;
}
