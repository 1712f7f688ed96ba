/* SPDX-License-Identifier: MIT */
#include "domains/opencl/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/call/call.h"
#include "core/call/content_later.h"
#include "core/capture.h"
#include "core/pool.h"
#include "core/process.h"
#include "domains/opencl/attach/loader.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/query.h"
#include "domains/opencl/queue.h"
#include "domains/opencl/recording.h"

struct opencl_pending {
	struct opencl_pending *next;
	void *event;
	uint64_t op;
	uint64_t bytes;
	uint32_t kernel;
	uint16_t api;
	uint8_t kind;
	bool program_holds; /* the program has this event too */
};

enum ended { NOT_YET, ENDED };

/* How many running commands of an out-of-order queue are looked at in one go. */
#define LOOK_PAST 64

/* How many operations of a function the program took an event of, by the number of its event. */
static _Atomic uint32_t events_given[1024];

static struct tandem_pool pending_pool = TANDEM_POOL(sizeof(struct opencl_pending));

void opencl_command_begin(struct opencl_command *command, uint16_t api, void *handle, void *event)
{
	struct opencl_queue *queue = opencl_queue_get(handle);

	command->queue = queue;
	command->api = api;
	command->event = event;
	command->program_wants = event != NULL;
	command->own = NULL;
	command->op = 0;
	if (!queue ||
	    (queue->timing != TANDEM_TIMING_forced && queue->timing != TANDEM_TIMING_asked))
		return;
	if (tandem_stream_open())
		return;
	command->op = tandem_operation_next();
	if (!event)
		command->event = &command->own;
}

static int32_t event_status(void *event)
{
	int32_t status = CL_QUEUED;

	if (opencl_next.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				       &status, NULL))
		return CL_COMPLETE; /* nothing more to learn of it */
	return status;
}

static int32_t event_time(void *event, uint32_t which, uint64_t *ns)
{
	return opencl_next.clGetEventProfilingInfo(event, which, sizeof(*ns), ns, NULL);
}

/* The device's four times; false when the driver has none to give. Intel's for CPUs
 * has 0 for when a marker was queued: a step without a time was not seen to wait. */
static bool event_times(void *event, uint64_t times[4])
{
	if (event_time(event, CL_PROFILING_COMMAND_START, &times[2]) ||
	    event_time(event, CL_PROFILING_COMMAND_SUBMIT, &times[1]) ||
	    event_time(event, CL_PROFILING_COMMAND_QUEUED, &times[0]))
		return false;
	if (!times[1])
		times[1] = times[2];
	if (!times[0])
		times[0] = times[1];
	return true;
}

/* Writes the operation's record if the command has ended. The end time is
 * asked for first: a driver that has it thereby says that the command is over
 * (OpenCL 3.0, 5.14: CL_PROFILING_INFO_NOT_AVAILABLE before that). */
static enum ended command_write(struct opencl_queue *queue, const struct opencl_pending *pending,
				enum tandem_completion_source source)
{
	struct tandem_rec_operation *record;
	uint64_t times[4] = {0};
	int32_t status = CL_COMPLETE;
	uint64_t now;
	bool timed = !event_time(pending->event, CL_PROFILING_COMMAND_END, &times[3]) && times[3];

	if (!timed) {
		status = event_status(pending->event);
		if (status > CL_COMPLETE)
			return NOT_YET;
		/* It may have ended between the two questions. */
		timed = !status &&
			!event_time(pending->event, CL_PROFILING_COMMAND_END, &times[3]) &&
			times[3];
	}
	timed = timed && event_times(pending->event, times);
	/* Intel's driver for CPUs has an end of what an error kept from running, and no start. */
	if (timed && !times[2]) {
		timed = false;
		status = event_status(pending->event);
		status = status > CL_COMPLETE ? CL_COMPLETE : status;
	}

	record = tandem_record_begin(TANDEM_EVENT_operation, sizeof(*record));
	if (!record)
		return ENDED; /* counted */
	record->op = pending->op;
	record->queued = timed ? times[0] : 0;
	record->submitted = timed ? times[1] : 0;
	record->start = timed ? times[2] : 0;
	record->end = timed ? times[3] : 0;
	record->queue = queue->number;
	record->kernel = pending->kernel;
	record->bytes = pending->bytes;
	record->status = status;
	record->api = pending->api;
	record->kind = pending->kind;
	record->domain = TANDEM_DOMAIN_opencl;
	record->completion_source = (uint8_t)source;
	record->time_domain = timed ? TANDEM_TIME_DOMAIN_device_ns : TANDEM_TIME_DOMAIN_no;
	record->launch_config = 0;
	now = record->head.timestamp;
	tandem_record_commit();
	opencl_timer_look(&queue->timer, now);
	return ENDED;
}

static void pending_drop(struct opencl_pending *pending)
{
	if (pending->program_holds)
		tandem_event_assign(TANDEM_KIND(opencl, event), pending->event, pending->op);
	opencl_next.clReleaseEvent(pending->event);
	tandem_pool_give(&pending_pool, pending);
}

static void pending_push(struct opencl_queue *queue, struct opencl_pending *pending)
{
	pending->next = atomic_load_explicit(&queue->fresh, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&queue->fresh, &pending->next, pending)) {
	}
	atomic_fetch_add(&queue->pending, 1);
}

/* Moves what was pushed, in the order of the enqueues, behind the rest. */
static void pending_gather(struct opencl_queue *queue)
{
	struct opencl_pending *fresh = atomic_exchange(&queue->fresh, NULL);
	struct opencl_pending *first = NULL, *last = fresh;

	while (fresh) {
		struct opencl_pending *next = fresh->next;

		fresh->next = first;
		first = fresh;
		fresh = next;
	}
	if (!first)
		return;
	if (queue->oldest)
		queue->newest->next = first;
	else
		queue->oldest = first;
	queue->newest = last;
}

void opencl_harvest(struct opencl_queue *queue, enum tandem_completion_source source)
{
	struct opencl_pending **at, *before = NULL;
	unsigned running = 0;
	int saved = errno;

	if (!atomic_load_explicit(&queue->pending, memory_order_relaxed))
		return;
	/* Whoever is at it now does it; what remains waits for the next time. */
	if (atomic_exchange(&queue->harvesting, 1))
		return;
	pending_gather(queue);
	at = &queue->oldest;
	while (*at && running < (queue->in_order ? 1 : LOOK_PAST)) {
		struct opencl_pending *pending = *at;

		if (command_write(queue, pending, source) == NOT_YET) {
			running++;
			before = pending;
			at = &pending->next;
			continue;
		}
		*at = pending->next;
		if (queue->newest == pending)
			queue->newest = before;
		pending_drop(pending);
		atomic_fetch_sub(&queue->pending, 1);
	}
	atomic_store_explicit(&queue->look_at, atomic_load(&queue->pending) * 2 + 32,
			      memory_order_relaxed);
	atomic_store(&queue->harvesting, 0);
	errno = saved;
}

static void harvest_all(enum tandem_completion_source source)
{
	for (struct opencl_queue *queue = atomic_load(&opencl_queues); queue; queue = queue->next)
		opencl_harvest(queue, source);
}

void opencl_harvest_event(const void *event, enum tandem_completion_source source)
{
	struct opencl_queue *queue = opencl_queue_find((void *)(uintptr_t)opencl_info_u64(
		opencl_next.clGetEventInfo, (void *)(uintptr_t)event, CL_EVENT_COMMAND_QUEUE));

	if (queue)
		opencl_harvest(queue, source);
}

/* Follows a command that may still be running. */
static void command_follow(struct opencl_command *command, struct opencl_pending *known)
{
	struct opencl_queue *queue = command->queue;
	struct opencl_pending *pending = tandem_pool_take(&pending_pool);

	if (!pending) {
		tandem_lost(TANDEM_LOSS_operations, 1);
		if (!command->program_wants)
			opencl_next.clReleaseEvent(known->event);
		return;
	}
	*pending = *known;
	if (command->program_wants) {
		opencl_next.clRetainEvent(pending->event);
		tandem_event_assign(TANDEM_KIND(opencl, event), pending->event,
				    pending->op | TANDEM_EVENT_HELD);
	}
	pending_push(queue, pending);
	if (atomic_load_explicit(&queue->pending, memory_order_relaxed) >=
	    atomic_load_explicit(&queue->look_at, memory_order_relaxed))
		opencl_harvest(queue, TANDEM_COMPLETION_SOURCE_later_command);
}

/* Whether to look at a command as soon as it is enqueued: on a device that runs
 * it in the call, or is done with it that soon, nothing need be kept. A device
 * that never is gets asked once in a while. */
static bool worth_a_look(struct opencl_queue *queue)
{
	if (atomic_load_explicit(&queue->pending, memory_order_relaxed))
		return false;

	uint32_t running = atomic_load_explicit(&queue->running, memory_order_relaxed);

	return running < 4 || !(running & 1023);
}

/* About right is enough, where threads share a queue. */
static void running_count(struct opencl_queue *queue)
{
	uint32_t running = atomic_load_explicit(&queue->running, memory_order_relaxed);

	atomic_store_explicit(&queue->running, running + 1, memory_order_relaxed);
}

void opencl_command_end(struct opencl_command *command, int32_t result, unsigned kind,
			uint64_t bytes, const void *kernel, bool blocking)
{
	struct opencl_queue *queue = command->queue;
	struct opencl_pending known;
	int saved = errno;

	if (!command->op || result != CL_SUCCESS)
		return;
	known.event = *(void **)command->event;
	if (!known.event)
		return; /* a driver that gives none */
	if (command->program_wants)
		atomic_fetch_add_explicit(&events_given[command->api % 1024], 1,
					  memory_order_relaxed);
	known.op = command->op;
	known.bytes = bytes;
	known.kernel = tandem_object_number(TANDEM_KIND(opencl, kernel), kernel);
	known.api = command->api;
	known.kind = (uint8_t)kind;
	known.program_holds = command->program_wants;

	/* Earlier commands first, so that records stand in order. */
	if (blocking)
		opencl_harvest(queue, TANDEM_COMPLETION_SOURCE_blocking_call);
	if ((blocking || worth_a_look(queue)) &&
	    command_write(queue, &known,
			  blocking ? TANDEM_COMPLETION_SOURCE_blocking_call
				   : TANDEM_COMPLETION_SOURCE_status) == ENDED) {
		if (!blocking)
			atomic_store_explicit(&queue->running, 0, memory_order_relaxed);
		if (command->program_wants)
			tandem_event_assign(TANDEM_KIND(opencl, event), known.event, known.op);
		else
			opencl_next.clReleaseEvent(known.event);
	} else {
		if (!blocking)
			running_count(queue);
		command_follow(command, &known);
	}
	errno = saved;
}

void opencl_finished(void *handle, int32_t result)
{
	struct opencl_queue *queue = result == CL_SUCCESS ? opencl_queue_find(handle) : NULL;

	if (queue)
		opencl_harvest(queue, TANDEM_COMPLETION_SOURCE_finish);
	if (result == CL_SUCCESS)
		tandem_content_arrived(handle);
}

void opencl_waited(uint32_t count, const void *events, int32_t result)
{
	void *const *event = events;

	/* Events in error have ended too. */
	/* What else the wait proves in other queues is found at the next look. */
	for (uint32_t i = 0; event && i < count && i < 16; i++)
		if (event[i] && tandem_event_held(TANDEM_KIND(opencl, event), event[i]))
			opencl_harvest_event(event[i], TANDEM_COMPLETION_SOURCE_wait);
	for (uint32_t i = 0; result == CL_SUCCESS && event && i < count; i++)
		tandem_content_arrived_event(event[i]);
}

/* The driver says that a command has ended, in a thread of its own. */
static void command_called_back(void *event, int32_t status, void *queue)
{
	(void)event;
	(void)status;
	if (opencl_loader_usable())
		opencl_harvest(queue, TANDEM_COMPLETION_SOURCE_callback);
}

/* clSetEventCallback came with OpenCL 1.1: the table of an older driver has
 * nothing there, and the loader would jump to it. */
static bool queue_calls_back(const struct opencl_queue *queue)
{
	char version[256] = "";
	void *device = (void *)(uintptr_t)opencl_info_u64(opencl_next.clGetCommandQueueInfo,
							  queue->handle, CL_QUEUE_DEVICE);

	opencl_next.clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(version) - 1, version, NULL);
	return strncmp(version, "OpenCL 1.0", strlen("OpenCL 1.0"));
}

void opencl_command_call_back(struct opencl_queue *queue)
{
	unsigned asked = 0;
	int saved = errno;

	if (!queue_calls_back(queue) || atomic_exchange(&queue->harvesting, 1)) {
		errno = saved;
		return;
	}
	pending_gather(queue);
	if (queue->in_order && queue->newest) {
		opencl_next.clSetEventCallback(queue->newest->event, CL_COMPLETE,
					       (void *)command_called_back, queue);
	} else {
		for (struct opencl_pending *pending = queue->oldest; pending && asked < 1024;
		     pending = pending->next, asked++)
			opencl_next.clSetEventCallback(pending->event, CL_COMPLETE,
						       (void *)command_called_back, queue);
	}
	atomic_store(&queue->harvesting, 0);
	errno = saved;
}

static bool any_pending(void)
{
	for (struct opencl_queue *queue = atomic_load(&opencl_queues); queue; queue = queue->next)
		if (atomic_load(&queue->pending))
			return true;
	return false;
}

static void pending_wait(void)
{
	uint64_t deadline = tandem_monotonic_ns() + tandem_control.exit_wait_ms * 1000000ull;
	struct timespec pause = {.tv_nsec = 50000};

	harvest_all(TANDEM_COMPLETION_SOURCE_exit);
	while (any_pending() && tandem_monotonic_ns() < deadline) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec *= 2;
		harvest_all(TANDEM_COMPLETION_SOURCE_exit);
	}
}

static _Atomic int exiting;

/* Registered once there is a queue, so after the driver's own exit handlers,
 * which therefore run after this: the driver still works here. */
static void command_exit(void)
{
	atomic_store(&exiting, 1);
	if (any_pending() && opencl_loader_usable())
		pending_wait();
}

static void pending_forget(struct opencl_queue *queue)
{
	atomic_store(&queue->harvesting, 0);
	atomic_store(&queue->fresh, NULL);
	atomic_store(&queue->pending, 0);
	queue->oldest = NULL;
	queue->newest = NULL;
}

/* What was released while nothing was recorded is not known: then nothing is said. */
static void events_given_write(void)
{
	if (!opencl_recording() || tandem_process_statedump() || tandem_capture_is_bounded())
		return;
	for (uint16_t i = 0; i < 1024; i++) {
		uint32_t count = atomic_exchange(&events_given[i], 0);
		struct tandem_rec_events_given *record;

		record = count ? tandem_record_begin(TANDEM_EVENT_events_given, sizeof(*record))
			       : NULL;
		if (!record)
			continue;
		record->domain = TANDEM_DOMAIN_opencl;
		record->api = (uint16_t)(TANDEM_DOMAIN_opencl << 10 | i);
		record->count = count;
		tandem_record_commit();
	}
}

/* The last thing: the drivers may be gone, so nothing is asked of them. */
void opencl_commands_at_end(void)
{
	events_given_write();
	for (struct opencl_queue *queue = atomic_load(&opencl_queues); queue; queue = queue->next)
		atomic_fetch_add(&tandem_session->unfinished, atomic_load(&queue->pending));
}

/* At exit, loaders end after the drivers' own exit handlers. */
static void commands_close(void)
{
	if (!any_pending())
		return;
	if (!atomic_load(&exiting))
		pending_wait();
	opencl_commands_at_end();
	for (struct opencl_queue *queue = atomic_load(&opencl_queues); queue; queue = queue->next)
		pending_forget(queue);
}

/* In the child of a fork: the parent's commands are the parent's. */
void opencl_commands_at_fork(void)
{
	atomic_store(&pending_pool.taking, 0);
	for (unsigned i = 0; i < 1024; i++)
		atomic_store_explicit(&events_given[i], 0, memory_order_relaxed);
	for (struct opencl_queue *queue = atomic_load(&opencl_queues); queue; queue = queue->next)
		pending_forget(queue);
}

/* A tool asks for what has completed. */
void opencl_commands_at_flush(void)
{
	if (!atomic_load(&exiting) && opencl_loader_usable())
		harvest_all(TANDEM_COMPLETION_SOURCE_status);
}

/* Once there are queues. */
static void command_at_exit(void)
{
	atexit(command_exit);
}

__attribute__((constructor)) static void command_begins(void)
{
	opencl_queue_at_first(command_at_exit);
	opencl_loader_at_close(commands_close);
}
