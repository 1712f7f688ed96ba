#include "export/ctf_metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/packet.h"
#include "schema/schema.h"

#define LEVELS (TANDEM_ARGS_FULL + 1u)

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

_Static_assert(sizeof(struct ctf_packet) == 80, "packet header and context, as in `head`");

/* Of which command; how wrong the times can be, and whether they contradict what is
 * known of the call; by name. */
static const char phase_fields[] =
	"u64 op; u64 bound_ns; u8 causal; u32 queue; "
	"enum tandem_operation_kind kind; string { encoding = UTF8; } operation; "
	"string { encoding = UTF8; } device;";

static const char stop_fields[] = " u64 bytes; i32 status; enum tandem_proof proof; u64 seen_ns;";

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

/* The types of a domain at a level: lines "enum NAME : ...". A type that is known
 * from another level is the same. */
static int add_types(struct ctf_metadata *metadata, const struct tandem_domain *domain,
		     enum tandem_args_level level)
{
	static const char word[] = "enum ";
	const char *line = domain->tsdl[level];

	while (*line) {
		size_t length = strcspn(line, "\n");
		size_t before = metadata->types.count;
		const char *name = line + strlen(word);
		uint32_t index;

		if (!strncmp(line, word, strlen(word))) {
			if (intern_add(&metadata->types, name, strcspn(name, " :"), &index))
				return -ENOMEM;
			if (metadata->types.count > before) {
				text_add(&metadata->text, line, length);
				text_add_char(&metadata->text, '\n');
			}
		}
		line += length + (line[length] == '\n');
	}
	return 0;
}

struct part { /* of a text */
	const char *at;
	size_t length;
};

/* The recorded fields: "enum cl_error result; u64 end; u32 queue;". */
static int find_fields(const struct tandem_domain *domain, enum tandem_args_level level,
		       uint16_t id, struct part *fields)
{
	static const char open[] = "fields := struct { ", close[] = "}; };";
	struct text key = TEXT_INIT;
	const char *line, *end;

	text_format(&key, "; id = %u; ", id);
	if (key.failed)
		return -ENOMEM;
	line = strstr(domain->tsdl[level], key.data);
	text_free(&key);
	fields->at = line ? strstr(line, open) : NULL;
	end = fields->at ? strstr(fields->at, close) : NULL;
	if (!end)
		return -EPROTO;
	fields->at += strlen(open);
	fields->length = (size_t)(end - fields->at);
	return 0;
}

/* What stands before the arguments of a call: result and end. */
static int split_call(const struct part *fields, struct part *result, struct part *arguments)
{
	static const char end[] = "u64 end; ";
	const char *at = strstr(fields->at, end);

	if (!at || at > fields->at + fields->length)
		return -EPROTO;
	*result = (struct part){fields->at, (size_t)(at - fields->at)};
	arguments->at = at + strlen(end);
	arguments->length = (size_t)(fields->at + fields->length - arguments->at);
	return 0;
}

static const char *const suffixes[CTF_KINDS] = {
	[CTF_RECORD] = "",	   [CTF_CALL_BEGIN] = "_begin",	    [CTF_CALL_END] = "_end",
	[CTF_QUEUED] = "_queued",  [CTF_SUBMITTED] = "_submitted",  [CTF_START] = "_start",
	[CTF_STOP] = "_end",
};

static void add_part(struct text *text, const struct part *part)
{
	text_add(text, part->at, part->length);
}

static int add_fields(struct text *text, enum ctf_kind kind, const struct part *fields)
{
	struct part result = {"", 0}, arguments = {"", 0};
	int status = 0;

	if (kind == CTF_CALL_BEGIN || kind == CTF_CALL_END)
		status = split_call(fields, &result, &arguments);
	if (status)
		return status;
	switch (kind) {
	case CTF_RECORD:
		add_part(text, fields);
		break;
	case CTF_CALL_BEGIN:
		add_part(text, &arguments);
		break;
	case CTF_CALL_END:
		add_part(text, &result);
		text_add_string(text, "u64 duration_ns;");
		break;
	default:
		text_add_string(text, phase_fields);
		if (kind == CTF_STOP)
			text_add_string(text, stop_fields);
	}
	return 0;
}

static int describe(struct ctf_metadata *metadata, enum tandem_args_level level, uint16_t id,
		    enum ctf_kind kind, uint32_t number)
{
	const struct tandem_domain *domain = tandem_domain_get(TANDEM_ID_DOMAIN(id));
	const struct tandem_event *event = tandem_event_get(id);
	struct part fields;
	int status = domain && event ? find_fields(domain, level, id, &fields) : -EPROTO;

	/* Domains use types of the core's. */
	if (!status)
		status = add_types(metadata, tandem_domain_get(TANDEM_DOMAIN_core), level);
	if (!status)
		status = add_types(metadata, domain, level);
	if (status)
		return status;
	text_format(&metadata->text,
		    "event { name = \"%s%s\"; id = %" PRIu32 "; stream_id = 0; fields := struct { ",
		    event->name, suffixes[kind], number);
	status = add_fields(&metadata->text, kind, &fields);
	text_add_string(&metadata->text, " }; };\n");
	return status;
}

int ctf_metadata_event(struct ctf_metadata *metadata, enum tandem_args_level level, uint16_t id,
		       enum ctf_kind kind, uint32_t *number)
{
	int status;

	*number = ((uint32_t)id * LEVELS + level) * CTF_KINDS + kind;
	if (map_get(&metadata->known, *number) != MAP_NONE)
		return 0;
	status = describe(metadata, level, id, kind, *number);
	return status ? status : map_set(&metadata->known, *number, 1);
}

void ctf_metadata_free(struct ctf_metadata *metadata)
{
	text_free(&metadata->text);
	map_free(&metadata->known);
	intern_free(&metadata->types);
}
