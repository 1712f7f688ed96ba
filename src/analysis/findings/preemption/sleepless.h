/* SPDX-License-Identifier: MIT */
/* Threads of the program that make no calls and never sleep, where the device is the CPU: its
 * threads wait for the CPU that such a one has. It may compute; more often it waits for something
 * in a loop, and is called so (`waiting: spinning`).
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_SLEEPLESS_H
#define TANDEM_ANALYSIS_FINDINGS_SLEEPLESS_H

#include <stdint.h>

#include "analysis/findings/preemption/own_work.h"

struct findings;

/* Of a process, once all was read. Returns 0 or -ENOMEM. */
int sleepless_add(struct findings *findings, const struct own_work *own, uint64_t pid);

#endif
