/* SPDX-License-Identifier: MIT */
/* A trace point, as the dispatcher keeps it (tracepoints.h) and as its interfaces of C++ see
 * it (abi.h). */
#ifndef XPTI_TRACEPOINT_H
#define XPTI_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xpti/xpti_trace_framework.h"

/* Which of the four interfaces of C++ (abi.cpp) is where in `face`. */
enum tracepoint_face_number { FACE_PAYLOAD, FACE_EVENT, FACE_METADATA, FACE_TRACEPOINT, FACES };

/* What subscribers of the later generation may print without looking. */
#define UNKNOWN_FUNCTION "<unknown-function>"
#define UNKNOWN_FILE "<unknown-file>"

struct place;

/* What finding one by its ID reads is in its first cache line. */
struct tracepoint {
	void *face[FACES]; /* each an object of C++: the address of its table */
	struct place *place;
	xpti_event_data_t event;
	xpti_payload_data_t payload;
	const void *metadata_cursor; /* of the interface's walk */
};

/* The payload names a place. */
bool payload_is_valid(const xpti_payload_data_t *payload);

#endif
