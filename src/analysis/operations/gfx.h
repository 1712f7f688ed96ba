/* SPDX-License-Identifier: MIT */
/* What a SIMD of AMD's processors has, by their names: facts of LLVM's AMDGPU back end (User
 * Guide for AMDGPU Backend, "Code Object Kernel Descriptor"; IsaInfo). The number is that of the
 * name, read as hexadecimal: 0x90a for gfx90a. Any thread.
 *
 *	struct gfx gfx;
 *	if (gfx_find(0x90a, 64, &gfx)) gfx.simd_waves; // 8
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_GFX_H
#define TANDEM_ANALYSIS_OPERATIONS_GFX_H

#include <stdbool.h>
#include <stdint.h>

struct gfx {
	uint32_t simd_waves;	      /* that one can hold */
	uint32_t simd_registers;      /* vector registers, of a lane */
	uint32_t registers_at_a_time; /* that a wave gets, of a lane */
	uint32_t local_at_a_time;     /* bytes of local memory (LDS) that a work-group gets */
	uint32_t simd_groups;	      /* work-groups of several waves, for each SIMD: barriers */
};

/* false: it is not known. */
bool gfx_find(uint32_t number, uint32_t wave_items, struct gfx *gfx);

#endif
