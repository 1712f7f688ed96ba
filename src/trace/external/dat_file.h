/* SPDX-License-Identifier: MIT */
/* A file of trace-cmd, version 6, as trace-cmd.dat.v6(5) describes it: who made it, its events
 * that mean something to us, and where the pages of each CPU lie. One thread.
 *
 *	struct dat_file dat = {.path = path, .error = error};
 *	int status = dat_file_open(&dat);
 *
 *	...
 *	dat_file_close(&dat);
 */
#ifndef TANDEM_TRACE_DAT_FILE_H
#define TANDEM_TRACE_DAT_FILE_H

#include <event-parse.h>
#include <kbuffer.h>
#include <stdbool.h>
#include <string.h>

#include "trace/external/external_trace.h"

struct dat_kind { /* an event of the file that means something to us */
	struct tep_event *event;
	enum external_kind kind;
	struct tep_format_field *fields[6];
	struct external_format format;
};

struct dat_cpu {
	const uint8_t *next, *end; /* pages not begun yet */
	struct kbuffer *pages;
	struct tep_record record; /* the event at hand */
	uint64_t missed;
	bool done;
};

struct dat_file {
	const char *path;
	const uint8_t *bytes, *at, *end;
	size_t size;
	struct tep_handle *tep;
	struct error *error;
	uint32_t page_bytes, cpu_count;
	bool big;
	struct dat_kind *kinds;
	size_t kind_count, kind_capacity;
	struct dat_cpu *cpus;
	char host[65], release[65], clock[32];
};

/* Maps the file and reads all that is before its events. Returns 0, -ENOMEM, or what it has
 * said in `error`; it is to be closed either way. */
int dat_file_open(struct dat_file *dat);

void dat_file_close(struct dat_file *dat);

/* As much of it as there is room for. */
static inline void dat_copy_word(char *out, size_t bytes, const char *from, size_t length)
{
	if (length >= bytes)
		length = bytes - 1;
	memcpy(out, from, length);
	out[length] = '\0';
}

#endif
