/* SPDX-License-Identifier: MIT */
/* Who ended the sleep of threads that kept a device idle: so many wakers are told apart. One thread.
 *
 *	struct wakers wakers = {0};
 *
 *	wakers_add(&wakers, &waker, ns);	each gap
 *	finding->culprit = wakers_text(findings, &wakers, pid);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDLE_WAKERS_H
#define TANDEM_ANALYSIS_FINDINGS_IDLE_WAKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/sched/states_thread.h"

#define WAKERS 8u

struct findings;

struct waker {
	enum states_waker by;
	uint32_t tid, pid, name; /* of WAKER_THREAD: as the kernel counts; name: in states->names */
	uint64_t ns;
};

struct wakers {
	struct waker rows[WAKERS];
	uint32_t count;
	uint64_t ns; /* of all, those among them that have no row */
};

void wakers_add(struct wakers *wakers, const struct waker *waker, uint64_t ns);

/* Whether no thread ended most of it: a timer did, or a device. */
bool wakers_are_timers(const struct wakers *wakers);

/* Of the process's threads; "" where nothing is known of who woke them. Lives as the findings do. */
const char *wakers_text(struct findings *findings, const struct wakers *wakers, uint64_t pid);

#endif
