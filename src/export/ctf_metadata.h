/* SPDX-License-Identifier: MIT */
/* The metadata of a chronological CTF trace (CTF 1.8.3, section 7): what its events
 * mean, in TSDL. Fields of calls and records lie there as they were recorded, so
 * that their descriptions are the recorded ones'. One thread.
 *
 *	ctf_metadata_begin(&metadata, &clock, uuid);
 *	ctf_metadata_event(&metadata, 0, event->layout, CTF_CALL_BEGIN, &number);
 *	write(metadata.text)
 *	ctf_metadata_free(&metadata);
 */
#ifndef TANDEM_EXPORT_CTF_METADATA_H
#define TANDEM_EXPORT_CTF_METADATA_H

#include <stdint.h>

#include "trace/schema/layout.h"
#include "util/intern.h"
#include "util/map.h"
#include "util/text.h"

enum ctf_kind {
	CTF_RECORD,	/* NAME: as recorded */
	CTF_CALL_BEGIN, /* NAME_begin: as recorded, without result and end */
	CTF_CALL_END,	/* NAME_end: result, duration_ns */
	/* Of a command: operation_queued... */
	CTF_QUEUED,
	CTF_SUBMITTED,
	CTF_START,
	CTF_STOP,
	CTF_KINDS,
};

struct ctf_metadata {
	struct text text;
	struct map known;    /* event classes that are described: their numbers */
	struct intern types; /* that are described */
};

/* zero_ns: the time of day at which CLOCK_MONOTONIC was 0. */
void ctf_metadata_begin(struct ctf_metadata *metadata, const uint8_t uuid[16], uint64_t zero_ns);

/* Describes the event class, unless it is, and gives its number. `layout` is the
 * record's; of a command's events that of the record `operation`. `source`: layouts of
 * one number are one session's, at one level. Returns 0 or -ENOMEM. */
int ctf_metadata_event(struct ctf_metadata *metadata, unsigned source,
		       const struct trace_layout *layout, enum ctf_kind kind, uint32_t *number);

void ctf_metadata_free(struct ctf_metadata *metadata);

#endif
