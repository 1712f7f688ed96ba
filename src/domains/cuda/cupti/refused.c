/* SPDX-License-Identifier: MIT */
#include "domains/cuda/cupti/refused.h"

#include <string.h>

#include "core/stream/stream.h"
#include "domains/cuda/cupti/library.h"
#include "domains/cuda/state.h"

static enum tandem_cuda_notice refused_notice(enum tandem_cuda_activity_kind what)
{
	switch (what) {
	case TANDEM_CUDA_ACTIVITY_KIND_kernel:
		return TANDEM_CUDA_NOTICE_no_kernels;
	case TANDEM_CUDA_ACTIVITY_KIND_copy:
	case TANDEM_CUDA_ACTIVITY_KIND_peer_copy:
		return TANDEM_CUDA_NOTICE_no_copies;
	case TANDEM_CUDA_ACTIVITY_KIND_memset:
		return TANDEM_CUDA_NOTICE_no_fills;
	case TANDEM_CUDA_ACTIVITY_KIND_unified_memory:
		return TANDEM_CUDA_NOTICE_no_um;
	case TANDEM_CUDA_ACTIVITY_KIND_overhead:
		return TANDEM_CUDA_NOTICE_no_overhead;
	case TANDEM_CUDA_ACTIVITY_KIND_graph:
		return TANDEM_CUDA_NOTICE_no_graphs;
	case TANDEM_CUDA_ACTIVITY_KIND_external:
		return TANDEM_CUDA_NOTICE_no_external;
	default:
		return TANDEM_CUDA_NOTICE_partly;
	}
}

void cuda_refused(enum tandem_cuda_activity_kind what, int32_t status)
{
	struct tandem_cuda_refused *record;
	const char *words = NULL;
	uint32_t bytes;

	if (cupti.cuptiGetResultString(status, &words) || !words)
		words = "";
	bytes = (uint32_t)strnlen(words, 200);
	cuda_notice(refused_notice(what));
	record = tandem_record_begin(TANDEM_CUDA_EVENT_refused, (uint32_t)sizeof(*record) + bytes);
	if (!record)
		return;
	record->what = (uint8_t)what;
	record->status = status;
	record->words_count = (uint16_t)bytes;
	memcpy(record + 1, words, bytes);
	tandem_record_commit();
}
