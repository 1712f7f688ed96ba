/* SPDX-License-Identifier: MIT */
#include "tracepoint.h"

bool payload_is_valid(const xpti_payload_data_t *payload)
{
	if (!payload)
		return false;
	return ((payload->flags & xpti_payload_NameAvailable) && payload->name) ||
	       ((payload->flags & xpti_payload_CodePointerAvailable) && payload->code_ptr_va) ||
	       ((payload->flags & xpti_payload_SourceFileAvailable) && payload->source_file &&
		(payload->flags & xpti_payload_LineInfoAvailable) &&
		payload->line_no != UINT32_MAX);
}
