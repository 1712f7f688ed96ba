/* SPDX-License-Identifier: MIT */
/* Decides which command runs next, and runs it.
 *
 * An in-order queue offers its first command, an out-of-order one each command
 * up to a barrier, to each unit its own. The engine's own thread, if there is
 * one, is started by the first command.
 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Those who wait for a queue, where the engine has threads: a driver does not wake
 * all of them for each command. Several queues may share one. */
#define WAITERS 64u
static pthread_cond_t waiters[WAITERS] = {
	[0 ... WAITERS - 1] = PTHREAD_COND_INITIALIZER,
};

static cl_command_queue queues; /* all of them */
static long commands;		/* enqueued so far */

static bool engine_is(const char *kind)
{
	return !strcmp(stub_config.engine, kind);
}

static pthread_cond_t *waiters_of(cl_command_queue queue)
{
	return &waiters[((uintptr_t)queue >> 6) % WAITERS];
}

void stub_engine_add(cl_command_queue queue)
{
	pthread_mutex_lock(&stub_lock);
	queue->next = queues;
	if (queues)
		queues->previous = queue;
	queues = queue;
	pthread_mutex_unlock(&stub_lock);
}

void stub_engine_remove(cl_command_queue queue)
{
	pthread_mutex_lock(&stub_lock);
	if (queue->previous)
		queue->previous->next = queue->next;
	else
		queues = queue->next;
	if (queue->next)
		queue->next->previous = queue->previous;
	pthread_mutex_unlock(&stub_lock);
}

/* Whether all that the command waits for has ended; then forgets the list. */
static bool waits_are_over(cl_event command)
{
	for (cl_uint i = 0; i < command->wait_count; i++)
		if (command->wait[i]->status > CL_COMPLETE)
			return false;
	for (cl_uint i = 0; i < command->wait_count; i++)
		if (command->wait[i]->status < 0)
			command->fails = true;
	return true;
}

static bool is_barrier(cl_event command)
{
	return command->command == CL_COMMAND_BARRIER;
}

/* A marker or barrier without a wait list waits for all that came before. */
static bool waits_for_all(cl_event command)
{
	return (is_barrier(command) || command->command == CL_COMMAND_MARKER) &&
	       !command->wait_count;
}

/* What runs a command where there are several. */
enum unit { UNIT_COMPUTE, UNIT_WRITE, UNIT_READ, UNITS, UNIT_ANY };

static enum unit unit_of(cl_event command)
{
	switch (command->command) {
	case CL_COMMAND_WRITE_BUFFER:
	case CL_COMMAND_WRITE_BUFFER_RECT:
	case CL_COMMAND_WRITE_IMAGE:
		return UNIT_WRITE;
	case CL_COMMAND_READ_BUFFER:
	case CL_COMMAND_READ_BUFFER_RECT:
	case CL_COMMAND_READ_IMAGE:
		return UNIT_READ;
	default:
		return UNIT_COMPUTE;
	}
}

static cl_event queue_pick(cl_command_queue queue, enum unit unit)
{
	bool reverse = !strcmp(stub_config.order, "reverse");
	bool out_of_order = queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	cl_event picked = NULL;

	for (cl_event command = queue->first; command; command = command->next) {
		bool first = command == queue->first;
		bool offered = unit == UNIT_ANY || unit == unit_of(command);

		if (stub_config.flush && !command->flushed)
			break;
		if (offered && command->status > CL_RUNNING && waits_are_over(command) &&
		    (first || !waits_for_all(command))) {
			picked = command;
			if (!reverse)
				break;
		}
		if (!out_of_order || is_barrier(command))
			break;
	}
	return picked;
}

/* A unit takes what has waited longest, so that no queue starves. */
static cl_event engine_pick(enum unit unit)
{
	cl_event picked = NULL;

	for (cl_command_queue queue = queues; queue; queue = queue->next) {
		cl_event command = queue->first ? queue_pick(queue, unit) : NULL;

		if (command && unit == UNIT_ANY)
			return command;
		if (command && (!picked || command->queued_ns < picked->queued_ns))
			picked = command;
	}
	return picked;
}

static void sleep_ns(unsigned long long delay_ns)
{
	struct timespec end;

	if (!delay_ns)
		return;
	clock_gettime(CLOCK_MONOTONIC, &end);
	delay_ns += (unsigned long long)end.tv_nsec;
	end.tv_sec += (time_t)(delay_ns / 1000000000);
	end.tv_nsec = (long)(delay_ns % 1000000000);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL)) {
	}
}

/* How long it runs, as it was asked for. */
static void command_delay(cl_event command)
{
	long each_us =
		unit_of(command) == UNIT_COMPUTE ? stub_config.kitem_us : stub_config.kbyte_us;

	sleep_ns((unsigned long long)stub_config.delay_us * 1000 +
		 (unsigned long long)each_us * command->amount);
}

static void queue_unlink(cl_event command)
{
	cl_command_queue queue = command->queue;

	if (command->previous)
		command->previous->next = command->next;
	else
		queue->first = command->next;
	if (command->next)
		command->next->previous = command->previous;
	else
		queue->last = command->previous;
}

/* Holds stub_lock on entry and on return, not between. */
static void command_run(cl_event command)
{
	cl_event *wait = command->wait;
	cl_uint wait_count = command->wait_count;

	command->wait = NULL;
	command->wait_count = 0;
	command->submitted_ns = stub_clock_device_ns();
	command->status = CL_RUNNING;
	pthread_mutex_unlock(&stub_lock);

	if (command->first)
		sleep_ns((unsigned long long)stub_config.first_us * 1000);
	command->start_ns = stub_clock_device_ns();
	command_delay(command);

	cl_int status = CL_COMPLETE;

	if (command->fails)
		status = wait_count ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
				    : stub_config.status_code;
	else if (command->run)
		command->run(command->payload);
	free(command->payload);
	for (cl_uint i = 0; i < wait_count; i++)
		stub_event_put(wait[i]);
	free(wait);

	if (!command->hangs) {
		cl_command_queue queue = command->queue;

		stub_event_end(command, status);
		pthread_mutex_lock(&stub_lock);
		queue_unlink(command);

		bool last = queue->orphan && !queue->first;

		stub_event_put(command); /* before anybody can see that it is over */
		pthread_cond_broadcast(&changed);
		pthread_cond_broadcast(waiters_of(queue));
		pthread_mutex_unlock(&stub_lock);
		if (last)
			stub_queue_free(queue);
	}
	pthread_mutex_lock(&stub_lock);
}

static void *engine_main(void *unit)
{
	pthread_mutex_lock(&stub_lock);
	for (;;) {
		cl_event command = engine_pick((enum unit)(uintptr_t)unit);

		if (command)
			command_run(command);
		else
			pthread_cond_wait(&changed, &stub_lock);
	}
	return NULL;
}

static void engine_start(void)
{
	unsigned units = engine_is("units") ? UNITS : 1;
	pthread_t thread;

	for (uintptr_t i = 0; i < units; i++) {
		uintptr_t unit = units == 1 ? UNIT_ANY : i;

		if (!pthread_create(&thread, NULL, engine_main, (void *)unit))
			pthread_detach(thread);
	}
}

static bool engine_has_threads(void)
{
	return engine_is("thread") || engine_is("units");
}

void stub_engine_poke(void)
{
	cl_event command;

	pthread_mutex_lock(&stub_lock);
	pthread_cond_broadcast(&changed);
	if (engine_is("inline"))
		while ((command = engine_pick(UNIT_ANY)))
			command_run(command);
	pthread_mutex_unlock(&stub_lock);
}

void stub_engine_nudge(void)
{
	pthread_mutex_lock(&stub_lock);

	cl_event command = engine_is("deferred") ? engine_pick(UNIT_ANY) : NULL;

	if (command)
		command_run(command);
	pthread_mutex_unlock(&stub_lock);
}

/* Helps with the work, or sleeps until something has changed. */
static void engine_step(cl_command_queue queue)
{
	cl_event command = engine_has_threads() ? NULL : engine_pick(UNIT_ANY);

	if (command) {
		command_run(command);
	} else if (engine_has_threads() && !strcmp(stub_config.wait, "spin")) {
		pthread_mutex_unlock(&stub_lock);
		for (int i = 0; i < 1000; i++)
			__asm__ volatile("" ::: "memory");
		pthread_mutex_lock(&stub_lock);
	} else {
		pthread_cond_wait(engine_has_threads() && queue ? waiters_of(queue) : &changed,
				  &stub_lock);
	}
}

static void queue_flush(cl_command_queue queue)
{
	for (cl_event command = queue->last; command && !command->flushed;
	     command = command->previous)
		command->flushed = true;
	pthread_cond_broadcast(&changed);
}

void stub_engine_flush(cl_command_queue queue)
{
	pthread_mutex_lock(&stub_lock);
	queue_flush(queue);
	pthread_mutex_unlock(&stub_lock);
	stub_engine_poke();
}

void stub_engine_finish(cl_command_queue queue)
{
	pthread_mutex_lock(&stub_lock);
	queue_flush(queue);
	while (queue->first)
		engine_step(queue);
	pthread_mutex_unlock(&stub_lock);
}

void stub_engine_wait(cl_event event)
{
	pthread_mutex_lock(&stub_lock);
	if (event->queue && event->status > CL_COMPLETE)
		queue_flush(event->queue);
	while (event->status > CL_COMPLETE)
		engine_step(event->queue);
	pthread_mutex_unlock(&stub_lock);
}

static cl_int command_check(const struct stub_command *command)
{
	if (!stub_object_check(command->queue, STUB_queue))
		return CL_INVALID_COMMAND_QUEUE;
	if (!command->wait_count != !command->wait)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < command->wait_count; i++) {
		if (!stub_object_check(command->wait[i], STUB_event))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (command->wait[i]->context != command->queue->context)
			return CL_INVALID_CONTEXT;
	}
	return CL_SUCCESS;
}

static cl_event command_create(const struct stub_command *command)
{
	cl_event event = stub_object_create(STUB_event, sizeof(*event));

	if (!event)
		return NULL;
	event->context = command->queue->context;
	event->queue = command->queue;
	event->profiled = command->queue->properties & CL_QUEUE_PROFILING_ENABLE;
	event->command = command->type;
	event->amount = command->amount;
	event->first = command->first;
	event->status = CL_QUEUED;
	event->run = command->run;
	event->queued_ns = stub_clock_device_ns();
	if (command->payload_bytes) {
		event->payload = malloc(command->payload_bytes);
		memcpy(event->payload, command->payload, command->payload_bytes);
	}
	if (command->wait_count) {
		event->wait_count = command->wait_count;
		event->wait = malloc(command->wait_count * sizeof(cl_event));
		for (cl_uint i = 0; i < command->wait_count; i++) {
			event->wait[i] = command->wait[i];
			stub_object_retain(event->wait[i]);
		}
	}
	return event;
}

cl_int stub_enqueue(const struct stub_command *command)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	cl_command_queue queue = command->queue;
	cl_int error = command_check(command);

	if (error)
		return error;

	cl_event event = command_create(command);

	if (!event)
		return CL_OUT_OF_HOST_MEMORY;
	if (engine_has_threads())
		pthread_once(&once, engine_start);

	pthread_mutex_lock(&stub_lock);
	commands++;
	event->hangs = stub_config.hang && commands % stub_config.hang == 0;
	event->fails = stub_config.status_every && commands % stub_config.status_every == 0;
	event->previous = queue->last;
	if (queue->last)
		queue->last->next = event;
	else
		queue->first = event;
	queue->last = event;
	/* One reference is the queue's; `blocking` and the program have theirs. */
	stub_object_retain(event);
	pthread_mutex_unlock(&stub_lock);

	stub_engine_poke();
	if (command->blocking) {
		stub_engine_wait(event);
		if (event->status < 0)
			error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	if (command->event)
		*command->event = event;
	else
		stub_event_put(event);
	return error;
}
