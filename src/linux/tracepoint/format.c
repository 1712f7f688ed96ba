/* SPDX-License-Identifier: MIT */
#include "linux/tracepoint/format.h"

#include <errno.h>
#include <event-parse.h>
#include <stdlib.h>

#include "linux/tracepoint/tracefs.h"
#include "schema/gen/kernel_records.h"

static const char *const field_names[LINUX_TRACEPOINT_COUNT][LINUX_FIELDS] = {
#define X(constant, system, name, ...) [LINUX_##constant] = {__VA_ARGS__},
	LINUX_TRACEPOINTS(X)
#undef X
};

/* The letters of /proc/PID/stat, which sched_switch prints for prev_state. */
static const struct {
	const char *letter;
	uint8_t state;
} letters[] = {
	{"S", TANDEM_TASK_STATE_sleeping}, {"D", TANDEM_TASK_STATE_disk},
	{"T", TANDEM_TASK_STATE_stopped},  {"t", TANDEM_TASK_STATE_traced},
	{"X", TANDEM_TASK_STATE_dead},	   {"x", TANDEM_TASK_STATE_dead},
	{"Z", TANDEM_TASK_STATE_zombie},   {"P", TANDEM_TASK_STATE_parked},
	{"I", TANDEM_TASK_STATE_idle},
};

/* The list of flags in `prev_state & ... ? __print_flags(...) : "R"`. */
static struct tep_print_flag_sym *find_flags(struct tep_print_arg *arg)
{
	struct tep_print_flag_sym *flags = NULL;

	for (; arg && !flags; arg = arg->next) {
		if (arg->type == TEP_PRINT_FLAGS)
			flags = arg->flags.flags;
		else if (arg->type == TEP_PRINT_OP)
			flags = find_flags(arg->op.left) ?: find_flags(arg->op.right);
	}
	return flags;
}

/* The bit above the last flag says that the thread was ready to go on
 * (TASK_REPORT_MAX in the kernel's include/linux/sched.h). */
static void read_states(struct linux_formats *formats, const struct tep_event *event)
{
	const struct tep_print_flag_sym *flag = find_flags(event->print_fmt.args);
	uint64_t last = 0;

	formats->state_count = 0;
	for (; flag; flag = flag->next) {
		uint64_t bit = strtoull(flag->value, NULL, 0);
		uint8_t state = TANDEM_TASK_STATE_unknown;

		for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
			if (!strcmp(flag->str, letters[i].letter))
				state = letters[i].state;
		}
		if (bit > last)
			last = bit;
		if (formats->state_count < sizeof(formats->states) / sizeof(*formats->states)) {
			formats->states[formats->state_count].bit = bit;
			formats->states[formats->state_count++].state = state;
		}
	}
	formats->preempted = last << 1;
}

static struct linux_field place_of(const struct tep_format_field *field)
{
	if (!field || field->offset < 0 || field->offset > UINT16_MAX || field->size <= 0 ||
	    field->size > UINT16_MAX)
		return (struct linux_field){0};
	return (struct linux_field){(uint16_t)field->offset, (uint16_t)field->size};
}

static int parse_fields(struct linux_formats *formats, struct tep_event *event,
			enum linux_tracepoint tracepoint)
{
	struct linux_format *format = &formats->of[tracepoint];
	struct linux_format found = {.id = (uint32_t)event->id};

	for (int i = 0; i < LINUX_FIELDS && field_names[tracepoint][i]; i++) {
		found.fields[i] = place_of(tep_find_field(event, field_names[tracepoint][i]));
		/* Priorities and names of a switch can be done without. */
		if (!found.fields[i].bytes &&
		    (tracepoint != LINUX_SWITCH || i <= LINUX_SWITCH_STATE))
			return -ENOENT;
	}
	formats->type = place_of(tep_find_common_field(event, "common_type"));
	formats->flags = place_of(tep_find_common_field(event, "common_flags"));
	formats->tid = place_of(tep_find_common_field(event, "common_pid"));
	if (!formats->type.bytes || !formats->tid.bytes)
		return -ENOENT;
	if (tracepoint == LINUX_SWITCH)
		read_states(formats, event);
	*format = found;
	return 0;
}

bool linux_formats_supported(void)
{
	return true;
}

int linux_formats_read(struct linux_formats *formats, int events, enum linux_tracepoint tracepoint)
{
	const char *system = linux_tracepoint_system[tracepoint];
	const char *name = linux_tracepoint_name[tracepoint];
	char *text = linux_tracefs_format(events, system, name);
	struct tep_handle *tep;
	struct tep_event *event;
	int error = -ENOENT;

	if (!text)
		return -errno;
	tep = tep_alloc();
	if (!tep) {
		free(text);
		return -ENOMEM;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	tep_parse_event(tep, text, strlen(text), system);
	event = tep_find_event_by_name(tep, system, name);
	if (event)
		error = parse_fields(formats, event, tracepoint);
	tep_free(tep);
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
