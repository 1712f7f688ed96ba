/* SPDX-License-Identifier: MIT */
/* Writes a trace with records of every event from the descriptors alone, and
 * says on stdout what each of them must look like, in the words of babeltrace2:
 *
 *	gen-trace LEVEL DIR	(LEVEL 0 to 2, DIR an empty folder)
 *
 * The metadata comes from the descriptors as TSDL text. That the two agree is what
 * tests/gen/babeltrace.py looks at.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "format/packet.h"
#include "schema/metadata.h"
#include "schema/record.h"
#include "schema/schema.h"

#include "../core/schema_put.h"

#define ROUNDS 3 /* records of each event, with other values and counts */

static uint8_t *stream;
static size_t stream_bytes, stream_room;

static uint8_t *room_make(size_t bytes)
{
	uint8_t *at;

	if (stream_bytes + bytes > stream_room) {
		stream_room = 2 * stream_room + bytes;
		stream = realloc(stream, stream_room);
		if (!stream)
			exit(1);
	}
	at = stream + stream_bytes;
	memset(at, 0, bytes);
	stream_bytes += bytes;
	return at;
}

/* A value of this width whose bytes all differ, so that none can be mistaken
 * for its neighbour; of an enumeration one of its own in two of three rounds. */
static uint64_t value_make(const struct tandem_field *field, unsigned place, unsigned round)
{
	static uint64_t state = 1;

	if (field->kind == TANDEM_FIELD_STRING)
		return 'a' + (place + round) % 26;
	if (field->kind == TANDEM_FIELD_ENUM && round && field->names->count)
		return (uint64_t)field->names->names[place * 7 % field->names->count].value;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return field->bytes == 8 ? state : state >> 16 & ((1ull << 8 * field->bytes) - 1);
}

static int64_t value_signed(uint64_t value, unsigned bytes)
{
	unsigned unused_bits = 64 - 8 * bytes;

	return (int64_t)(value << unused_bits) >> unused_bits;
}

static void value_print(const struct tandem_field *field, uint64_t value)
{
	uint64_t mask = field->bytes == 8 ? ~0ull : (1ull << 8 * field->bytes) - 1;

	switch (field->kind) {
	case TANDEM_FIELD_HEX:
	case TANDEM_FIELD_FLAGS:
		printf("0x%llX", (unsigned long long)value);
		return;
	case TANDEM_FIELD_INT:
		printf("%lld", (long long)value_signed(value, field->bytes));
		return;
	case TANDEM_FIELD_ENUM: {
		const char *type = field->names->type;
		int negative = !strcmp(type, "cl_error") ||
			       !strcmp(type, "cl_command_execution_status") ||
			       !strncmp(type, "CU", 2) || !strncmp(type, "cuda", 4) ||
			       !strncmp(type, "hip", 3) || !strncmp(type, "hsa", 3) ||
			       !strncmp(type, "HSA", 3) || !strncmp(type, "nvrtc", 5);

		for (size_t i = 0; i < field->names->count; i++) {
			if (((uint64_t)field->names->names[i].value & mask) == value) {
				printf("( \"%s\" : container = ", field->names->names[i].name);
				break;
			}
			if (i + 1 == field->names->count)
				printf("( <unknown> : container = ");
		}
		if (negative)
			printf("%lld )", (long long)value_signed(value, field->bytes));
		else
			printf("%llu )", (unsigned long long)value);
		return;
	}
	default:
		printf("%llu", (unsigned long long)value);
	}
}

static void fields_put(size_t start, const struct tandem_layout *layout, unsigned round, int more)
{
	unsigned counts[64] = {0};
	const char *gap = more ? ", " : " ";

	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		uint64_t value;

		if (field->variable) {
			counts[i] = (i + round) % 3;
			/* Empty strings first: where one follows another text,
			 * babeltrace2 2.0.4 shows the other one, of any tracer. */
			if (field->kind == TANDEM_FIELD_STRING)
				counts[i] = round ? counts[i] + 1 : 0;
			memcpy(stream + start + field->offset, &counts[i], field->count_bytes);
			printf("%s%s_count = %u", gap, field->name, counts[i]);
		} else {
			value = value_make(field, i, round);
			value &= field->bytes == 8 ? ~0ull : (1ull << 8 * field->bytes) - 1;
			memcpy(stream + start + field->offset, &value, field->bytes);
			printf("%s%s = ", gap, field->name);
			value_print(field, value);
		}
		gap = ", ";
	}
	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		int text = field->kind == TANDEM_FIELD_STRING;

		if (!field->variable)
			continue;
		printf(", %s = %s", field->name, text ? "\"" : "[");
		for (unsigned n = 0; n < counts[i]; n++) {
			uint64_t value = value_make(field, i + n, 0);

			memcpy(room_make(field->bytes), &value, field->bytes);
			if (text) {
				printf("%c", (char)value);
			} else {
				printf("%s[%u] = ", n ? ", " : " ", n);
				value_print(field, value);
			}
		}
		printf("%s", text ? "\"" : " ]");
	}
}

static void record_put(unsigned id, const struct tandem_event *event, unsigned level,
		       unsigned round, uint64_t *ticks)
{
	const struct tandem_layout *layout = &event->layout[level];
	size_t start = (stream_bytes + 7) / 8 * 8;
	struct tandem_record head = {.timestamp = ++*ticks, .id = (uint16_t)id};
	int call = event->class != TANDEM_CLASS_RECORD;

	room_make(start - stream_bytes);
	room_make(layout->fixed_bytes);
	printf("%s: {", event->name);
	if (call) {
		const struct tandem_field result = {
			.kind = event->has_result ? TANDEM_FIELD_ENUM : TANDEM_FIELD_INT,
			.bytes = 4,
			.names = event->results,
		};
		uint64_t value = value_make(&result, id, round) & UINT32_MAX;
		uint64_t end = *ticks + 1;

		memcpy(stream + start + offsetof(struct tandem_call_record, result), &value, 4);
		memcpy(stream + start + offsetof(struct tandem_call_record, end), &end, 8);
		printf(" result = ");
		value_print(&result, value);
		printf(", end = %llu", (unsigned long long)end);
	}
	fields_put(start, layout, round, call);
	printf(" }\n");
	head.size = (uint16_t)(stream_bytes - start);
	memcpy(stream + start, &head, sizeof(head));
}

int main(int argc, char **argv)
{
	uint8_t uuid[16] = {1, 2, 3};
	struct tandem_packet_header *packet;
	uint64_t ticks = 1000;
	char path[4096];
	unsigned level;
	FILE *file;

	if (argc != 3)
		return 2;
	level = (unsigned)atoi(argv[1]);
	tandem_control.args_level = level;
	tandem_control.ticks_hz = 1000000000;
	tandem_control.clock_source = TANDEM_CLOCK_MONOTONIC;
	/* Beside the trace, as in a session: in the folder it would pass for a stream. */
	snprintf(path, sizeof(path), "%s/../schema", argv[2]);
	schema_put(path, (enum tandem_args_level)level);
	if (tandem_metadata_write(&(struct tandem_metadata){.dir = argv[2],
							    .session = dirname(strdup(argv[2])),
							    .uuid = uuid,
							    .control = &tandem_control,
							    .domains = ~0ull}))
		return 1;
	room_make(sizeof(*packet));
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned id = 0; id <= UINT16_MAX; id++) {
			const struct tandem_event *event = tandem_event_get(id);

			/* Event 0 of a domain is never written. */
			if (event && TANDEM_ID_EVENT(id))
				record_put(id, event, level, round, &ticks);
		}
	}
	packet = (struct tandem_packet_header *)stream;
	packet->magic = TANDEM_CTF_MAGIC;
	memcpy(packet->uuid, uuid, sizeof(uuid));
	packet->stream_instance_id = 1;
	packet->timestamp_begin = 1000;
	packet->timestamp_end = ticks;
	packet->content_bits = packet->packet_bits = stream_bytes * 8;
	snprintf(path, sizeof(path), "%s/stream-1", argv[2]);
	file = fopen(path, "wb");
	if (!file || fwrite(stream, stream_bytes, 1, file) != 1 || fclose(file))
		return 1;
	free(stream);
	return 0;
}
