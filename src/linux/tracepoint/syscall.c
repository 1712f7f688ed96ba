/* SPDX-License-Identifier: MIT */
#include "linux/tracepoint/syscall.h"

#include <asm/unistd.h>
#include <string.h>

#include "schema/gen/kernel_records.h"

/* The build makes X(name) of every __NR_name of <asm/unistd.h>. */
static const char *const names[] = {
#define X(name) [__NR_##name] = #name,
#include "syscall_names.inc"
#undef X
};

static const char *syscall_name(uint32_t number)
{
	return number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}

static void name_put(struct linux_syscalls *syscalls, struct linux_stream *stream, uint64_t ticks,
		     uint32_t number)
{
	const char *name = syscall_name(number);
	struct tandem_kernel_syscall_name *record;
	uint32_t length;

	if (!name || map_get(&syscalls->named, number) != MAP_NONE)
		return;
	length = (uint32_t)strlen(name);
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_syscall_name, ticks,
				  (uint32_t)sizeof(*record) + length);
	if (!record)
		return;
	record->number = number;
	record->name_count = (uint16_t)length;
	memcpy(record + 1, name, length);
	map_set(&syscalls->named, number, 1);
}

void linux_syscall_entry_put(struct linux_syscalls *syscalls, const struct linux_formats *formats,
			     struct linux_stream *stream, uint64_t ticks, const uint8_t *raw)
{
	const struct linux_field *fields = formats->of[LINUX_SYS_ENTER].fields;
	struct linux_field arguments = fields[LINUX_SYSCALL_VALUE];
	uint32_t number = (uint32_t)linux_field(raw, fields[LINUX_SYSCALL_NUMBER]);
	uint32_t bytes = syscalls->arguments ? arguments.bytes : 0;
	struct tandem_kernel_syscall_entry *record;

	name_put(syscalls, stream, ticks, number);
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_syscall_entry, ticks,
				  (uint32_t)sizeof(*record) + bytes);
	if (!record)
		return;
	record->tid = (uint32_t)linux_field(raw, formats->tid);
	record->number = number;
	record->args_count = (uint16_t)(bytes / sizeof(uint64_t));
	memcpy(record + 1, raw + arguments.offset, bytes);
}

void linux_syscall_exit_put(const struct linux_formats *formats, struct linux_stream *stream,
			    uint64_t ticks, const uint8_t *raw)
{
	const struct linux_field *fields = formats->of[LINUX_SYS_EXIT].fields;
	struct tandem_kernel_syscall_exit *record =
		linux_stream_put(stream, TANDEM_KERNEL_EVENT_syscall_exit, ticks, sizeof(*record));

	if (!record)
		return;
	record->tid = (uint32_t)linux_field(raw, formats->tid);
	record->number = (uint32_t)linux_field(raw, fields[LINUX_SYSCALL_NUMBER]);
	record->ret = (int64_t)linux_field(raw, fields[LINUX_SYSCALL_VALUE]);
}
