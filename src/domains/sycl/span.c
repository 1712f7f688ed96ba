/* SPDX-License-Identifier: MIT */
#include "domains/sycl/span.h"

#define OPEN_MOST 16u

static __thread struct {
	uint32_t count;
	struct {
		struct tandem_call call;
		uint16_t kind;
	} open[OPEN_MOST];
} spans __attribute__((tls_model("initial-exec")));

void *sycl_span_begin(uint16_t kind, uint16_t id, uint32_t bytes)
{
	uint32_t at = spans.count;

	if (at == OPEN_MOST) {
		memmove(&spans.open[0], &spans.open[1], sizeof(spans.open) - sizeof(*spans.open));
		at--;
	}
	spans.open[at].kind = kind;
	spans.count = at + 1;
	return tandem_call_begin(&spans.open[at].call, id, bytes);
}

void sycl_span_end(uint16_t kind, const void *returned, uint32_t returned_bytes)
{
	uint64_t end = tandem_ticks();

	for (uint32_t at = spans.count; at--;) {
		if (spans.open[at].kind != kind)
			continue;
		spans.count = at;
		call_end(&spans.open[at].call, 0, end, returned, returned_bytes, 0);
		return;
	}
}
