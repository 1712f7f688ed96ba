/* SPDX-License-Identifier: MIT */
/* Fuzz target of the reader of LTTng's user-space traces (trace/external/lttng): the input's
 * parts are choices and events. Metadata is made of the choices: which of our events there
 * are, and each field as the sink writes it, of another type, or not there. What is made of
 * it is a session, which is read. */
#include <babeltrace2/babeltrace.h>
#include <stdio.h>
#include <string.h>

#include "babeltrace.h"
#include "schema/schema.h"
#include "scratch.h"
#include "trace/external/hosts/trace_folders.h"
#include "trace/external/lttng/lttng_read.h"
#include "trace/session/session_open.h"
#include "util/folder/tree_remove.h"
#include "util/text.h"

#define EVENTS 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

extern lttng_read_fn tandem_lttng_read;

static const char head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := i32_t;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	" packet.header := struct { u32_t magic; u8_t uuid[16]; u32_t stream_id; }; };\n"
	"env { hostname = \"here\"; domain = \"ust\"; tracer_name = \"lttng-ust\"; };\n"
	"clock { name = \"monotonic\"; uuid = \"93eacddb-4598-400f-a422-8d3e25180000\";\n"
	" freq = 1000000000; offset = 1700000000000000000; };\n"
	"typealias integer { size = 64; align = 8; signed = false;\n"
	" map = clock.monotonic.value; } := ts_t;\n"
	"stream { id = 0; event.header := struct { u8_t id; ts_t timestamp; };\n"
	" event.context := struct { u8_t vpid; u8_t vtid; char_t procname[4]; };\n"
	" packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end;\n"
	" u64_t content_size; u64_t packet_size; u64_t events_discarded; u32_t cpu_id; }; };\n";

/* What a field may be instead of what the sink writes; the first is for that. */
static const char *const types[] = {
	"",
	"string %s; ",
	"",
	"u8_t %s[3]; ",
	"floating_point { exp_dig = 11; mant_dig = 53; align = 8; } %s; ",
	"struct { u8_t of; } %s; ",
	"enum : u8_t { one, two } %s; ",
	"u64_t %s; ",
};

static uint8_t choice(struct scratch_part *choices)
{
	if (!choices->bytes)
		return 0;
	choices->bytes--;
	return *choices->data++;
}

static void put_field(struct text *text, const struct tandem_field *field, uint8_t which)
{
	unsigned other = which % (sizeof(types) / sizeof(*types));

	if (!other && field->variable)
		text_format(text, "u%u_t _%s_length; u%u_t %s[_%s_length]; ",
			    field->count_bytes * 8, field->name, field->bytes * 8, field->name,
			    field->name);
	else if (!other)
		text_format(text, "u%u_t %s; ", field->bytes * 8, field->name);
	else if (*types[other])
		text_format(text, types[other], field->name);
}

static void put_event(struct text *text, unsigned number, struct scratch_part *choices)
{
	const struct tandem_domain_row *row = NULL;
	const struct tandem_domain *domain;
	const struct tandem_event *event;
	unsigned skip = choice(choices) % 8, place;
	bool call, exit;

	do
		row = tandem_domain_next(row);
	while (row && skip--);
	domain = tandem_domain_find(row ? row->name : "core");
	place = choice(choices);
	place = (place | choice(choices) << 8) % domain->event_count;
	event = &domain->events[place];
	if (!event->name)
		return;
	call = event->class != TANDEM_CLASS_RECORD;
	exit = call && choice(choices) % 2;
	text_format(
		text,
		"event { name = \"tandem_%s:%s%s\"; id = %u; stream_id = 0; fields := struct { ",
		domain->name, event->name,
		!call  ? ""
		: exit ? "_exit"
		       : "_entry",
		number);
	if (exit) {
		text_add_string(text, "i32_t result; ");
		if (choice(choices) % 2)
			text_add_string(text, "u64_t returned; ");
	} else {
		const struct tandem_layout *layout = &event->layout[choice(choices) % 3];

		for (unsigned i = 0; i < layout->field_count; i++)
			put_field(text, &layout->fields[i], choice(choices));
	}
	text_add_string(text, "}; };\n");
}

static void put_metadata(struct scratch_part choices)
{
	struct text text = TEXT_INIT;

	text_add(&text, head, sizeof(head) - 1);
	for (unsigned i = 0; i < EVENTS; i++)
		put_event(&text, i, &choices);
	scratch_put("lttng/metadata", text.data, text.length);
	text_free(&text);
}

/* One packet, of which the input is the events. */
static void put_stream(const uint8_t *data, size_t bytes)
{
	static uint8_t packet[1 << 20];
	const uint32_t magic = 0xc1fc1fc1;
	uint64_t words[5] = {0, UINT64_MAX, 0, 0, 0};
	size_t used = 24 + sizeof(words) + 4;

	if (bytes > sizeof(packet) - used)
		bytes = sizeof(packet) - used;
	memset(packet, 0, used);
	memcpy(packet, &magic, sizeof(magic));
	words[2] = words[3] = (used + bytes) * 8;
	memcpy(packet + 24, words, sizeof(words));
	if (bytes)
		memcpy(packet + used, data, bytes);
	scratch_put("lttng/channel_0", packet, used + bytes);
}

static void look_at_session(const char *path)
{
	struct error error = ERROR_INIT;
	struct trace_session session;

	if (!trace_session_open(&session, path, NULL, &error))
		trace_session_close(&session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const bt_plugin *kept;
	static struct trace_folders folders;
	static struct hosts hosts;
	char from[256], to[256], why[400];

	if (!kept) {
		scratch_folder("lttng");
		bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &kept);
		babeltrace_watch();
	}
	put_metadata(scratch_part(&data, &bytes));
	put_stream(data, bytes);
	strcpy(stpcpy(from, scratch()), "/lttng");
	strcpy(stpcpy(to, scratch()), "/session");
	tree_remove(to);
	scratch_folder("session");
	if (!sigsetjmp(babeltrace_gave_up, 1)) {
		babeltrace_begin();
		if (!trace_folders_find(&folders, from)) {
			hosts_find(&hosts, &folders);
			trace_folders_free(&folders);
		}
		if (!tandem_lttng_read(from, to, true, &hosts, why, sizeof(why)))
			look_at_session(to);
	}
	hosts_free(&hosts);
	babeltrace_end();
	return 0;
}
