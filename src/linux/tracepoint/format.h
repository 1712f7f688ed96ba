/* SPDX-License-Identifier: MIT */
/* Where the fields of the tracepoints that the collector understands lie, as
 * this kernel says in their `format` files; nothing of it is known beforehand.
 * Not read by libtraceevent: to load it and to have it parse one description took
 * as long as all else that is done while the program starts. One thread.
 *
 *	linux_formats_read(&formats, events, LINUX_SWITCH);
 *	...
 *	tid = linux_field(raw, formats.of[LINUX_SWITCH].fields[LINUX_SWITCH_NEXT]);
 */
#ifndef TANDEM_LINUX_FORMAT_H
#define TANDEM_LINUX_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* X(constant, system, name, fields...) */
#define LINUX_TRACEPOINTS(X)                                                                  \
	X(SWITCH, "sched", "sched_switch", "prev_pid", "next_pid", "prev_state", "prev_prio", \
	  "next_prio", "prev_comm", "next_comm")                                              \
	X(WAKING, "sched", "sched_waking", "pid", "target_cpu")                               \
	X(WAKEUP, "sched", "sched_wakeup", "pid", "target_cpu")                               \
	X(WAKEUP_NEW, "sched", "sched_wakeup_new", "pid", "target_cpu")                       \
	X(MIGRATE, "sched", "sched_migrate_task", "pid", "orig_cpu", "dest_cpu")              \
	X(SYS_ENTER, "raw_syscalls", "sys_enter", "id", "args")                               \
	X(SYS_EXIT, "raw_syscalls", "sys_exit", "id", "ret")

enum linux_tracepoint {
#define X(constant, ...) LINUX_##constant,
	LINUX_TRACEPOINTS(X) LINUX_TRACEPOINT_COUNT
#undef X
};

/* Indices into fields[]. */
enum {
	LINUX_SWITCH_PREV,
	LINUX_SWITCH_NEXT,
	LINUX_SWITCH_STATE,
	LINUX_SWITCH_PREV_PRIO,
	LINUX_SWITCH_NEXT_PRIO,
	LINUX_SWITCH_PREV_COMM,
	LINUX_SWITCH_NEXT_COMM
};
enum { LINUX_WAKE_TID, LINUX_WAKE_CPU };
enum { LINUX_MIGRATE_TID, LINUX_MIGRATE_FROM, LINUX_MIGRATE_TO };
enum { LINUX_SYSCALL_NUMBER, LINUX_SYSCALL_VALUE };
enum { LINUX_FIELDS = 7 };

struct linux_field {
	uint16_t offset, bytes; /* in the raw data; 0 bytes: this kernel has none */
};

struct linux_format {
	uint32_t id; /* 0: not read */
	struct linux_field fields[LINUX_FIELDS];
};

struct linux_formats {
	struct linux_field type, flags, tid; /* common to all */
	struct linux_format of[LINUX_TRACEPOINT_COUNT];
	struct {
		uint64_t bit;
		uint8_t state; /* enum tandem_task_state */
	} states[16];	       /* of prev_state */
	uint32_t state_count;
	uint64_t preempted; /* the bit of prev_state that says so */
};

extern const char *const linux_tracepoint_system[LINUX_TRACEPOINT_COUNT];
extern const char *const linux_tracepoint_name[LINUX_TRACEPOINT_COUNT];

/* Reads one tracepoint's format. Returns 0, -ENOENT (this kernel has no such
 * tracepoint, or calls its fields differently) or another -errno. */
int linux_formats_read(struct linux_formats *formats, int events, enum linux_tracepoint tracepoint);

/* The same from the `format` file's text. */
int linux_formats_parse(struct linux_formats *formats, enum linux_tracepoint tracepoint,
			const char *text);

/* enum tandem_task_state of sched_switch's prev_state. */
uint8_t linux_formats_state(const struct linux_formats *formats, uint64_t prev_state);

/* Whether data of this length has the field. */
static inline bool linux_field_in(struct linux_field field, uint32_t bytes)
{
	return field.bytes && (uint32_t)field.offset + field.bytes <= bytes;
}

/* The field's value without sign; 0 where there is none. */
static inline uint64_t linux_field(const uint8_t *raw, struct linux_field field)
{
	uint64_t value = 0;

	memcpy(&value, raw + field.offset,
	       field.bytes <= sizeof(value) ? field.bytes : sizeof(value));
	return value;
}

#endif
