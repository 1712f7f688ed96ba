/* SPDX-License-Identifier: MIT */
/* Fuzz target of the reader of LTTng's kernel traces: the input's parts are choices and
 * the streams of two CPUs. Metadata is made of the choices: each field of each event as
 * LTTng has it, of another type, or not there. (Any bytes as metadata would try
 * libbabeltrace2, which is as it was installed, and ends or hangs on much of it.) */
#include <babeltrace2/babeltrace.h>
#include <stdio.h>
#include <string.h>

#include "babeltrace.h"
#include "look.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

extern external_ctf_fn tandem_external_ctf_read;

static const char head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := i32_t;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := i64_t;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	" packet.header := struct { u32_t magic; u8_t uuid[16]; u32_t stream_id; }; };\n"
	"env { hostname = \"here\"; domain = \"kernel\"; tracer_name = \"lttng-modules\"; };\n"
	"clock { name = \"monotonic\"; uuid = \"93eacddb-4598-400f-a422-8d3e25180000\";\n"
	" freq = 1000000000; offset = 1700000000000000000; };\n"
	"typealias integer { size = 64; align = 8; signed = false;\n"
	" map = clock.monotonic.value; } := ts_t;\n"
	"stream { id = 0; event.header := struct { u16_t id; ts_t timestamp; };\n"
	" packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end;\n"
	" u64_t content_size; u64_t packet_size; u64_t events_discarded; u32_t cpu_id; }; };\n";

/* What a field may be; the first two are the types that LTTng has. */
static const char *const types[] = {
	"char_t %s[16]",
	"i32_t %s",
	"",
	"i64_t %s",
	"u8_t %s",
	"u64_t %s",
	"string %s",
	"u16_t %s[3]",
	"struct { i32_t of; } %s",
	"enum : u8_t { one, two } %s",
	"u8_t %s_count; char_t %s[%s_count]",
	"floating_point { exp_dig = 8; mant_dig = 24; align = 8; } %s",
};

/* As tests/lib/foreigntrace.py writes them: '*' characters, '!' 64 bits. */
static const struct {
	const char *name;
	const char *fields[8];
} events[] = {
	{"sched_switch",
	 {"*prev_comm", "prev_tid", "prev_prio", "!prev_state", "*next_comm", "next_tid",
	  "next_prio"}},
	{"sched_waking", {"*comm", "tid", "prio", "target_cpu"}},
	{"sched_wakeup", {"*comm", "tid", "prio", "target_cpu"}},
	{"sched_wakeup_new", {"*comm", "tid", "prio", "target_cpu"}},
	{"sched_migrate_task", {"*comm", "tid", "prio", "orig_cpu", "dest_cpu"}},
	{"sched_process_fork",
	 {"*parent_comm", "parent_tid", "parent_pid", "*child_comm", "child_tid", "child_pid"}},
	{"sched_process_exit", {"*comm", "tid", "prio"}},
	{"lttng_statedump_process_state", {"tid", "pid", "*name"}},
	{"syscall_entry_read", {"fd"}},
	{"syscall_exit_read", {"!ret"}},
};

static const char *type_of(const char *field, uint8_t choice)
{
	unsigned other = choice % (sizeof(types) / sizeof(*types));

	if (other)
		return types[other];
	return *field == '*' ? types[0] : *field == '!' ? types[3] : types[1];
}

static void put_metadata(struct scratch_part choices)
{
	static char text[16384];
	size_t used = sizeof(head) - 1, next = 0;

	memcpy(text, head, used);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		used += (size_t)sprintf(text + used,
					"event { name = \"%s\"; id = %zu; stream_id = 0; "
					"fields := struct { ",
					events[i].name, i);
		for (size_t k = 0; events[i].fields[k]; k++) {
			const char *field = events[i].fields[k];
			const char *name = field + (*field == '*' || *field == '!');
			uint8_t choice = next < choices.bytes ? choices.data[next] : 0;
			const char *type = type_of(field, choice);

			next++;
			used += (size_t)sprintf(text + used, type, name, name, name);
			used += (size_t)sprintf(text + used, "%s", *type ? "; " : "");
		}
		used += (size_t)sprintf(text + used, "}; };\n");
	}
	scratch_put("ctf/metadata", text, used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const bt_plugin *kept;
	struct scratch_part part;
	char path[256], why[400];

	if (!kept) {
		scratch_folder("ctf");
		/* As long as it is loaded, what it leaks has its name (leaks.supp). */
		bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &kept);
		babeltrace_watch();
	}
	put_metadata(scratch_part(&data, &bytes));
	part = scratch_part(&data, &bytes);
	scratch_put("ctf/channel0_0", part.data, part.bytes);
	scratch_put("ctf/channel0_1", data, bytes);
	strcpy(stpcpy(path, scratch()), "/ctf");
	if (!sigsetjmp(babeltrace_gave_up, 1)) {
		babeltrace_begin();
		tandem_external_ctf_read(path, &look_sink, why, sizeof(why));
	}
	babeltrace_end();
	return 0;
}
