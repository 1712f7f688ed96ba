/* SPDX-License-Identifier: MIT */
#include "domains/sycl/layer.h"

#include "domains/sycl/span.h"
#include "domains/sycl/text.h"
#include "schema/gen/sycl_records.h"
#include "xpti/xpti_trace_framework.h"

static void begin(uint32_t function, const char *name)
{
	struct sycl_text text = sycl_text(name, SYCL_TEXT_MOST);
	struct tandem_sycl_sycl_layer *record =
		sycl_span_begin(xpti_function_begin, TANDEM_SYCL_EVENT_sycl_layer,
				(uint32_t)sizeof(*record) + text.bytes);

	if (!record)
		return;
	record->function = function;
	record->name_count = (uint16_t)text.bytes;
	sycl_text_put(record + 1, &text);
	tandem_record_commit();
}

void sycl_layer_event(uint16_t type, const void *data)
{
	const xpti_function_with_args_t *call = data;

	if (type == xpti_function_with_args_begin && call)
		begin(call->function_id, call->function_name);
	else if (type == xpti_function_begin)
		begin(0, data);
	else if (type == xpti_function_end || type == xpti_function_with_args_end)
		sycl_span_end(xpti_function_begin, NULL, 0);
}
