/* SPDX-License-Identifier: MIT */
#include "export/perfetto/packet.h"

#include <errno.h>
#include <string.h>

/* Of the trace's own machine; those of others follow. */
#define FIRST_SEQUENCE_ID 1

/* TracePacket.SequenceFlags */
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

void perfetto_packet_machine(struct perfetto_writer *writer, uint32_t machine)
{
	if (machine == writer->machine)
		return;
	writer->machine = machine;
	writer->started = false;
	map_clear(&writer->sent);
}

void perfetto_packet_begin(struct perfetto_writer *writer, int64_t ns)
{
	text_clear(&writer->packet);
	text_clear(&writer->fresh);
	writer->begun = proto_begin(&writer->packet, PERFETTO_TRACE_PACKET);
	proto_number(&writer->packet, PERFETTO_TIMESTAMP, (uint64_t)ns);
	proto_number(&writer->packet, PERFETTO_SEQUENCE_ID, FIRST_SEQUENCE_ID + writer->machine);
	if (writer->machine)
		proto_number(&writer->packet, PERFETTO_MACHINE_ID, writer->machine);
	proto_number(&writer->packet, PERFETTO_SEQUENCE_FLAGS,
		     writer->started ? NEEDS_STATE : STATE_CLEARED);
	writer->started = true;
}

void perfetto_packet_end(struct perfetto_writer *writer, struct output *output)
{
	if (writer->fresh.length)
		proto_bytes(&writer->packet, PERFETTO_INTERNED_DATA, writer->fresh.data,
			    writer->fresh.length);
	proto_end(&writer->packet, writer->begun);
	if ((writer->failed || writer->fresh.failed) && !output->status)
		output->status = -ENOMEM;
	output_text(output, &writer->packet);
}

uint64_t perfetto_intern(struct perfetto_writer *writer, uint32_t field, const char *string,
			 size_t length)
{
	uint32_t number;
	uint64_t key;
	size_t entry;

	if (intern_add(&writer->strings, string, length, &number)) {
		writer->failed = true;
		return 0;
	}
	/* Number 0 is the empty string, and no valid iid. */
	key = (uint64_t)field << 32 | number;
	if (map_get(&writer->sent, key) == MAP_NONE) {
		entry = proto_begin(&writer->fresh, field);
		proto_number(&writer->fresh, 1, number + 1ull);
		proto_string(&writer->fresh, 2, string, strnlen(string, length));
		proto_end(&writer->fresh, entry);
		writer->failed |= map_set(&writer->sent, key, 1) != 0;
	}
	return number + 1ull;
}

bool perfetto_intern_once(struct perfetto_writer *writer, uint32_t field, uint64_t number)
{
	/* Keys of strings have no such bit. */
	uint64_t key = UINT64_C(1) << 63 | (uint64_t)field << 56 | number;

	if (map_get(&writer->sent, key) != MAP_NONE)
		return false;
	writer->failed |= map_set(&writer->sent, key, 1) != 0;
	return true;
}

size_t perfetto_annotation(struct perfetto_writer *writer, const char *name)
{
	size_t begun = proto_begin(&writer->packet, PERFETTO_EVENT_ANNOTATION);

	proto_number(&writer->packet, PERFETTO_ANNOTATION_NAME,
		     perfetto_intern(writer, PERFETTO_ANNOTATION_NAMES, name, strlen(name)));
	return begun;
}

void perfetto_annotate_unsigned(struct perfetto_writer *writer, const char *name, uint64_t value)
{
	size_t begun = perfetto_annotation(writer, name);

	proto_number(&writer->packet, PERFETTO_ANNOTATION_UINT, value);
	proto_end(&writer->packet, begun);
}

void perfetto_annotate_signed(struct perfetto_writer *writer, const char *name, int64_t value)
{
	size_t begun = perfetto_annotation(writer, name);

	proto_number(&writer->packet, PERFETTO_ANNOTATION_INT, (uint64_t)value);
	proto_end(&writer->packet, begun);
}

void perfetto_annotate_double(struct perfetto_writer *writer, const char *name, double value)
{
	size_t begun = perfetto_annotation(writer, name);

	proto_double(&writer->packet, PERFETTO_ANNOTATION_DOUBLE, value);
	proto_end(&writer->packet, begun);
}

void perfetto_annotate_word(struct perfetto_writer *writer, const char *name, const char *word)
{
	size_t begun = perfetto_annotation(writer, name);

	proto_number(&writer->packet, PERFETTO_ANNOTATION_WORD,
		     perfetto_intern(writer, PERFETTO_ANNOTATION_WORDS, word, strlen(word)));
	proto_end(&writer->packet, begun);
}

void perfetto_annotate_sizes(struct perfetto_writer *writer, const char *name,
			     const uint64_t *sizes, unsigned count)
{
	size_t begun = perfetto_annotation(writer, name);

	for (unsigned i = 0; i < count; i++) {
		size_t element = proto_begin(&writer->packet, PERFETTO_ANNOTATION_ARRAY);

		proto_number(&writer->packet, PERFETTO_ANNOTATION_UINT, sizes[i]);
		proto_end(&writer->packet, element);
	}
	proto_end(&writer->packet, begun);
}

void perfetto_writer_free(struct perfetto_writer *writer)
{
	text_free(&writer->packet);
	text_free(&writer->fresh);
	intern_free(&writer->strings);
	map_free(&writer->sent);
	memset(writer, 0, sizeof(*writer));
}
