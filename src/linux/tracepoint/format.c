/* SPDX-License-Identifier: MIT */
#include "linux/tracepoint/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "linux/tracepoint/tracefs.h"
#include "schema/gen/kernel_records.h"

const char *const linux_tracepoint_system[LINUX_TRACEPOINT_COUNT] = {
#define X(constant, system, name, ...) [LINUX_##constant] = system,
	LINUX_TRACEPOINTS(X)
#undef X
};

const char *const linux_tracepoint_name[LINUX_TRACEPOINT_COUNT] = {
#define X(constant, system, name, ...) [LINUX_##constant] = name,
	LINUX_TRACEPOINTS(X)
#undef X
};

static const char *const field_names[LINUX_TRACEPOINT_COUNT][LINUX_FIELDS] = {
#define X(constant, system, name, ...) [LINUX_##constant] = {__VA_ARGS__},
	LINUX_TRACEPOINTS(X)
#undef X
};

/* The letters of /proc/PID/stat, which sched_switch prints for prev_state. */
static const struct {
	char letter;
	uint8_t state;
} letters[] = {
	{'S', TANDEM_TASK_STATE_sleeping}, {'D', TANDEM_TASK_STATE_disk},
	{'T', TANDEM_TASK_STATE_stopped},  {'t', TANDEM_TASK_STATE_traced},
	{'X', TANDEM_TASK_STATE_dead},	   {'x', TANDEM_TASK_STATE_dead},
	{'Z', TANDEM_TASK_STATE_zombie},   {'P', TANDEM_TASK_STATE_parked},
	{'I', TANDEM_TASK_STATE_idle},
};

static uint8_t state_of(const char *letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
		if (letter[0] == letters[i].letter && letter[1] == '"')
			return letters[i].state;
	}
	return TANDEM_TASK_STATE_unknown;
}

/* `... ? __print_flags(REC->prev_state & ..., "|", { 0x00000001, "S" }, { 0x00000002, "D" }) : "R"`.
 * The bit above the last flag says that the thread was ready to go on (TASK_REPORT_MAX in
 * the kernel's include/linux/sched.h). */
static void parse_states(struct linux_formats *formats, const char *text)
{
	const char *flags = strstr(text, "__print_flags(");
	const char *flag = flags ? strchr(flags, '{') : NULL;
	const char *end = flag ? strchr(flag, ')') : NULL;
	uint64_t last = 0;

	formats->state_count = 0;
	for (; flag && flag < end; flag = strchr(flag + 1, '{')) {
		char *letter;
		uint64_t bit = strtoull(flag + 1, &letter, 0);

		letter += strspn(letter, ", \"");
		if (bit > last)
			last = bit;
		if (formats->state_count < sizeof(formats->states) / sizeof(*formats->states)) {
			formats->states[formats->state_count].bit = bit;
			formats->states[formats->state_count++].state = state_of(letter);
		}
	}
	formats->preempted = last << 1;
}

static bool declares(const char *declaration, const char *end, const char *name)
{
	size_t length = strlen(name);
	const char *before;

	if (end[-1] == ']')
		end = memrchr(declaration, '[', (size_t)(end - declaration));
	if (!end || (size_t)(end - declaration) <= length)
		return false;
	before = end - length - 1;
	return strchr(" *]", *before) && !memcmp(before + 1, name, length);
}

/* `	field:char prev_comm[16];	offset:8;	size:16;	signed:0;` */
static struct linux_field parse_field(const char *text, const char *name)
{
	static const char start[] = "\tfield:";
	unsigned offset, bytes;

	while ((text = strstr(text, start))) {
		const char *declaration = text + sizeof(start) - 1, *end = strchr(declaration, ';');

		if (!end)
			break;
		if (end > declaration && declares(declaration, end, name) &&
		    sscanf(end, "; offset:%u; size:%u;", &offset, &bytes) == 2 &&
		    offset <= UINT16_MAX && bytes <= UINT16_MAX)
			return (struct linux_field){(uint16_t)offset, (uint16_t)bytes};
		text = end;
	}
	return (struct linux_field){0};
}

int linux_formats_parse(struct linux_formats *formats, enum linux_tracepoint tracepoint,
			const char *text)
{
	const char *id = strstr(text, "\nID: ");
	struct linux_format found = {.id = id ? (uint32_t)atoi(id + 5) : 0};

	for (int i = 0; i < LINUX_FIELDS && field_names[tracepoint][i]; i++) {
		found.fields[i] = parse_field(text, field_names[tracepoint][i]);
		/* Priorities and names of a switch can be done without. */
		if (!found.fields[i].bytes &&
		    (tracepoint != LINUX_SWITCH || i <= LINUX_SWITCH_STATE))
			return -ENOENT;
	}
	formats->type = parse_field(text, "common_type");
	formats->flags = parse_field(text, "common_flags");
	formats->tid = parse_field(text, "common_pid");
	if (!found.id || !formats->type.bytes || !formats->tid.bytes)
		return -ENOENT;
	if (tracepoint == LINUX_SWITCH)
		parse_states(formats, text);
	formats->of[tracepoint] = found;
	return 0;
}

int linux_formats_read(struct linux_formats *formats, int events, enum linux_tracepoint tracepoint)
{
	char *text = linux_tracefs_format(events, linux_tracepoint_system[tracepoint],
					  linux_tracepoint_name[tracepoint]);
	int error = text ? linux_formats_parse(formats, tracepoint, text) : -errno;

	free(text);
	return error;
}

uint8_t linux_formats_state(const struct linux_formats *formats, uint64_t prev_state)
{
	if (prev_state & formats->preempted)
		return TANDEM_TASK_STATE_preempted;
	for (uint32_t i = 0; i < formats->state_count; i++) {
		if (prev_state & formats->states[i].bit)
			return formats->states[i].state;
	}
	/* Without a list, only 0 is sure. */
	return prev_state && !formats->state_count ? TANDEM_TASK_STATE_unknown
						   : TANDEM_TASK_STATE_runnable;
}
