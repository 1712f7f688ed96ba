/* SPDX-License-Identifier: MIT */
/* Events: user events, status, times, callbacks. */
#include "queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"

static pthread_cond_t callbacks_due = PTHREAD_COND_INITIALIZER;
static struct stub_callback *due;    /* those that wait for the foreign thread */
static _Atomic unsigned undelivered; /* and the one that it is calling: each holds its event */

void stub_event_put(cl_event event)
{
	if (!stub_object_release(event))
		return;
	while (event->callbacks) {
		struct stub_callback *callback = event->callbacks;

		event->callbacks = callback->next;
		free(callback);
	}
	stub_object_free(event);
}

/* The foreign thread: delivers the last one first. */
static void *callbacks_main(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&stub_lock);
	for (;;) {
		struct stub_callback *callback = due;

		if (!callback) {
			pthread_cond_wait(&callbacks_due, &stub_lock);
			continue;
		}
		due = callback->next;
		pthread_mutex_unlock(&stub_lock);
		callback->call.event(callback->event, callback->status, callback->user_data);
		stub_event_put(callback->event);
		free(callback);
		undelivered--;
		pthread_mutex_lock(&stub_lock);
	}
	return NULL;
}

static void callbacks_start(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, callbacks_main, NULL))
		pthread_detach(thread);
}

/* Takes the callbacks whose status has been reached off the event. stub_lock. */
static struct stub_callback *callbacks_take(cl_event event)
{
	struct stub_callback **link = &event->callbacks, *taken = NULL;

	while (*link) {
		struct stub_callback *callback = *link;

		if (event->status > callback->status) {
			link = &callback->next;
			continue;
		}
		*link = callback->next;
		callback->next = taken;
		if (event->status < 0)
			callback->status = event->status;
		taken = callback;
	}
	return taken;
}

static void callbacks_deliver(cl_event event, struct stub_callback *list)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool foreign = !strcmp(stub_config.callbacks, "foreign");

	if (foreign && list)
		pthread_once(&once, callbacks_start);
	while (list) {
		struct stub_callback *callback = list;

		list = callback->next;
		if (!foreign) {
			callback->call.event(event, callback->status, callback->user_data);
			free(callback);
			continue;
		}
		callback->event = event;
		stub_object_retain(event);
		undelivered++;
		pthread_mutex_lock(&stub_lock);
		callback->next = due;
		due = callback;
		pthread_cond_signal(&callbacks_due);
		pthread_mutex_unlock(&stub_lock);
	}
}

void stub_callbacks_wait(void)
{
	struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned ms = 0; undelivered && ms < 2000; ms++)
		nanosleep(&pause, NULL);
}

void stub_event_end(cl_event event, cl_int status)
{
	pthread_mutex_lock(&stub_lock);
	event->end_ns = stub_clock_device_ns();
	event->status = status;

	struct stub_callback *list = callbacks_take(event);

	pthread_mutex_unlock(&stub_lock);
	callbacks_deliver(event, list);
}

cl_event stub_clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
	ENTER_HANDLE(clCreateUserEvent);
	if (!stub_object_check(context, STUB_context))
		return stub_fail(errcode_ret, CL_INVALID_CONTEXT);

	cl_event event = stub_object_create(STUB_event, sizeof(*event));

	if (!event)
		return stub_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
	event->context = context;
	event->command = CL_COMMAND_USER;
	event->status = CL_SUBMITTED;
	stub_succeed(errcode_ret);
	return event;
}

cl_int stub_clSetUserEventStatus(cl_event event, cl_int execution_status)
{
	ENTER(clSetUserEventStatus);
	if (!stub_object_check(event, STUB_event) || event->queue)
		return CL_INVALID_EVENT;
	if (execution_status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (event->status <= CL_COMPLETE)
		return CL_INVALID_OPERATION;
	stub_event_end(event, execution_status);
	stub_engine_poke();
	return CL_SUCCESS;
}

cl_int stub_clRetainEvent(cl_event event)
{
	ENTER(clRetainEvent);
	if (!stub_object_check(event, STUB_event))
		return CL_INVALID_EVENT;
	stub_object_retain(event);
	return CL_SUCCESS;
}

cl_int stub_clReleaseEvent(cl_event event)
{
	ENTER(clReleaseEvent);
	if (!stub_object_check(event, STUB_event))
		return CL_INVALID_EVENT;
	stub_event_put(event);
	return CL_SUCCESS;
}

cl_int stub_clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
	cl_int error = CL_SUCCESS;

	ENTER(clWaitForEvents);
	if (!num_events || !event_list)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < num_events; i++)
		if (!stub_object_check(event_list[i], STUB_event))
			return CL_INVALID_EVENT;
	for (cl_uint i = 0; i < num_events; i++) {
		stub_engine_wait(event_list[i]);
		if (event_list[i]->status < 0)
			error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	return error;
}

cl_int stub_clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
			   void *param_value, size_t *param_value_size_ret)
{
	ENTER(clGetEventInfo);
	if (!stub_object_check(event, STUB_event))
		return CL_INVALID_EVENT;
	switch (param_name) {
	case CL_EVENT_COMMAND_QUEUE:
		INFO(cl_command_queue, event->queue);
	case CL_EVENT_CONTEXT:
		INFO(cl_context, event->context);
	case CL_EVENT_COMMAND_TYPE:
		INFO(cl_command_type, event->command);
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		stub_engine_nudge();
		INFO(cl_int, event->status);
	case CL_EVENT_REFERENCE_COUNT:
		INFO(cl_uint, (cl_uint)event->object.references);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
				    size_t param_value_size, void *param_value,
				    size_t *param_value_size_ret)
{
	bool zero = !strcmp(stub_config.profiling, "zero");
	bool unqueued = !strcmp(stub_config.profiling, "unqueued");

	ENTER(clGetEventProfilingInfo);
	if (!stub_object_check(event, STUB_event))
		return CL_INVALID_EVENT;
	if (!strcmp(stub_config.profiling, "fail"))
		return CL_OUT_OF_RESOURCES;
	if (!event->profiled || event->status != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	switch (param_name) {
	case CL_PROFILING_COMMAND_QUEUED:
		INFO(cl_ulong, zero || unqueued ? 0 : event->queued_ns);
	case CL_PROFILING_COMMAND_SUBMIT:
		INFO(cl_ulong, zero ? 0 : event->submitted_ns);
	case CL_PROFILING_COMMAND_START:
		INFO(cl_ulong, zero ? 0 : event->start_ns);
	case CL_PROFILING_COMMAND_END:
	case CL_PROFILING_COMMAND_COMPLETE:
		INFO(cl_ulong, zero ? 0 : event->end_ns);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int stub_clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
			       void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
			       void *user_data)
{
	ENTER(clSetEventCallback);
	if (!stub_object_check(event, STUB_event))
		return CL_INVALID_EVENT;
	if (!pfn_notify || command_exec_callback_type < CL_COMPLETE ||
	    command_exec_callback_type > CL_SUBMITTED)
		return CL_INVALID_VALUE;

	cl_int error = stub_callback_add(
		&event->callbacks, (struct stub_callback){.call.event = pfn_notify,
							  .status = command_exec_callback_type,
							  .user_data = user_data});

	if (error)
		return error;
	pthread_mutex_lock(&stub_lock);

	struct stub_callback *list = callbacks_take(event);

	pthread_mutex_unlock(&stub_lock);
	callbacks_deliver(event, list);
	return CL_SUCCESS;
}
