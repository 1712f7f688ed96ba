/* SPDX-License-Identifier: MIT */
/* Which kernel of a program's source a record is about: the text's record (`kernel_reads`) comes before
 * kernel objects are made of it, which name the program as well. */
#ifndef TANDEM_ANALYSIS_OPERATIONS_KERNEL_SOURCE_H
#define TANDEM_ANALYSIS_OPERATIONS_KERNEL_SOURCE_H

#include "trace/event.h"
#include "trace/field.h"
#include "util/hash.h"

/* A key of the process, the program and the kernel's name, which is in the field `name` of the event. */
static inline uint64_t kernel_source_key(const struct trace_event *event, uint32_t program,
					 const char *name)
{
	const struct tandem_field *field = trace_field_find(event->layout, name);
	uint64_t key = HASH_START;
	const uint8_t *text;
	size_t bytes;

	text = trace_field_elements(event, field, &bytes);
	hash_number(&key, event->stream->process->index);
	hash_number(&key, program);
	hash_bytes(&key, text, bytes);
	return key;
}

#endif
