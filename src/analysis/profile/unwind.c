/* SPDX-License-Identifier: MIT */
#include "analysis/profile/unwind.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE = 16, STACK_POINTER = 7, REGISTERS = 17 };

struct unwind {
	struct symbols *symbols; /* borrowed */
	/* For the process at hand; another, or another content of it: made anew. */
	Dwfl *dwfl;
	uint32_t pid;
	uint64_t changes;
	/* Of the stack at hand. */
	const struct unwind_stack *stack;
	uint64_t *frames;
	size_t count, room;
};

struct unwind *unwind_create(struct symbols *symbols)
{
	struct unwind *unwind = calloc(1, sizeof(*unwind));

	if (unwind)
		unwind->symbols = symbols;
	return unwind;
}

static void let_go(struct unwind *unwind)
{
	if (unwind->dwfl)
		dwfl_end(unwind->dwfl);
	unwind->dwfl = NULL;
}

void unwind_destroy(struct unwind *unwind)
{
	if (!unwind)
		return;
	let_go(unwind);
	free(unwind);
}

/* A session's one thread that libdwfl is to know of. */
static pid_t next_thread(Dwfl *dwfl, void *user, void **thread_arg)
{
	struct unwind *unwind = user;

	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = unwind;
	return (pid_t)unwind->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *user, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = user;
	return true;
}

/* Only the stack was saved. */
static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *user)
{
	const struct unwind_stack *stack = ((const struct unwind *)user)->stack;
	uint64_t from = stack->registers[STACK_POINTER];

	(void)dwfl;
	if (address < from || address - from + sizeof(*result) > stack->count)
		return false;
	memcpy(result, stack->bytes + (address - from), sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *user)
{
	const struct unwind_stack *stack = ((const struct unwind *)user)->stack;
	Dwarf_Word words[REGISTERS];

	for (int i = 0; i < REGISTERS; i++)
		words[i] = stack->registers[i];
	dwfl_thread_state_register_pc(thread, stack->registers[PLACE]);
	return dwfl_thread_state_registers(thread, 0, REGISTERS, words);
}

static int on_frame(Dwfl_Frame *frame, void *user)
{
	struct unwind *unwind = user;
	Dwarf_Addr place;

	if (unwind->count == unwind->room || !dwfl_frame_pc(frame, &place, NULL))
		return DWARF_CB_ABORT;
	unwind->frames[unwind->count++] = place;
	return DWARF_CB_OK;
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static void report_files(struct unwind *unwind, const struct address_spaces *address_spaces,
			 const struct space *space)
{
	dwfl_report_begin(unwind->dwfl);
	for (size_t i = 0; i < space->count; i++) {
		const struct space_mapping *mapping = &space->mappings[i];
		const struct mapped_file *file = &address_spaces->files[mapping->file];
		uint64_t bias, low;

		if (symbols_bias(unwind->symbols, file, mapping->offset, mapping->start, &bias,
				 &low))
			dwfl_report_elf(unwind->dwfl, file->path, file->path, -1, bias + low,
					false);
	}
	dwfl_report_end(unwind->dwfl, NULL, NULL);
}

static bool take_space(struct unwind *unwind, const struct address_spaces *address_spaces,
		       struct space *space)
{
	if (unwind->dwfl && unwind->pid == space->pid && unwind->changes == space->changes)
		return true;
	let_go(unwind);
	unwind->pid = space->pid;
	unwind->changes = space->changes;
	unwind->dwfl = dwfl_begin(&callbacks);
	if (!unwind->dwfl)
		return false;
	report_files(unwind, address_spaces, space);
	return dwfl_attach_state(unwind->dwfl, NULL, (pid_t)space->pid, &threads, unwind);
}

size_t unwind_frames(struct unwind *unwind, const struct address_spaces *address_spaces,
		     struct space *space, const struct unwind_stack *stack, uint64_t *frames,
		     size_t room)
{
	frames[0] = stack->registers[PLACE];
	if (!unwind || room < 2)
		return 1;
	unwind->stack = stack;
	unwind->frames = frames;
	unwind->count = 0;
	unwind->room = room;
	if (take_space(unwind, address_spaces, space))
		dwfl_getthread_frames(unwind->dwfl, (pid_t)space->pid, on_frame, unwind);
	if (!unwind->count)
		unwind->count = 1;
	frames[0] = stack->registers[PLACE];
	return unwind->count;
}
