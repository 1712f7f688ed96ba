/* SPDX-License-Identifier: MIT */
/* NVRTC's programs: their numbers, and what they are made of, as the records of core.events. A
 * program is known by the hash of its source, its headers, and the names that were asked for: the
 * same hash for the same code. Any thread. */
#ifndef TANDEM_DOMAINS_NVRTC_PROGRAM_H
#define TANDEM_DOMAINS_NVRTC_PROGRAM_H

#include <stdint.h>

#include "domains/nvrtc/gen/args.h"

/* 0 for NULL. */
uint32_t nvrtc_program_number(const void *program);

/* After the call has succeeded. Returns the program's number. */
uint32_t nvrtc_program_created(const struct nvrtc_args_nvrtcCreateProgram *made);

/* After another name was asked for: the compiler instantiates its template, so that it is no longer
 * the same program. */
void nvrtc_program_extend(const struct nvrtc_args_nvrtcAddNameExpression *added);

/* Before the call that destroys it. */
void nvrtc_program_forget(const void *program);

/* Of one that nobody saw being made (core/domain.h). */
void nvrtc_describe(unsigned type, void *handle, uint32_t number);

#endif
