/* SPDX-License-Identifier: MIT */
#include "export/ctf_metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format/packet.h"
#include "schema/gen/core_records.h"
#include "schema/schema.h"
#include "schema/tsdl.h"

static const char head[] =
	"trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\tuuid = \"%s\";\n"
	"\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu8 uuid[16];\n\t\tu32 stream_id;\n"
	"\t\tu64 stream_instance_id;\n\t};\n};\n\n"
	"env {\n\ttracer_name = \"tandem\";\n};\n\n"
	"clock {\n\tname = monotonic;\n\tdescription = \"CLOCK_MONOTONIC\";\n"
	"\tfreq = 1000000000;\n\toffset_s = %" PRIu64 ";\n\toffset = %" PRIu64 ";\n"
	"\tabsolute = TRUE;\n};\n\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; }"
	" := monotonic_t;\n"
	"stream {\n\tid = 0;\n"
	"\tevent.header := struct {\n\t\tmonotonic_t timestamp;\n\t\tu32 id;\n\t};\n"
	"\tevent.context := struct {\n\t\ti32 vpid;\n\t\ti32 vtid;\n"
	"\t\tstring { encoding = UTF8; } procname;\n\t};\n"
	"\tpacket.context := struct {\n\t\tmonotonic_t timestamp_begin;\n"
	"\t\tmonotonic_t timestamp_end;\n\t\tu64 content_size;\n\t\tu64 packet_size;\n"
	"\t\tu64 packet_seq_num;\n\t\tu64 events_discarded;\n\t};\n};\n\n";

_Static_assert(PACKET_EXPORTED_BYTES == 80, "packet header and context, as in `head`");

/* Of which command; how wrong the times can be, and whether they contradict what is
 * known of the call; by name. */
static const char phase_fields[] =
	"u64 op; u64 bound_ns; u8 causal; u32 queue; "
	"enum tandem_operation_kind kind; string { encoding = UTF8; } operation; "
	"string { encoding = UTF8; } device;";

static const char stop_fields[] =
	" u64 bytes; i32 status; enum tandem_completion_source completion_source; u64 seen_ns;";

void ctf_metadata_begin(struct ctf_metadata *metadata, const uint8_t uuid[16], uint64_t zero_ns)
{
	char words[40];
	size_t at = 0;

	*metadata = (struct ctf_metadata){.text = TEXT_INIT};
	for (int i = 0; i < 16; i++) {
		static const char digits[] = "0123456789abcdef";

		if (i == 4 || i == 6 || i == 8 || i == 10)
			words[at++] = '-';
		words[at++] = digits[uuid[i] >> 4];
		words[at++] = digits[uuid[i] & 15];
	}
	words[at] = '\0';
	text_add_string(&metadata->text, "/* CTF 1.8 */\n\n");
	text_add_string(&metadata->text, tandem_tsdl_types);
	text_add_char(&metadata->text, '\n');
	text_format(&metadata->text, head, words, zero_ns / 1000000000u, zero_ns % 1000000000u);
}

/* Enumerations that the fields name. One of a name that is known is the same. */
static int add_type(struct ctf_metadata *metadata, const struct tandem_names *names)
{
	size_t before = metadata->types.count;
	uint32_t index;

	if (!names || !names->count)
		return 0;
	if (intern_add(&metadata->types, names->type, strlen(names->type), &index))
		return -ENOMEM;
	if (metadata->types.count > before)
		tandem_tsdl_enum(&metadata->text, names);
	return 0;
}

static int add_types(struct ctf_metadata *metadata, const struct tandem_event *event,
		     const struct tandem_layout *layout)
{
	int status = event->has_result ? add_type(metadata, event->results) : 0;

	for (unsigned i = 0; !status && i < layout->field_count; i++)
		if (layout->fields[i].kind == TANDEM_FIELD_ENUM)
			status = add_type(metadata, layout->fields[i].names);
	return status;
}

/* Those of phase_fields and stop_fields. */
static int add_operation_types(struct ctf_metadata *metadata)
{
	const struct tandem_event *event = tandem_event_get(TANDEM_EVENT_operation);

	return add_types(metadata, event, &event->layout[TANDEM_ARGS_BASIC]);
}

static const char end_field[] = "u64 end; ";

static const char *const suffixes[CTF_KINDS] = {
	[CTF_RECORD] = "",	  [CTF_CALL_BEGIN] = "_begin",	  [CTF_CALL_END] = "_end",
	[CTF_QUEUED] = "_queued", [CTF_SUBMITTED] = "_submitted", [CTF_START] = "_start",
	[CTF_STOP] = "_end",
};

static void add_fields(struct text *text, enum ctf_kind kind, const struct tandem_event *event,
		       const struct tandem_layout *layout)
{
	static const struct tandem_layout none;

	switch (kind) {
	case CTF_RECORD:
	case CTF_CALL_BEGIN:
		tandem_tsdl_fields(text, event, layout, false);
		break;
	case CTF_CALL_END:
		/* "enum cl_error result; u64 end; " without the end. */
		tandem_tsdl_fields(text, event, &none, true);
		text->length -= strlen(end_field);
		text_add_string(text, "u64 duration_ns;");
		break;
	default:
		text_add_string(text, phase_fields);
		if (kind == CTF_STOP)
			text_add_string(text, stop_fields);
	}
}

static int describe(struct ctf_metadata *metadata, const struct trace_layout *layout,
		    enum ctf_kind kind, uint32_t number)
{
	const struct tandem_event *event = layout->event;
	int status = add_types(metadata, event, layout->layout);

	if (!status)
		status = add_operation_types(metadata);
	if (status)
		return status;
	text_format(&metadata->text,
		    "event { name = \"%s%s\"; id = %" PRIu32 "; stream_id = 0; fields := struct { ",
		    event->name, suffixes[kind], number);
	add_fields(&metadata->text, kind, event, layout->layout);
	text_add_string(&metadata->text, " }; };\n");
	return 0;
}

int ctf_metadata_event(struct ctf_metadata *metadata, unsigned source,
		       const struct trace_layout *layout, enum ctf_kind kind, uint32_t *number)
{
	uint64_t key = (uint64_t)source << 32 | (layout->index * CTF_KINDS + kind);
	uint64_t known = map_get(&metadata->known, key);
	int status;

	if (known != MAP_NONE) {
		*number = (uint32_t)known;
		return 0;
	}
	*number = (uint32_t)metadata->known.count;
	status = describe(metadata, layout, kind, *number);
	return status ? status : map_set(&metadata->known, key, *number);
}

void ctf_metadata_free(struct ctf_metadata *metadata)
{
	text_free(&metadata->text);
	map_free(&metadata->known);
	intern_free(&metadata->types);
}
