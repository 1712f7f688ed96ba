/* SPDX-License-Identifier: MIT */
#include "domains/sycl/graph/task.h"

#include "domains/sycl/graph/node.h"
#include "domains/sycl/operation.h"
#include "domains/sycl/span.h"
#include "domains/sycl/text.h"
#include "schema/domain/sycl.h"
#include "schema/gen/sycl_records.h"

void sycl_task_begin(xpti_event_data_t *event, uint64_t instance)
{
	uint32_t node = sycl_node_begin(event, instance);
	struct tandem_sycl_sycl_task *record =
		sycl_span_begin(xpti_task_begin, TANDEM_SYCL_EVENT_sycl_task, sizeof(*record));

	if (!node)
		tandem_notice(TANDEM_DOMAIN_sycl, TANDEM_SYCL_NOTICE_no_nodes);
	if (!record)
		return;
	record->node = node;
	record->instance = instance;
	tandem_record_commit();
}

void sycl_task_end(void)
{
	sycl_span_end(xpti_task_begin, NULL, 0);
}

void sycl_task_signal(xpti_event_data_t *event, uint64_t instance, const void *handle)
{
	uint32_t node = sycl_node_of(event, instance);
	uint64_t op = sycl_operation_of(handle);
	struct tandem_sycl_signal *record =
		tandem_record_begin(TANDEM_SYCL_EVENT_signal, sizeof(*record));

	sycl_node_signals((uint64_t)(uintptr_t)handle, op, node);
	if (!record)
		return;
	record->node = node;
	record->op = op;
	tandem_record_commit();
}

void sycl_wait_begin(xpti_event_data_t *event, uint64_t instance, const char *what)
{
	struct sycl_text text = sycl_text(what, SYCL_TEXT_MOST);
	struct tandem_sycl_sycl_wait *record;
	uint32_t node = 0;

	/* The event is the node's own, its queue's, or the graph's. */
	if (sycl_text_begins(text, "event.wait"))
		node = sycl_node_waited(event, instance, sycl_text_address(text));
	record = sycl_span_begin(xpti_wait_begin, TANDEM_SYCL_EVENT_sycl_wait, sizeof(*record));
	if (!record)
		return;
	record->what = sycl_text_begins(text, "event.wait")   ? TANDEM_WAITED_event
		       : sycl_text_begins(text, "queue.wait") ? TANDEM_WAITED_queue
							      : TANDEM_WAITED_other;
	record->node = node;
	record->handle = sycl_text_address(text);
	tandem_record_commit();
}

void sycl_wait_end(void)
{
	sycl_span_end(xpti_wait_begin, NULL, 0);
}

void sycl_barrier_begin(xpti_event_data_t *event, uint64_t instance)
{
	uint32_t node = sycl_node_of(event, instance);
	struct tandem_sycl_sycl_barrier *record = sycl_span_begin(
		xpti_barrier_begin, TANDEM_SYCL_EVENT_sycl_barrier, sizeof(*record));

	if (!record)
		return;
	record->node = node;
	tandem_record_commit();
}

void sycl_barrier_end(void)
{
	sycl_span_end(xpti_barrier_begin, NULL, 0);
}
