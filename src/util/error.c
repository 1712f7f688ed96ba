/* SPDX-License-Identifier: MIT */
#include "util/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static char *error_slot(struct error *error)
{
	return error && error->count < ERROR_CAUSES ? error->causes[error->count++] : NULL;
}

int error_add(struct error *error, int code, const char *format, ...)
{
	char *text = error_slot(error);
	va_list arguments;

	if (text) {
		va_start(arguments, format);
		vsnprintf(text, ERROR_TEXT_BYTES, format, arguments);
		va_end(arguments);
	}
	return code;
}

int error_add_at(struct error *error, int code, const char *file, uint64_t offset,
		 const char *format, ...)
{
	char *text = error_slot(error);
	va_list arguments;
	int used;

	if (text) {
		used = snprintf(text, ERROR_TEXT_BYTES, "%s: byte %" PRIu64 ": ", file, offset);
		if (used >= 0 && used < ERROR_TEXT_BYTES) {
			va_start(arguments, format);
			vsnprintf(text + used, ERROR_TEXT_BYTES - (unsigned)used, format,
				  arguments);
			va_end(arguments);
		}
	}
	return code;
}

void error_set_hint(struct error *error, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return;
	va_start(arguments, format);
	vsnprintf(error->hint, sizeof(error->hint), format, arguments);
	va_end(arguments);
}
