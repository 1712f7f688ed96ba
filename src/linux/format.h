/* Where the fields of the tracepoints that the collector understands lie, as
 * this kernel says in their `format` files; nothing of it is known beforehand.
 * Read by libtraceevent (format.c); a build without it has format_none.c, which
 * knows no tracepoint. One thread.
 *
 *	kernel_formats_read(&formats, events, KERNEL_SWITCH);
 *	...
 *	tid = kernel_field(raw, formats.of[KERNEL_SWITCH].fields[KERNEL_SWITCH_NEXT]);
 */
#ifndef TANDEM_LINUX_FORMAT_H
#define TANDEM_LINUX_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* X(constant, system, name, fields...) */
#define KERNEL_TRACEPOINTS(X)                                                  \
	X(SWITCH, "sched", "sched_switch", "prev_pid", "next_pid",             \
	  "prev_state", "prev_prio", "next_prio", "prev_comm", "next_comm")    \
	X(WAKING, "sched", "sched_waking", "pid", "target_cpu")                \
	X(WAKEUP, "sched", "sched_wakeup", "pid", "target_cpu")                \
	X(WAKEUP_NEW, "sched", "sched_wakeup_new", "pid", "target_cpu")        \
	X(MIGRATE, "sched", "sched_migrate_task", "pid", "orig_cpu", "dest_cpu") \
	X(SYS_ENTER, "raw_syscalls", "sys_enter", "id", "args")                \
	X(SYS_EXIT, "raw_syscalls", "sys_exit", "id", "ret")

enum kernel_tracepoint {
#define X(constant, ...) KERNEL_##constant,
	KERNEL_TRACEPOINTS(X)
#undef X
	KERNEL_TRACEPOINT_COUNT
};

/* Indices into fields[]. */
enum { KERNEL_SWITCH_PREV, KERNEL_SWITCH_NEXT, KERNEL_SWITCH_STATE, KERNEL_SWITCH_PREV_PRIO,
       KERNEL_SWITCH_NEXT_PRIO, KERNEL_SWITCH_PREV_COMM, KERNEL_SWITCH_NEXT_COMM };
enum { KERNEL_WAKE_TID, KERNEL_WAKE_CPU };
enum { KERNEL_MIGRATE_TID, KERNEL_MIGRATE_FROM, KERNEL_MIGRATE_TO };
enum { KERNEL_SYSCALL_NUMBER, KERNEL_SYSCALL_VALUE };
enum { KERNEL_FIELDS = 7 };

struct kernel_field {
	uint16_t offset, bytes; /* in the raw data; 0 bytes: this kernel has none */
};

struct kernel_format {
	uint32_t id; /* 0: not read */
	struct kernel_field fields[KERNEL_FIELDS];
};

struct kernel_formats {
	struct kernel_field type, flags, tid; /* common to all */
	struct kernel_format of[KERNEL_TRACEPOINT_COUNT];
	struct {
		uint64_t bit;
		uint8_t state; /* enum tandem_task_state */
	} states[16]; /* of prev_state */
	uint32_t state_count;
	uint64_t preempted; /* the bit of prev_state that says so */
};

extern const char *const kernel_tracepoint_system[KERNEL_TRACEPOINT_COUNT];
extern const char *const kernel_tracepoint_name[KERNEL_TRACEPOINT_COUNT];

/* Whether this build can read any. */
bool kernel_formats_supported(void);

/* Reads one tracepoint's format. Returns 0, -ENOENT (this kernel has no such
 * tracepoint, or calls its fields differently), -ENOTSUP (a build without
 * libtraceevent) or another -errno. */
int kernel_formats_read(struct kernel_formats *formats, int events,
			enum kernel_tracepoint tracepoint);

/* enum tandem_task_state of sched_switch's prev_state. */
uint8_t kernel_formats_state(const struct kernel_formats *formats, uint64_t prev_state);

/* Whether data of this length has the field. */
static inline bool kernel_field_in(struct kernel_field field, uint32_t bytes)
{
	return field.bytes && (uint32_t)field.offset + field.bytes <= bytes;
}

/* The field's value without sign; 0 where there is none. */
static inline uint64_t kernel_field(const uint8_t *raw, struct kernel_field field)
{
	uint64_t value = 0;

	memcpy(&value, raw + field.offset,
	       field.bytes <= sizeof(value) ? field.bytes : sizeof(value));
	return value;
}

#endif
