/* SPDX-License-Identifier: MIT */
/* Ticks of the session's clock in ns of CLOCK_MONOTONIC: a line through pairs of both, taken
 * every 20 ms of use and piecewise for what is older. Any thread; a signal handler. */
#ifndef TANDEM_TRACER_TIME_H
#define TANDEM_TRACER_TIME_H

#include <stdint.h>

/* Before anything else. */
void time_begin(void);

/* In the child of a fork. */
void time_forked(void);

/* Takes a pair if the last one is old. No lock: where another thread is at it, nothing. */
void time_refresh(void);

/* A moment near now: by the latest line, which is off by less than TIME_ERROR_NS. */
#define TIME_ERROR_NS 250u
uint64_t time_now_ns(uint64_t ticks);

/* Any moment since time_begin(): by the pairs around it. Not in a signal handler. */
uint64_t time_ns(uint64_t ticks);

#endif
