/* SPDX-License-Identifier: MIT */
/* Names in a session's directory: written, parsed, known. */
#include "format/directory.h"

#include <stddef.h>
#include <string.h>

#include "check.h"

static void round_trip(const char *kind, uint64_t number, uint64_t part, const char *name)
{
	char made[DIRECTORY_NAME_BYTES];
	struct directory_number parsed;

	CHECK(directory_put(made, kind, number, part) == made + strlen(name));
	CHECK(!strcmp(made, name));
	CHECK(directory_parse(name, kind, &parsed));
	CHECK(parsed.number == number && parsed.part == part);
}

int main(void)
{
	static const char *const wrong[] = {
		"stream",
		"stream-",
		"stream-0",
		"stream-01",
		"stream--1",
		"stream-1a",
		"stream-1.",
		"stream-1.0",
		"stream-1.2.3",
		"stream-1 ",
		"Stream-1",
		"stream_1",
		"xstream-1",
		"",
		"stream-18446744073709551616",
		"stream-1.99999999999999999999",
		".stream-1",
	};
	static const char *const session[] = {"control",
					      "schema",
					      "kernel",
					      "session.json",
					      "session.json.new",
					      "process-1",
					      "process-7.2",
					      "cubin-0123456789abcdef",
					      "cache",
					      "timeline.index",
					      "timeline.index.Xy3"};
	static const char *const folder[] = {"metadata",      ".metadata", "stream-1",
					     "stream-1.2",    ".stream-3", "window-9",
					     "session.sqlite"};
	static const char *const neither[] = {"notes", "process-",  "process-1x", "controls",
					      "..",    "metadata2", "stream",	  ""};
	struct directory_number number;

	round_trip(DIRECTORY_STREAM, 1, 0, "stream-1");
	round_trip(DIRECTORY_STREAM, 12, 3, "stream-12.3");
	round_trip(DIRECTORY_PROCESS, 4194304, 0, "process-4194304");
	round_trip(DIRECTORY_PROCESS, UINT64_MAX, UINT64_MAX,
		   "process-18446744073709551615.18446744073709551615");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(!directory_parse(wrong[i], DIRECTORY_STREAM, &number));
	for (size_t i = 0; i < sizeof(session) / sizeof(*session); i++)
		CHECK(directory_has(session[i]));
	for (size_t i = 0; i < sizeof(folder) / sizeof(*folder); i++)
		CHECK(directory_folder_has(folder[i]) && !directory_has(folder[i]));
	for (size_t i = 0; i < sizeof(neither) / sizeof(*neither); i++)
		CHECK(!directory_has(neither[i]) && !directory_folder_has(neither[i]));
	return check_status();
}
