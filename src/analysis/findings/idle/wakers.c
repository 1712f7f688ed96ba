/* SPDX-License-Identifier: MIT */
#include "analysis/findings/idle/wakers.h"

#include "analysis/findings/finding.h"

static bool is_same(const struct waker *a, const struct waker *b)
{
	return a->by == b->by && (a->by != WAKER_THREAD || a->tid == b->tid);
}

void wakers_add(struct wakers *wakers, const struct waker *waker, uint64_t ns)
{
	uint32_t at = 0;

	wakers->ns += ns;
	while (at < wakers->count && !is_same(&wakers->rows[at], waker))
		at++;
	if (at == WAKERS)
		return;
	if (at == wakers->count) {
		wakers->rows[wakers->count] = *waker;
		wakers->rows[wakers->count++].ns = 0;
	}
	wakers->rows[at].ns += ns;
}

bool wakers_are_timers(const struct wakers *wakers)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < wakers->count; i++)
		ns += wakers->rows[i].by != WAKER_THREAD ? wakers->rows[i].ns : 0;
	return 2 * ns > wakers->ns;
}

/* As the recorder's namespace counts. */
static uint32_t local_tid(const struct waits *waits, uint32_t tid)
{
	for (uint32_t i = 0; i < waits->thread_count; i++) {
		if (waits->threads[i]->thread->tid == tid && waits->threads[i]->thread->local_tid)
			return waits->threads[i]->thread->local_tid;
	}
	return tid;
}

const char *wakers_text(struct findings *findings, const struct wakers *wakers, uint64_t pid)
{
	const struct waits *waits = findings->waits;
	const struct waker *most = NULL;
	double percent;

	for (uint32_t i = 0; i < wakers->count; i++) {
		if (!most || wakers->rows[i].ns > most->ns)
			most = &wakers->rows[i];
	}
	if (!most || most->by == WAKER_UNKNOWN)
		return "";
	percent = 100 * (double)most->ns / (double)wakers->ns;
	if (most->by == WAKER_INTERRUPT)
		return findings_text(
			findings,
			"no thread: a timer or a device's interrupt woke it (a sleep, or I/O), for "
			"%.0f %% of it",
			percent);
	if (most->pid == pid)
		return findings_text(
			findings,
			"thread %u (%s) of the program, which woke it (a lock, a condition variable or "
			"a pipe), for %.0f %% of it",
			local_tid(waits, most->tid), intern_text(&waits->states.names, most->name),
			percent);
	return findings_text(findings, "%s (process %u), which woke it, for %.0f %% of it",
			     intern_text(&waits->states.names, most->name),
			     most->pid ? most->pid : most->tid, percent);
}
