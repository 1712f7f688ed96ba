/* SPDX-License-Identifier: MIT */
#include "domains/annotation/trigger.h"

#include <string.h>

#include "core/capture.h"
#include "schema/capture.h"

#define NEST_MOST 64u
#define STARTED_MOST 16u

/* The thread's open ranges, and which of them have the name. */
static __thread struct {
	uint32_t depth;
	uint32_t scope[NEST_MOST];
	uint64_t named; /* 1 << level */
} stack __attribute__((tls_model("initial-exec")));

static _Atomic uint64_t started[STARTED_MOST]; /* numbers of those that have it; 0: none */
static _Atomic uint32_t open_count;

static bool is_named(const struct annotation_text *text)
{
	size_t prefix = sizeof(TANDEM_CAPTURE_NVTX) - 1;
	const char *name = tandem_control.capture + prefix;

	return !strncmp(tandem_control.capture, TANDEM_CAPTURE_NVTX, prefix) &&
	       strlen(name) == text->bytes && !memcmp(name, text->at, text->bytes);
}

static void opened(void)
{
	if (!atomic_fetch_add(&open_count, 1))
		tandem_capture_set(true);
}

static void closed(void)
{
	if (atomic_fetch_sub(&open_count, 1) == 1)
		tandem_capture_set(false);
}

void annotation_trigger_push(uint32_t scope, const struct annotation_text *text)
{
	uint32_t level = stack.depth;

	if (tandem_likely(!tandem_capture_is_bounded()))
		return;
	stack.depth++;
	if (level >= NEST_MOST)
		return;
	stack.scope[level] = scope;
	stack.named &= ~((uint64_t)1 << level);
	if (is_named(text)) {
		stack.named |= (uint64_t)1 << level;
		opened();
	}
}

void annotation_trigger_pop(uint32_t scope)
{
	uint32_t level = stack.depth < NEST_MOST ? stack.depth : NEST_MOST;

	if (tandem_likely(!tandem_capture_is_bounded()) || !stack.depth)
		return;
	while (level && stack.scope[level - 1] != scope)
		level--;
	if (!level)
		return;
	if (stack.named >> (level - 1) & 1)
		closed();
	for (uint32_t i = level; i < stack.depth && i < NEST_MOST; i++) {
		uint64_t bit = stack.named >> i & 1;

		stack.scope[i - 1] = stack.scope[i];
		stack.named = (stack.named & ~((uint64_t)1 << (i - 1))) | bit << (i - 1);
	}
	stack.depth--;
}

void annotation_trigger_start(uint64_t range, const struct annotation_text *text)
{
	uint64_t none = 0;

	if (tandem_likely(!tandem_capture_is_bounded()) || !is_named(text))
		return;
	for (uint32_t i = 0; i < STARTED_MOST; i++, none = 0) {
		if (atomic_compare_exchange_strong(&started[i], &none, range)) {
			opened();
			return;
		}
	}
}

void annotation_trigger_end(uint64_t range)
{
	if (tandem_likely(!tandem_capture_is_bounded()) || !range)
		return;
	for (uint32_t i = 0; i < STARTED_MOST; i++) {
		uint64_t this = range;

		if (atomic_compare_exchange_strong(&started[i], &this, 0)) {
			closed();
			return;
		}
	}
}
