/* SPDX-License-Identifier: MIT */
#include "linux/perf/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <asm/perf_regs.h>
#endif

#include "linux/perf/perf.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"

/* Of each stack; the kernel takes at most 65,528, a record has as much room. 16 kB
 * hold most stacks, and 100 of them a second are 1.6 MB. */
#define STACK_BYTES 16384u

#ifdef __x86_64__
/* The kernel's numbers of registers in the order of DWARF's (System V ABI, AMD64
 * supplement, figure 3.36): 0 to 15, then the place itself. */
static const uint8_t registers[] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,	PERF_REG_X86_SI,
	PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,	PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP,
};
enum { REGISTERS = sizeof(registers) };
#else
static const uint8_t registers[1];
enum { REGISTERS = 0 };
#endif

static uint64_t register_mask(void)
{
	uint64_t mask = 0;

	for (int i = 0; i < REGISTERS; i++)
		mask |= UINT64_C(1) << registers[i];
	return mask;
}

int linux_sample_open(struct linux_sampling *sampling, int cpu, int owner)
{
	struct perf_event_attr attr = perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	int event;

	if (sampling->saved_stacks && !REGISTERS)
		return -ENOTSUP;
	attr.freq = 1;
	attr.sample_freq = sampling->hz;
	attr.exclude_callchain_kernel = 1;
	attr.exclude_hv = 1;
	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.build_id = 1;
	if (sampling->saved_stacks) {
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = register_mask();
		attr.sample_stack_user = STACK_BYTES;
	} else {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	}
	/* The unprivileged may not look while the kernel runs, and kernels before
	 * 5.12 know no build-ids. */
	event = perf_open(&attr, PERF_CHILDREN, cpu, owner);
	if (event == -EACCES || event == -EPERM) {
		attr.exclude_kernel = 1;
		event = perf_open(&attr, PERF_CHILDREN, cpu, owner);
	}
	if (event == -EINVAL) {
		attr.build_id = 0;
		event = perf_open(&attr, PERF_CHILDREN, cpu, owner);
	}
	if (event >= 0)
		sampling->in_kernel = !attr.exclude_kernel;
	return event;
}

void linux_sampling_put(const struct linux_sampling *sampling, struct linux_stream *stream,
			uint64_t ticks)
{
	struct tandem_kernel_sampling *record =
		linux_stream_put(stream, TANDEM_KERNEL_EVENT_sampling, ticks, sizeof(*record));

	if (!record)
		return;
	record->period_ns = 1000000000u / sampling->hz;
	record->in_kernel = sampling->in_kernel;
	record->unwind =
		sampling->saved_stacks ? TANDEM_UNWIND_saved_stacks : TANDEM_UNWIND_frame_pointers;
}

struct sample {
	struct perf_event_header header;
	struct perf_who_when current;
	uint64_t count; /* of frames; or the kind of registers that follow */
	uint64_t values[];
};

/* Behind a tracepoint's size its data begins with its number, which is never 0;
 * here the upper half of a small number stands. */
bool linux_sample_is(const struct perf_event_header *record)
{
	const struct sample *sample = (const void *)record;

	return record->size >= sizeof(*sample) && !(sample->count >> 32);
}

static bool in_kernel(const struct perf_event_header *record)
{
	return (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

static void put_frames(struct linux_stream *stream, uint64_t ticks, const struct sample *sample)
{
	uint64_t room = (sample->header.size - sizeof(*sample)) / sizeof(uint64_t);
	struct tandem_kernel_sample *record;
	uint64_t frames[512];
	uint16_t count = 0;

	for (uint64_t i = 0; i < sample->count && i < room && count < 512; i++) {
		/* The kernel marks what comes next; all that comes is the program's. */
		if (sample->values[i] < (uint64_t)PERF_CONTEXT_MAX)
			frames[count++] = sample->values[i];
	}
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_sample, ticks,
				  (uint32_t)(sizeof(*record) + count * sizeof(*frames)));
	if (!record)
		return;
	record->local_tid = sample->current.tid;
	record->pid = sample->current.pid;
	record->in_kernel = in_kernel(&sample->header);
	record->frames_count = count;
	memcpy(record + 1, frames, count * sizeof(*frames));
}

/* Registers come in the order of the kernel's numbers, those that were asked for. */
static void order_registers(uint64_t *out, const uint64_t *in)
{
	uint64_t mask = register_mask();

	for (int i = 0; i < REGISTERS; i++) {
		uint64_t below = mask & ((UINT64_C(1) << registers[i]) - 1);

		out[i] = in[__builtin_popcountll(below)];
	}
}

static void put_stack(struct linux_stream *stream, uint64_t ticks, const struct sample *sample)
{
	uint64_t room = (sample->header.size - sizeof(*sample)) / sizeof(uint64_t);
	uint64_t ordered[REGISTERS + 1], bytes = 0, saved;
	struct tandem_kernel_sample_stack *record;
	const uint8_t *stack = NULL;
	uint16_t count = 0;

	/* No registers: a thread of the kernel. */
	if (sample->count && room > REGISTERS) {
		count = REGISTERS;
		order_registers(ordered, sample->values);
		bytes = sample->values[REGISTERS];
		room -= REGISTERS + 1;
		stack = (const uint8_t *)&sample->values[REGISTERS + 1];
		if (bytes / sizeof(uint64_t) >= room)
			bytes = 0;
	}
	if (bytes) {
		/* How much of it the stack really held. */
		memcpy(&saved, stack + bytes, sizeof(saved));
		bytes = saved < bytes ? saved : bytes;
	}
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_sample_stack, ticks,
				  (uint32_t)(sizeof(*record) + count * sizeof(*ordered) + bytes));
	if (!record)
		return;
	record->local_tid = sample->current.tid;
	record->pid = sample->current.pid;
	record->in_kernel = in_kernel(&sample->header);
	record->registers_count = count;
	record->stack_count = (uint16_t)bytes;
	memcpy(record + 1, ordered, count * sizeof(*ordered));
	if (bytes)
		memcpy((uint8_t *)(record + 1) + count * sizeof(*ordered), stack, bytes);
}

void linux_sample_put(const struct linux_sampling *sampling, struct linux_stream *stream,
		      uint64_t ticks, const struct perf_event_header *record)
{
	const struct sample *sample = (const void *)record;

	if (sample->current.tid == UINT32_MAX || !sampling->hz)
		return;
	if (sampling->saved_stacks)
		put_stack(stream, ticks, sample);
	else
		put_frames(stream, ticks, sample);
}

struct mapping { /* PERF_RECORD_MMAP2 */
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, bytes, offset;
	union {
		struct {
			uint8_t build_id_bytes, reserved[3];
			uint8_t build_id[20];
		};
		uint64_t file[3]; /* device and inode: not wanted */
	};
	uint32_t protection, flags;
	char path[]; /* then struct perf_who_when */
};

void linux_mapping_put(struct linux_stream *stream, uint64_t ticks,
		       const struct perf_event_header *header)
{
	const struct mapping *mapping = (const void *)header;
	uint32_t length, id_bytes = 0;
	struct tandem_kernel_mapping *record;

	if (header->size < sizeof(*mapping) + sizeof(struct perf_who_when))
		return;
	length = (uint32_t)strnlen(mapping->path,
				   header->size - sizeof(*mapping) - sizeof(struct perf_who_when));
	if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID && mapping->build_id_bytes <= 20)
		id_bytes = mapping->build_id_bytes;
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_mapping, ticks,
				  (uint32_t)sizeof(*record) + id_bytes + length);
	if (!record)
		return;
	record->pid = mapping->pid;
	record->start = mapping->start;
	record->bytes = mapping->bytes;
	record->offset = mapping->offset;
	record->build_id_count = (uint16_t)id_bytes;
	record->path_count = (uint16_t)length;
	memcpy(record + 1, mapping->build_id, id_bytes);
	memcpy((uint8_t *)(record + 1) + id_bytes, mapping->path, length);
}

void linux_mappings_hold(struct linux_mappings *mappings, const struct perf_event_header *record)
{
	struct perf_event_header *copy;

	if (record->type != PERF_RECORD_MMAP2 ||
	    array_reserve(&mappings->held, &mappings->capacity, mappings->count + 1,
			  sizeof(struct perf_event_header *)))
		return;
	copy = malloc(record->size);
	if (!copy)
		return;
	memcpy(copy, record, record->size);
	mappings->held[mappings->count++] = copy;
}

void linux_mappings_put(struct linux_mappings *mappings, struct linux_stream *stream,
			uint64_t ticks)
{
	for (size_t i = 0; i < mappings->count; i++) {
		linux_mapping_put(stream, ticks, mappings->held[i]);
		free(mappings->held[i]);
	}
	mappings->count = 0;
}

void linux_mappings_free(struct linux_mappings *mappings)
{
	for (size_t i = 0; i < mappings->count; i++)
		free(mappings->held[i]);
	free(mappings->held);
	*mappings = (struct linux_mappings){.held = NULL};
}
