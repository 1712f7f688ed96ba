/* SPDX-License-Identifier: MIT */
#include "generation.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"

struct activity {
	uint32_t domain, kind, operation;
	uint64_t correlation, begin_ns, end_ns;
	int32_t device;
	uint64_t queue;
	union {
		uint64_t bytes;
		const char *kernel;
	};
};

static struct activity activity_of(const struct operation *operation)
{
	struct activity activity = {
		.domain = 2,
		.kind = operation->command,
		.operation = operation->operation,
		.correlation = operation->correlation,
		.begin_ns = operation->begin_ns,
		.end_ns = operation->end_ns,
		.device = operation->device + 2, /* nodes: the host's come first */
		.queue = operation->stream->number,
		.bytes = operation->bytes,
	};

	if (operation->kernel && STUB_HIP > 502)
		activity.kernel = operation->kernel;
	return activity;
}

static void (*at_end)(void);

void stub_hip_at_end(void (*function)(void))
{
	at_end = function;
}

__attribute__((destructor)) static void ends(void)
{
	if (at_end)
		at_end();
}

#if STUB_HIP == 502

/* Its numbers of functions are not those of the newest headers. */
#define IDS 1024u
static void *(*activities[IDS])(uint32_t, void *, const void *, void *);
static void *activity_data[IDS];
static void (*callbacks[IDS])(uint32_t, uint32_t, const void *, void *);
static void *callback_data[IDS];
static void (*numbered)(uint64_t number);
static void (*ended)(uint32_t operation, void *record, void *data);
static void *ended_data;
static bool enabled[3];
static _Atomic uint64_t numbers = 100;

int32_t hipRegisterActivityCallback(uint32_t id, void *callback, void *data);
int32_t hipRegisterApiCallback(uint32_t id, void *callback, void *data);
int32_t hipRemoveActivityCallback(uint32_t id);
int32_t hipRemoveApiCallback(uint32_t id);
void hipInitActivityCallback(void *id_callback, void *callback, void *data);
bool hipEnableActivityCallback(uint32_t operation, bool on);

int32_t hipRegisterActivityCallback(uint32_t id, void *callback, void *data)
{
	if (!id || id >= IDS)
		return 1;
	activity_data[id] = data;
	memcpy(&activities[id], &callback, sizeof(callback));
	return 0;
}

int32_t hipRegisterApiCallback(uint32_t id, void *callback, void *data)
{
	if (!id || id >= IDS)
		return 1;
	callback_data[id] = data;
	memcpy(&callbacks[id], &callback, sizeof(callback));
	return 0;
}

int32_t hipRemoveActivityCallback(uint32_t id)
{
	return hipRegisterActivityCallback(id, NULL, NULL);
}

int32_t hipRemoveApiCallback(uint32_t id)
{
	return hipRegisterApiCallback(id, NULL, NULL);
}

void hipInitActivityCallback(void *id_callback, void *callback, void *data)
{
	memcpy(&numbered, &id_callback, sizeof(id_callback));
	memcpy(&ended, &callback, sizeof(callback));
	ended_data = data;
}

bool hipEnableActivityCallback(uint32_t operation, bool on)
{
	if (operation > 2)
		return false;
	enabled[operation] = on;
	return true;
}

void call_begin(struct call *call, uint32_t id)
{
	call->id = id;
	call->arguments = NULL;
	call->data = id < IDS && activities[id] ? activities[id](id, NULL, NULL, NULL) : NULL;
	call->on = call->data;
	if (call->on)
		call->arguments = (uint8_t *)call->data + 16;
}

void call_filled(struct call *call)
{
	if (callbacks[call->id])
		callbacks[call->id](3, call->id, call->data, callback_data[call->id]);
}

void call_end(struct call *call)
{
	if (!call->on)
		return;
	*(uint32_t *)((uint8_t *)call->data + 8) = 1; /* the phase */
	if (callbacks[call->id])
		callbacks[call->id](3, call->id, call->data, callback_data[call->id]);
	activities[call->id](call->id, NULL, NULL, activity_data[call->id]);
}

uint64_t call_correlation(void)
{
	uint64_t number = ++numbers;

	if (numbered)
		numbered(number);
	return number;
}

void stub_report(const struct operation *operation)
{
	struct activity activity;

	if (!ended || (operation && operation->operation <= 2 && !enabled[operation->operation]))
		return;
	if (!operation) {
		ended(0, NULL, ended_data);
		return;
	}
	activity = activity_of(operation);
	ended(operation->operation, &activity, ended_data);
}

#else

static int (*_Atomic report)(uint32_t domain, uint32_t id, void *data);
static __thread uint64_t correlation;

void hipRegisterTracerCallback(int (*callback)(uint32_t domain, uint32_t id, void *data));

void hipRegisterTracerCallback(int (*callback)(uint32_t domain, uint32_t id, void *data))
{
	report = callback;
}

void call_begin(struct call *call, uint32_t id)
{
	memset(&call->trace, 0xa5, sizeof(call->trace));
	call->id = id;
	call->arguments = NULL;
	call->on = report && !report(3, id, &call->trace);
	if (!call->on)
		return;
	memcpy(&correlation, call->trace.api, sizeof(correlation));
	if (call->trace.enter)
		call->arguments = call->trace.api + 16;
}

void call_filled(struct call *call)
{
	call->trace.enter(call->id, &call->trace);
}

void call_end(struct call *call)
{
	if (!call->on)
		return;
	if (call->trace.exit)
		call->trace.exit(call->id, &call->trace);
	correlation = 0;
}

uint64_t call_correlation(void)
{
	return correlation;
}

void stub_report(const struct operation *operation)
{
	struct activity activity;

	if (!operation || !report || report(2, operation->operation, NULL))
		return;
	activity = activity_of(operation);
	report(2, operation->operation, &activity);
}
#endif
