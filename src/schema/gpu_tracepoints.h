/* SPDX-License-Identifier: MIT */
/* Which tracepoints of Linux are GPU drivers': those that `record --kernel gpu` records,
 * and that are taken over from other tools' traces. Any thread.
 */
#ifndef TANDEM_SCHEMA_GPU_TRACEPOINTS_H
#define TANDEM_SCHEMA_GPU_TRACEPOINTS_H

#include <stdbool.h>

/* By the name of the tracepoints' system (TRACE_SYSTEM). */
bool gpu_tracepoints_system(const char *system);

/* Of a tracepoint of such a system: false for accesses to registers of the device, tens of
 * thousands a second that say nothing of its queues. */
bool gpu_tracepoints_wanted(const char *name);

#endif
