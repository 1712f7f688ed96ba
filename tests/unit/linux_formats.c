/* SPDX-License-Identifier: MIT */
/* Descriptions of tracepoints, as kernels write them: where the fields lie, and what the bits
 * of a thread's state mean. */
#include "linux/tracepoint/format.h"

#include <errno.h>

#include "check.h"
#include "schema/gen/kernel_records.h"

#define COMMON                                                                       \
	"format:\n"                                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"       \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"       \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;signed:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define SWITCH                                                                      \
	"name: sched_switch\nID: 372\n" COMMON                                      \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"             \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"                 \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"                  \
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"                \
	"\tfield:char next_comm[TASK_COMM_LEN];\toffset:40;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"                 \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"

/* Linux 4.4, and 6.18. */
#define FLAGS_OLD                                                                             \
	"print fmt: \"prev_state=%s%s\", REC->prev_state & (2048-1) ? __print_flags("         \
	"REC->prev_state & (2048-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, "       \
	"{ 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\"}, "          \
	"{ 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" }) : \"R\", REC->prev_state & 2048 ? " \
	"\"+\" : \"\"\n"
#define FLAGS_NEW                                                                                \
	"print fmt: \"prev_state=%s%s\", (REC->prev_state & ((((0x00000000 | 0x00000040) + 1) "  \
	"<< 1) - 1)) ? __print_flags(REC->prev_state & ((((0x00000000 | 0x00000040) + 1) << 1) " \
	"- 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "     \
	"{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "                  \
	"{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & "              \
	"(((0x00000000 | 0x00000040) + 1) << 1) ? \"+\" : \"\", { 0x200, \"x\" }\n"

static bool is_at(struct linux_field field, unsigned offset, unsigned bytes)
{
	return field.offset == offset && field.bytes == bytes;
}

static void fields(void)
{
	struct linux_formats formats = {.state_count = 0};
	const struct linux_format *sw = &formats.of[LINUX_SWITCH];

	CHECK(!linux_formats_parse(&formats, LINUX_SWITCH, SWITCH FLAGS_NEW));
	CHECK(sw->id == 372);
	CHECK(is_at(formats.type, 0, 2) && is_at(formats.flags, 2, 1) && is_at(formats.tid, 4, 4));
	CHECK(is_at(sw->fields[LINUX_SWITCH_PREV_COMM], 8, 16));
	CHECK(is_at(sw->fields[LINUX_SWITCH_PREV], 24, 4));
	CHECK(is_at(sw->fields[LINUX_SWITCH_STATE], 32, 8));
	CHECK(is_at(sw->fields[LINUX_SWITCH_NEXT_COMM], 40, 16));
	CHECK(is_at(sw->fields[LINUX_SWITCH_NEXT_PRIO], 60, 4));
}

static void states(void)
{
	struct linux_formats formats = {.state_count = 0};

	CHECK(!linux_formats_parse(&formats, LINUX_SWITCH, SWITCH FLAGS_OLD));
	CHECK(formats.state_count == 11 && formats.preempted == 2048);
	CHECK(linux_formats_state(&formats, 0) == TANDEM_TASK_STATE_runnable);
	CHECK(linux_formats_state(&formats, 1) == TANDEM_TASK_STATE_sleeping);
	CHECK(linux_formats_state(&formats, 2) == TANDEM_TASK_STATE_disk);
	CHECK(linux_formats_state(&formats, 16) == TANDEM_TASK_STATE_zombie);
	CHECK(linux_formats_state(&formats, 128) == TANDEM_TASK_STATE_unknown);
	CHECK(linux_formats_state(&formats, 2048) == TANDEM_TASK_STATE_preempted);

	CHECK(!linux_formats_parse(&formats, LINUX_SWITCH, SWITCH FLAGS_NEW));
	CHECK(formats.state_count == 8 && formats.preempted == 0x100);
	CHECK(linux_formats_state(&formats, 0x10) == TANDEM_TASK_STATE_dead);
	CHECK(linux_formats_state(&formats, 0x80) == TANDEM_TASK_STATE_idle);

	/* Of a kernel that prints its states in another way only 0 is sure. */
	CHECK(!linux_formats_parse(&formats, LINUX_SWITCH, SWITCH));
	CHECK(!formats.state_count);
	CHECK(linux_formats_state(&formats, 0) == TANDEM_TASK_STATE_runnable);
	CHECK(linux_formats_state(&formats, 1) == TANDEM_TASK_STATE_unknown);
}

static void refused(void)
{
	static const char *const texts[] = {
		"",
		"ID: 1",
		"name: sched_waking\nID: 370\n" COMMON,
		"name: sched_waking\nID: 370\n" COMMON "\tfield:pid_t pid",
		"name: sched_waking\nID: 370\n" COMMON
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\n\tfield:int last_target_cpu;\toffset:28;"
		"\tsize:4;\n",
		"name: sched_waking\nID: 370\n" COMMON
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\n\tfield:;\n\tfield:];\n\tfield:int "
		"target_cpu;\toffset:-1;\tsize:4;\n",
		"name: sched_waking\n" COMMON
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\n\tfield:int target_cpu;\toffset:28;"
		"\tsize:4;\n",
	};
	struct linux_formats formats = {.state_count = 0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		CHECK(linux_formats_parse(&formats, LINUX_WAKING, texts[i]) == -ENOENT);
		CHECK(!formats.of[LINUX_WAKING].id);
	}
}

int main(void)
{
	fields();
	states();
	refused();
	return check_status();
}
