/* SPDX-License-Identifier: MIT */
/* Packets of a Perfetto trace (perfetto.dev: protos/perfetto/trace/): one at a
 * time is put together and goes to the output. A machine's are of one sequence; strings
 * that come back are sent once and then named by a number (InternedData).
 *
 *	perfetto_packet_begin(&writer, ns);
 *	size_t event = proto_begin(&writer.packet, PERFETTO_TRACK_EVENT);
 *	...
 *	proto_end(&writer.packet, event);
 *	perfetto_packet_end(&writer, &export->output);
 *
 * Owned by the format; one thread. Out of memory is remembered.
 */
#ifndef TANDEM_EXPORT_PERFETTO_PACKET_H
#define TANDEM_EXPORT_PERFETTO_PACKET_H

#include "export/output.h"
#include "export/perfetto/proto.h"
#include "util/intern.h"

/* Field numbers. */
enum {
	PERFETTO_TRACE_PACKET = 1, /* Trace */

	PERFETTO_FTRACE_EVENTS = 1, /* TracePacket */
	PERFETTO_CLOCK_SNAPSHOT = 6,
	PERFETTO_TIMESTAMP = 8,
	PERFETTO_SEQUENCE_ID = 10,
	PERFETTO_TRACK_EVENT = 11,
	PERFETTO_INTERNED_DATA = 12,
	PERFETTO_SEQUENCE_FLAGS = 13,
	PERFETTO_TRACK_DESCRIPTOR = 60,
	PERFETTO_MACHINE_ID = 98,
	PERFETTO_REMOTE_CLOCK_SYNC = 107,

	PERFETTO_CATEGORIES = 1, /* InternedData */
	PERFETTO_NAMES = 2,
	PERFETTO_ANNOTATION_NAMES = 3,
	PERFETTO_ANNOTATION_WORDS = 29,

	PERFETTO_EVENT_CATEGORY = 3, /* TrackEvent */
	PERFETTO_EVENT_ANNOTATION = 4,
	PERFETTO_EVENT_TYPE = 9,
	PERFETTO_EVENT_NAME = 10,
	PERFETTO_EVENT_TRACK = 11,
	PERFETTO_EVENT_COUNTER = 30,
	PERFETTO_EVENT_FLOW = 47,
	PERFETTO_EVENT_LAST_FLOW = 48,

	PERFETTO_SLICE_BEGIN = 1, /* TrackEvent.Type */
	PERFETTO_SLICE_END = 2,
	PERFETTO_INSTANT = 3,
	PERFETTO_COUNTER = 4,

	PERFETTO_ANNOTATION_NAME = 1, /* DebugAnnotation */
	PERFETTO_ANNOTATION_UINT = 3,
	PERFETTO_ANNOTATION_INT = 4,
	PERFETTO_ANNOTATION_DOUBLE = 5,
	PERFETTO_ANNOTATION_STRING = 6,
	PERFETTO_ANNOTATION_POINTER = 7,
	PERFETTO_ANNOTATION_ARRAY = 12,
	PERFETTO_ANNOTATION_WORD = 17,
};

struct perfetto_writer {
	struct text packet;
	struct text fresh; /* InternedData of the packet */
	size_t begun;
	uint32_t machine; /* that packets are of; 0: the trace's own */
	bool started;	  /* a packet of this machine was written */
	struct intern strings;
	struct map sent; /* InternedData's field and string -> 1 */
	bool failed;
};

/* Packets are of this machine from now on: a sequence of its own, which names its strings anew, as a
 * trace processor reads those of each machine apart. */
void perfetto_packet_machine(struct perfetto_writer *writer, uint32_t machine);

/* Begins a packet; `ns` is its time. */
void perfetto_packet_begin(struct perfetto_writer *writer, int64_t ns);
void perfetto_packet_end(struct perfetto_writer *writer, struct output *output);

/* Number of a string in one of InternedData's fields; it is sent along if it was
 * not before. */
uint64_t perfetto_intern(struct perfetto_writer *writer, uint32_t field, const char *string,
			 size_t length);

/* Whether an entry of one of InternedData's fields that is no string has to be sent along
 * (into `fresh`): the first time. Its number is the caller's, below 2^56. */
bool perfetto_intern_once(struct perfetto_writer *writer, uint32_t field, uint64_t number);

/* Debug annotations of the track event that is being put together. The first
 * begins one whose value the caller adds, before its proto_end(). */
size_t perfetto_annotation(struct perfetto_writer *writer, const char *name);
void perfetto_annotate_unsigned(struct perfetto_writer *writer, const char *name, uint64_t value);
void perfetto_annotate_signed(struct perfetto_writer *writer, const char *name, int64_t value);
void perfetto_annotate_double(struct perfetto_writer *writer, const char *name, double value);
void perfetto_annotate_word(struct perfetto_writer *writer, const char *name, const char *word);
void perfetto_annotate_sizes(struct perfetto_writer *writer, const char *name,
			     const uint64_t *sizes, unsigned count);

void perfetto_writer_free(struct perfetto_writer *writer);

#endif
