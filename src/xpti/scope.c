/* SPDX-License-Identifier: MIT */
#pragma GCC visibility push(default) /* what this file defines of it */
#include "xpti/xpti_trace_framework.h"
#pragma GCC visibility pop

#include <stdatomic.h>

#include "scope.h"

#define UNIQUE_BLOCK 1024 /* numbers of xptiGetUniqueId() that a thread takes together */

static _Atomic uint64_t unique_ids;
static _Atomic bool scope_notification;

static _Thread_local struct {
	uint64_t uid;
	const char *stash_key;
	uint64_t stash_value;
	xpti_tracepoint_t *tracepoint;
	uint64_t unique_next, unique_end;
} thread;

/*
 * Which generation of the interface asks (tracepoints.h). A proxy fetches every function that it
 * knows before it calls the first, and only those of 2025.1 and later know this one: its
 * resolver runs when it is looked up.
 */
static _Atomic bool later_generation;

static void unset_tracepoint_scope_data(void)
{
	thread.uid = XPTI_INVALID_UID;
	thread.tracepoint = NULL;
}

__attribute__((used, no_sanitize("address", "undefined", "thread"))) static void (
	*resolve_unset_tracepoint_scope_data(void))(void)
{
	later_generation = true;
	return unset_tracepoint_scope_data;
}

bool scope_later_generation(void)
{
	return later_generation;
}

void xptiUnsetTracepointScopeData(void)
	__attribute__((ifunc("resolve_unset_tracepoint_scope_data")));

uint64_t xptiGetUniversalId(void)
{
	return thread.uid;
}

void xptiSetUniversalId(uint64_t uid)
{
	thread.uid = uid;
}

xpti_result_t xptiStashTuple(const char *key, uint64_t value)
{
	if (!key)
		return XPTI_RESULT_FAIL;
	thread.stash_key = key;
	thread.stash_value = value;
	return XPTI_RESULT_SUCCESS;
}

xpti_result_t xptiGetStashedTuple(char **key, uint64_t *value)
{
	if (!key || !value)
		return XPTI_RESULT_INVALIDARG;
	if (!thread.stash_key)
		return XPTI_RESULT_NOTFOUND;
	*key = (char *)(uintptr_t)thread.stash_key;
	*value = thread.stash_value;
	return XPTI_RESULT_SUCCESS;
}

void xptiUnstashTuple(void)
{
	thread.stash_key = NULL;
}

uint64_t xptiGetUniqueId(void)
{
	if (thread.unique_next == thread.unique_end) {
		thread.unique_next = 1 + atomic_fetch_add_explicit(&unique_ids, UNIQUE_BLOCK,
								   memory_order_relaxed);
		thread.unique_end = thread.unique_next + UNIQUE_BLOCK;
	}
	return thread.unique_next++;
}

const xpti_tracepoint_t *xptiGetTracepointScopeData(void)
{
	return thread.tracepoint;
}

xpti_result_t xptiSetTracepointScopeData(xpti_tracepoint_t *tracepoint)
{
	if (!tracepoint)
		return XPTI_RESULT_INVALIDARG;
	thread.tracepoint = tracepoint;
	thread.uid = tracepoint->methods->uid64(tracepoint);
	return XPTI_RESULT_SUCCESS;
}

const xpti_tracepoint_t *xptiRegisterTracepointScope(const char *function, const char *file,
						     uint32_t line, uint32_t column, void *code)
{
	return xptiCreateTracepoint(function, file, line, column, code);
}

void xptiEnableTracepointScopeNotification(bool on)
{
	scope_notification = on;
}

bool xptiCheckTracepointScopeNotification(void)
{
	return scope_notification;
}
