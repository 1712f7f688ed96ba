/* SPDX-License-Identifier: MIT */
/* A build without libdw: files are named, functions are not. */
#include "analysis/profile/symbols.h"
#include "analysis/profile/unwind.h"

struct symbols *symbols_create(void)
{
	return NULL;
}

void symbols_destroy(struct symbols *symbols)
{
	(void)symbols;
}

const char *symbols_find(struct symbols *symbols, const struct mapped_file *file, uint64_t offset)
{
	(void)symbols, (void)file, (void)offset;
	return "";
}

bool symbols_bias(struct symbols *symbols, const struct mapped_file *file, uint64_t offset,
		  uint64_t start, uint64_t *bias, uint64_t *low)
{
	(void)symbols, (void)file, (void)offset, (void)start, (void)bias, (void)low;
	return false;
}

struct unwind *unwind_create(struct symbols *symbols)
{
	(void)symbols;
	return NULL;
}

void unwind_destroy(struct unwind *unwind)
{
	(void)unwind;
}

size_t unwind_frames(struct unwind *unwind, const struct address_spaces *address_spaces,
		     struct space *space, const struct unwind_stack *stack, uint64_t *frames,
		     size_t room)
{
	(void)unwind, (void)address_spaces, (void)space, (void)room;
	frames[0] = stack->registers[16];
	return 1;
}
