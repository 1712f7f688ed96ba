/* SPDX-License-Identifier: MIT */
/* The blocks of the metadata that the reader takes. */
#include "trace/schema/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char sample[] =
	"/* CTF 1.8 */\n\ntypealias integer { size = 8; align = 8; } := u8;\n"
	"trace {\n\tmajor = 1;\n\tuuid = \"00112233-4455-6677-8899-aabbccddeeff\";\n"
	"\tpacket.header := struct { u8 uuid[16]; };\n};\n"
	"env {\n\tpid = 12;\n\thex = 0x1F;\n\t// env { pid = 13; };\n"
	"\tprocname = \"a \\\"b\\\" {\\\\} \\x41\\101\\n/* c */\";\n\tempty = \"\";\n"
	"\tnegative = -5;\n};\n"
	"clock { name = ticks; freq = 2500000000; };\n"
	"event { name = \"env\"; fields := struct { u8 pid; }; };\n";

static void values(void)
{
	struct trace_metadata metadata;

	CHECK(trace_metadata_parse(&metadata, sample, sizeof(sample) - 1) == 0);
	CHECK(trace_metadata_number(&metadata, "env", "pid", 0) == 12);
	CHECK(trace_metadata_number(&metadata, "env", "hex", 0) == 31);
	CHECK(trace_metadata_number(&metadata, "env", "procname", 7) == 7);
	CHECK(trace_metadata_number(&metadata, "env", "none", 7) == 7);
	CHECK(!strcmp(trace_metadata_get(&metadata, "env", "procname", ""),
		      "a \"b\" {\\} AA\n/* c */"));
	CHECK(!strcmp(trace_metadata_get(&metadata, "env", "empty", "x"), ""));
	CHECK(!strcmp(trace_metadata_get(&metadata, "trace", "uuid", ""),
		      "00112233-4455-6677-8899-aabbccddeeff"));
	CHECK(!strcmp(trace_metadata_get(&metadata, "clock", "name", ""), "ticks"));
	CHECK(trace_metadata_number(&metadata, "clock", "freq", 0) == 2500000000u);
	CHECK(!strcmp(trace_metadata_get(&metadata, "event", "name", "none"), "none"));
	CHECK(metadata.whole);
	trace_metadata_free(&metadata);
}

/* Cut at every byte, and with every byte changed: never a crash, never a read
 * behind the end (the copy has no byte to spare). */
static void damage(void)
{
	for (size_t i = 0; i < sizeof(sample); i++) {
		char *copy = malloc(sizeof(sample));
		struct trace_metadata metadata;

		memcpy(copy, sample, i);
		copy = realloc(copy, i ? i : 1);
		CHECK(trace_metadata_parse(&metadata, copy, i) == 0);
		CHECK(metadata.whole == (i >= (size_t)(strstr(sample, "};\nevent") + 1 - sample)));
		trace_metadata_free(&metadata);
		free(copy);
		copy = malloc(sizeof(sample) - 1);
		memcpy(copy, sample, sizeof(sample) - 1);
		copy[i % (sizeof(sample) - 1)] ^= 0x22;
		CHECK(trace_metadata_parse(&metadata, copy, sizeof(sample) - 1) == 0);
		trace_metadata_free(&metadata);
		free(copy);
	}
}

int main(void)
{
	values();
	damage();
	return check_status();
}
