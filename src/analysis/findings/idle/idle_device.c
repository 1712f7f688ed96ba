/* SPDX-License-Identifier: MIT */
/* Gaps between a device's commands, and what the host was doing meanwhile.
 *
 * A gap lies between the end of all that ran and the start of the next command.
 * If that command was enqueued before the gap began, the device and its driver
 * took so long. Else the gap is the doing of the thread that enqueued it: it was
 * waiting for the device, was in another call, did work of its own or, as far as the
 * kernel was recorded, slept; what came last, from the call to the start, is the
 * launch.
 */
#include "analysis/findings/idle/idle_thread.h"

#include <errno.h>
#include <stdlib.h>

static int idle_begin(struct findings *findings, void *state)
{
	struct idle *idle = state;

	sampled_init(&idle->sampled);
	idle->threads = calloc(findings->session->stream_count + 1, sizeof(*idle->threads));
	idle->device_count = findings->iterator->devices.count;
	idle->devices = calloc(idle->device_count + 1, sizeof(*idle->devices));
	idle->drivers = calloc(findings->session->process_count + 1, sizeof(*idle->drivers));
	idle->begun = calloc(findings->session->process_count + 1, sizeof(*idle->begun));
	idle->called_ns = calloc(findings->session->process_count + 1, sizeof(*idle->called_ns));
	idle->signals = calloc(findings->session->process_count + 1, sizeof(*idle->signals));
	for (size_t i = 0; i < findings->session->process_count; i++) {
		if (map_set(&idle->process_of, findings->session->processes[i].pid, i))
			return -ENOMEM;
	}
	if (convoy_begin(&idle->convoy, findings))
		return -ENOMEM;
	return idle->threads && idle->devices && idle->drivers && idle->begun && idle->called_ns &&
			       idle->signals
		       ? 0
		       : -ENOMEM;
}

/* Memory that the host looks at as it is: what comes back in it is no command. */
static void note_memory(struct idle *idle, const struct trace_event *event)
{
	const struct tandem_rec_memory *memory = (const void *)event->record;

	if (event->record->id == TANDEM_EVENT_memory &&
	    (memory->kind == TANDEM_MEMORY_KIND_svm || memory->kind == TANDEM_MEMORY_KIND_managed ||
	     memory->kind == TANDEM_MEMORY_KIND_usm_shared))
		idle->shared = true;
}

/* What the host would not wait for, if it enqueued more in between; and launches that could be one. */
static int idle_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct idle *idle = state;
	struct idle_thread *thread;
	struct wait_counted call;
	uint64_t small;

	if (convoy_item(&idle->convoy, findings, item))
		return -ENOMEM;
	if (item->kind == ITEM_MEMORY)
		note_memory(idle, item->event);
	if (item->kind != ITEM_CALL || item->end_ns == INT64_MIN)
		return 0;
	thread = &idle->threads[item->event->stream->index];
	if (series_call(&thread->series, findings->graph, item))
		return -ENOMEM;
	call = wait_counter_call(&thread->waits, item->event);
	small = thread->small;
	thread->small = call.is_small ? item->call : 0;
	if (!call.waits || call.operations > IDLE_COMMANDS_A_WAIT ||
	    (!call.operations && !call.transfers))
		return 0;
	/* What it waits for is a result that the call before brings: as seldom wanted as the wait. */
	if (!call.transfers && small && graph_remove(findings->graph, small, GRAPH_WAIT_OFTEN))
		return -ENOMEM;
	return call.is_result ? graph_remove(findings->graph, item->call, GRAPH_WAIT_OFTEN)
			      : graph_remove_wait(findings->graph, item->call, GRAPH_WAIT_OFTEN);
}

static int idle_system(struct findings *findings, void *state, const struct trace_event *event,
		       bool inside)
{
	struct idle *idle = state;

	(void)findings, (void)inside;
	return sampled_record(&idle->sampled, event);
}

static int idle_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	struct idle *idle = state;

	/* Pages that move are no commands: the host gave none. */
	if (event->operation_kind == TANDEM_OPERATION_KIND_migrate &&
	    (event->kind == SEQUENCE_START || event->kind == SEQUENCE_END))
		return 0;
	switch (event->kind) {
	case SEQUENCE_CALL_BEGIN:
		return idle_call_begin(idle, event);
	case SEQUENCE_CALL_END:
		return idle_call_end(idle, event);
	case SEQUENCE_START:
		return event->device < idle->device_count
			       ? idle_operation_start(findings, idle, event)
			       : 0;
	case SEQUENCE_END:
		if (event->device < idle->device_count)
			idle_operation_end(idle, event);
		return 0;
	default:
		return 0;
	}
}

static int idle_end(struct findings *findings, void *state)
{
	struct idle *idle = state;
	int status;

	/* Nobody knows what is looked at in it. */
	for (size_t i = 0; idle->shared && i < idle->device_count; i++)
		idle->devices[i].results = UINT32_MAX;
	status = idle_say(findings, idle);
	return status ? status : convoy_say(&idle->convoy, findings);
}

static void idle_release(struct findings *findings, void *state)
{
	struct idle *idle = state;

	for (size_t i = 0; idle->threads && i < findings->session->stream_count; i++)
		idle_thread_free(&idle->threads[i]);
	for (size_t i = 0; idle->devices && i < idle->device_count; i++) {
		map_free(&idle->devices[i].calls);
		map_free(&idle->devices[i].waits);
		map_free(&idle->devices[i].late);
		map_free(&idle->devices[i].held);
		map_free(&idle->devices[i].between);
		map_free(&idle->devices[i].longest_between);
		map_free(&idle->devices[i].stacks);
	}
	for (size_t i = 0; idle->drivers && i < findings->session->process_count; i++)
		recent_free(&idle->drivers[i]);
	recent_free(&idle->worked);
	convoy_free(&idle->convoy);
	sampled_free(&idle->sampled);
	free(idle->drivers);
	free(idle->begun);
	free(idle->called_ns);
	free(idle->signals);
	map_free(&idle->process_of);
	free(idle->threads);
	free(idle->devices);
}

const struct finding_ops finding_idle_device = {
	.name = "idle-device",
	.words = "gaps between a device's commands, by what the host was doing",
	.state_bytes = sizeof(struct idle),
	.begin = idle_begin,
	.waits = true,
	.graph = true,
	.item = idle_item,
	.event = idle_event,
	.events = 1u << SEQUENCE_CALL_BEGIN | 1u << SEQUENCE_CALL_END | 1u << SEQUENCE_START |
		  1u << SEQUENCE_END,
	.system = idle_system,
	.systems = SAMPLED_RECORDS,
	.interval = idle_interval,
	.end = idle_end,
	.release = idle_release,
};
