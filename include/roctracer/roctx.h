/* SPDX-License-Identifier: MIT */
/* ROCTX: ranges and markers that a program says of itself, for libroctx64.so.4 of ROCm or of
 * Tandem. Any thread. */
#ifndef TANDEM_ROCTX_H
#define TANDEM_ROCTX_H 1

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define ROCTX_VERSION_4_1
#define ROCTX_VERSION_MAJOR 4
#define ROCTX_VERSION_MINOR 1

uint32_t roctx_version_major(void);
uint32_t roctx_version_minor(void);

void roctxMarkA(const char *message);
#define roctxMark(message) roctxMarkA(message)

/* The level that begins, from 0. */
int roctxRangePushA(const char *message);
#define roctxRangePush(message) roctxRangePushA(message)

/* The level that ends; -1: no range is open in this thread. */
int roctxRangePop(void);

/* A range that may end in another thread. */
typedef uint64_t roctx_range_id_t;

roctx_range_id_t roctxRangeStartA(const char *message);
#define roctxRangeStart(message) roctxRangeStartA(message)

void roctxRangeStop(roctx_range_id_t id);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
