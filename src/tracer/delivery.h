/* SPDX-License-Identifier: MIT */
/* What a tool receives: each record of its sink (sinks/sink.h) goes to the callbacks and pools
 * that the tool has enabled (tracer/enabled.h). In traced calls: no lock, no memory. */
#ifndef TANDEM_TRACER_DELIVERY_H
#define TANDEM_TRACER_DELIVERY_H

#include <stdint.h>

struct tandem_call_record;
struct tandem_record;
struct tandem_sink;

/* A call's entry, an operation, an object, a range: `word` is kept until the call's end. */
void delivery_record(struct tandem_sink *sink, const struct tandem_record *record, const void *args,
		     uint64_t *word);

/* A call's end, with the words of its entry. */
void delivery_end(struct tandem_sink *sink, const struct tandem_call_record *record,
		  const void *args, uint64_t *word);

#endif
