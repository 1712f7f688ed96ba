/* SPDX-License-Identifier: MIT */
/* GPU drivers' tracepoints as they lie in a trace: bytes as the kernel wrote them,
 * and the kernel's own description of those bytes, which libtraceevent reads. Each
 * stream describes a tracepoint before its first use. Memory grows with the kinds
 * of tracepoints. One thread.
 *
 *	struct tracepoints *tracepoints = tracepoints_create();
 *	tracepoints_learn(tracepoints, event);          every event of the kernel's side
 *	const struct tracepoint *kind = tracepoints_of(tracepoints, event, &data);
 *	if (kind && (field = tracepoint_field(kind, "seqno")))
 *		seqno = tracepoint_number(field, &data);
 */
#ifndef TANDEM_TRACE_TRACEPOINT_H
#define TANDEM_TRACE_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

enum tracepoint_kind {
	TRACEPOINT_UNSIGNED,
	TRACEPOINT_SIGNED,
	TRACEPOINT_ADDRESS, /* shown in hexadecimal */
	TRACEPOINT_STRING,
	TRACEPOINT_BYTES, /* arrays and structs: not shown */
};

struct tracepoint_field {
	const char *name;
	uint8_t kind;
	bool located; /* its place stands in the data (__data_loc); `relative`: to itself */
	bool relative;
	uint32_t offset, bytes;
};

struct tracepoint {
	uint32_t id; /* the kernel's, of that boot */
	const char *system, *name;
	const struct tracepoint_field *fields; /* in their order, without the common ones */
	size_t field_count;
	uint32_t index; /* from 0, of this table */
};

struct tracepoint_data {
	const uint8_t *bytes;
	uint32_t count;
};

struct tracepoints;

/* NULL: no memory, or a build without libtraceevent. The functions take NULL too. */
struct tracepoints *tracepoints_create(void);
void tracepoints_destroy(struct tracepoints *tracepoints);

/* Takes a description; one that makes no sense is passed over. Returns 0 or -ENOMEM. */
int tracepoints_describe(struct tracepoints *tracepoints, uint32_t id, const char *system,
			 const char *name, const char *text, size_t length);

/* Takes the description that a record `format` holds; other records change nothing. */
int tracepoints_learn(struct tracepoints *tracepoints, const struct trace_event *event);

/* By the kernel's number; NULL: not described. */
const struct tracepoint *tracepoints_find(const struct tracepoints *tracepoints, uint32_t id);

/* Of a record `tracepoint`, with its data and the thread (as the kernel counts)
 * that ran; else NULL. */
const struct tracepoint *tracepoints_of(const struct tracepoints *tracepoints,
					const struct trace_event *event,
					struct tracepoint_data *data, uint32_t *tid);

/* NULL: there is none of this name. */
const struct tracepoint_field *tracepoint_field(const struct tracepoint *tracepoint,
						const char *name);

/* 0 where the data is too short. */
uint64_t tracepoint_number(const struct tracepoint_field *field,
			   const struct tracepoint_data *data);

/* Borrowed from the data, *length bytes; "" where it is none. */
const char *tracepoint_string(const struct tracepoint_field *field,
			      const struct tracepoint_data *data, size_t *length);

#endif
