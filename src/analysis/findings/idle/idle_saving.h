/* SPDX-License-Identifier: MIT */
/* What would be saved if the cause of a device's gaps were removed, and what that rests on.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDLE_SAVING_H
#define TANDEM_ANALYSIS_FINDINGS_IDLE_SAVING_H

#include "analysis/findings/idle/idle.h"

/* A device that has its next command takes no such time to start it. */
#define IDLE_HELD_BACK_NS 100000

/* Launches, which have to be, are the main calls where others take less than such a part. */
#define IDLE_ENQUEUES 4u

/* Whether it is told as a launch that takes too long. */
bool idle_is_launch(enum idle_cause_kind kind);

/* That the host gives commands too slowly, that they wait where they were enqueued in the gap, and
 * before it, is one cause, where they save something: told as the largest of them. 0: it is told as
 * another one. `count`: of gaps. */
uint64_t idle_cost_ns(const struct findings *findings, const struct idle *idle, uint32_t index,
		      enum idle_cause_kind kind, uint64_t *count);

/* Whether another thread could do beforehand what the host works on, or wait for what it waits for:
 * the thread that feeds a device of its own never has to wait for it, or nothing comes back on which
 * that could hang. Where the device is the CPU, only what it waits for. */
bool idle_is_beforehand(const struct findings *findings, uint32_t index,
			const struct idle_device *device, enum idle_cause_kind kind);

/* Same, of work that is many times all else, and on which nothing that comes back bears: one more thread
 * saves next to nothing, and several can share it, as the workers of a data loader do. */
bool idle_is_for_several(const struct findings *findings, uint32_t index,
			 const struct idle_device *device, enum idle_cause_kind kind);

/* Whether the host sleeps by its own choice, or until data are on a disk: it need not. Who waits for
 * the device less than a part of that time has something else to wait for, and does so while the
 * device works. */
bool idle_is_asleep(const struct idle_device *device, enum idle_cause_kind kind);

/* Whether the host sleeps instead of waiting: it wakes up some time after the device is done. */
bool idle_is_overslept(const struct idle_cause *cause);

/* Whether there is no use in doing it while the device works. Next to a device of its own it can
 * be done beforehand. */
bool idle_is_elsewhere(const struct findings *findings, uint32_t index,
		       const struct idle_device *device, enum idle_cause_kind kind);

#endif
