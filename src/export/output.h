/* SPDX-License-Identifier: MIT */
/* Where an export goes: a file that gets its name only when it is whole, or a
 * pipe or device, written as one goes. Errors are remembered and told when it is
 * closed. One thread.
 *
 *	struct output output;
 *
 *	if (output_open(&output, "trace.json", &error))
 *		return status;
 *	output_add(&output, text, length);
 *	status = output_close(&output, &error);      or output_drop(&output);
 */
#ifndef TANDEM_EXPORT_OUTPUT_H
#define TANDEM_EXPORT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/text.h"

struct output {
	int fd;	    /* -1: closed */
	int status; /* the first error, -errno */
	char *path; /* "standard output" where it is that */
	char *part; /* what is written until it is whole; NULL: path itself */
	char *buffer;
	size_t used;
	uint64_t bytes; /* added so far */
};

/* "-" is the standard output. Returns 0 or -errno, told; on error there is
 * nothing to close. */
int output_open(struct output *output, const char *path, struct error *error);

void output_add(struct output *output, const void *bytes, size_t count);

/* Adds the text and empties it. */
void output_text(struct output *output, struct text *text);

/* Writes what is left and gives the file its name. Returns 0 or -errno, told:
 * then there is no such file, or the one that was there before. */
int output_close(struct output *output, struct error *error);

/* Gives up; nothing stays behind. A closed one is left alone. */
void output_drop(struct output *output);

/* Writes what is still in the buffer: of several outputs that belong together, all are
 * written before the first gets its name. Returns 0 or -errno, told. */
int output_write_out(struct output *output, struct error *error);

/* Makes the file at `path`, which is nobody else's: one that is in its place (left by a
 * process of the same number, or a link that somebody planted) is removed, never followed.
 * Returns a descriptor or -errno. */
int output_make(const char *path);

/* The name under which a file is written until it is whole: "PATH.part-PID"; the
 * caller frees it. NULL without memory. */
char *output_part(const char *path);

/* The same of another process. */
char *output_part_of(const char *path, pid_t process);

#endif
