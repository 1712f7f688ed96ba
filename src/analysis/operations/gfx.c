/* SPDX-License-Identifier: MIT */
#include "analysis/operations/gfx.h"

/* One of 10 and later has a wave of 32 or of 64 work-items, which has half as many registers. */
static struct gfx rdna(uint32_t waves, uint32_t registers, uint32_t at_a_time, uint32_t wave_items)
{
	uint32_t part = wave_items == 32 ? 1 : 2;

	return (struct gfx){waves, registers / part, at_a_time / part, 512, 8};
}

/* Those that have half as many registers again. */
static bool has_more_registers(uint32_t number)
{
	return number == 0x1100 || number == 0x1101 || number == 0x1151 || number >> 8 == 0x12;
}

static bool find_rdna(uint32_t number, uint32_t wave_items, struct gfx *gfx)
{
	if (number < 0x1030)
		*gfx = rdna(20, 1024, 8, wave_items);
	else if (has_more_registers(number))
		*gfx = rdna(16, 1536, 24, wave_items);
	else
		*gfx = rdna(16, 1024, 16, wave_items);
	return wave_items == 32 || wave_items == 64;
}

bool gfx_find(uint32_t number, uint32_t wave_items, struct gfx *gfx)
{
	bool unified = number == 0x90a || (number >= 0x940 && number <= 0x942) || number == 0x950;

	if (number >= 0x1010 && number < 0x1210)
		return find_rdna(number, wave_items, gfx);
	if (number < 0x600 || number >= 0xa00 || wave_items != 64)
		return false;
	*gfx = (struct gfx){10, 256, 4, number < 0x700 ? 256 : number == 0x950 ? 1280 : 512, 4};
	if (unified) { /* vector and accumulation registers are in one file */
		gfx->simd_waves = 8;
		gfx->simd_registers = 512;
		gfx->registers_at_a_time = 8;
	}
	return true;
}
