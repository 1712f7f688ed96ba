/* SPDX-License-Identifier: MIT */
#include "domains/acme/call.h"

#include <errno.h>

#include "core/call/call.h"
#include "core/call/kernel_name.h"
#include "domains/acme/describe.h"
#include "domains/acme/operation.h"
#include "schema/domain/acme.h"
#include "schema/gen/acme_records.h"

/* The runtime's calls do not nest. */
static __thread struct tandem_call open_call __attribute__((tls_model("initial-exec")));

static const void *handle(uint64_t argument)
{
	return (const void *)(uintptr_t)argument;
}

static uint32_t queue_number(uint64_t argument)
{
	return tandem_object_number(TANDEM_KIND(acme, queue), handle(argument));
}

static void copy_begin(const struct acm_call *said)
{
	uint32_t queue = queue_number(said->args[0]);
	struct tandem_acme_acmCopy *record =
		tandem_call_begin(&open_call, TANDEM_ACME_EVENT_acmCopy, sizeof(*record));

	if (!record)
		return;
	record->op = acme_operation_id(said->correlation);
	record->queue = queue;
	record->bytes = said->args[3];
	record->blocking = said->args[4] != 0;
	record->address = said->args[record->blocking ? 1 : 2];
	tandem_call_commit(&open_call);
}

static void launch_begin(const struct acm_call *said)
{
	uint32_t queue = queue_number(said->args[0]);
	uint32_t kernel = tandem_kernel_named(TANDEM_DOMAIN_acme, handle(said->args[1]));
	struct tandem_acme_acmLaunch *record =
		tandem_call_begin(&open_call, TANDEM_ACME_EVENT_acmLaunch, sizeof(*record));

	if (!record)
		return;
	record->op = acme_operation_id(said->correlation);
	record->queue = queue;
	record->kernel = kernel;
	record->items = said->args[2];
	tandem_call_commit(&open_call);
}

static void alloc_begin(const struct acm_call *said)
{
	struct tandem_acme_acmAlloc *record =
		tandem_call_begin(&open_call, TANDEM_ACME_EVENT_acmAlloc, sizeof(*record));

	if (!record)
		return;
	record->returned = 0;
	record->bytes = said->args[0];
	tandem_call_commit(&open_call);
}

/* Calls with one field of 32 bits: an object, a status, or what is returned. */
static void number_begin(uint16_t id, uint32_t number)
{
	struct tandem_acme_acmQueueWait *record =
		tandem_call_begin(&open_call, id, sizeof(*record));

	if (!record)
		return;
	record->queue = number;
	tandem_call_commit(&open_call);
}

static void begin(const struct acm_call *said)
{
	switch ((enum acm_function)said->function) {
	case ACM_INIT:
		number_begin(TANDEM_ACME_EVENT_acmInit,
			     tandem_object_number(TANDEM_KIND(acme, engine), said));
		break;
	case ACM_QUEUE_CREATE:
		number_begin(TANDEM_ACME_EVENT_acmQueueCreate, 0);
		break;
	case ACM_QUEUE_DESTROY:
		number_begin(TANDEM_ACME_EVENT_acmQueueDestroy, queue_number(said->args[0]));
		break;
	case ACM_ALLOC:
		alloc_begin(said);
		break;
	case ACM_FREE:
		number_begin(TANDEM_ACME_EVENT_acmFree,
			     tandem_object_find(TANDEM_KIND(acme, memory), handle(said->args[0])));
		/* Before: another thread may get the address as soon as it is free. */
		acme_memory_freed(handle(said->args[0]));
		break;
	case ACM_COPY:
		copy_begin(said);
		break;
	case ACM_LAUNCH:
		launch_begin(said);
		break;
	case ACM_QUEUE_WAIT:
		number_begin(TANDEM_ACME_EVENT_acmQueueWait, queue_number(said->args[0]));
		break;
	case ACM_QUEUE_QUERY:
		number_begin(TANDEM_ACME_EVENT_acmQueueQuery, queue_number(said->args[0]));
		break;
	case ACM_ERROR_NAME:
		number_begin(TANDEM_ACME_EVENT_acmErrorName, (uint32_t)said->args[0]);
		break;
	}
}

static void end(const struct acm_call *said)
{
	uint64_t now = tandem_ticks();
	uint32_t number;

	switch (said->function) {
	case ACM_QUEUE_CREATE:
		number = acme_queue_created(handle(said->returned));
		break;
	case ACM_ALLOC:
		number = acme_memory_created(handle(said->returned), said->args[0]);
		break;
	case ACM_QUEUE_DESTROY:
		if (!said->status)
			tandem_object_forget(TANDEM_KIND(acme, queue), handle(said->args[0]));
		/* fall through */
	default:
		call_end(&open_call, said->status, now, NULL, 0, 0);
		return;
	}
	call_end(&open_call, said->status, now, &number, sizeof(number), said->returned);
}

static bool is_wanted(uint32_t function)
{
	return (function != ACM_QUEUE_QUERY && function != ACM_ERROR_NAME) ||
	       tandem_choices(TANDEM_DOMAIN_acme) & TANDEM_ACME_BIT(queries);
}

void acme_called(const struct acm_call *said)
{
	int saved = errno;

	if (!said->ended) {
		open_call.record = NULL;
		if (acme_recording() && is_wanted(said->function))
			begin(said);
	} else if (open_call.record) {
		end(said);
		open_call.record = NULL;
	}
	errno = saved;
}
