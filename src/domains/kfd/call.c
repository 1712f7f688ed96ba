/* SPDX-License-Identifier: MIT */
#include "domains/kfd/call.h"

#include <stdatomic.h>

#include "core/call/arguments.h"
#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/kfd/functions.h"

/* Nothing of KFD's is an object of ours. */
static uint32_t object_number(enum arguments_kind kind, const void *handle)
{
	(void)kind, (void)handle;
	return 0;
}

static void process_describe(void)
{
	static _Atomic uint32_t described; /* the statedump + 1 */
	uint32_t now = tandem_process_statedump() + 1;

	if (tandem_unlikely(atomic_load_explicit(&described, memory_order_relaxed) != now) &&
	    atomic_exchange(&described, now) != now)
		tandem_process_uses(TANDEM_DOMAIN_kfd);
}

void kfd_wrapped_begin(struct kfd_call *call, uint32_t function, const void *arguments)
{
	const struct arguments_function *api = &kfd_functions[function];
	struct call_prepared before;

	process_describe();
	tandem_call_prepare(&before, api->id, 0, call);
	arguments_begin(&call->call, api, kfd_steps, arguments, 0, object_number);
	tandem_call_restore(&before);
}

void kfd_wrapped_end(struct kfd_call *call, const void *arguments, int32_t status)
{
	(void)arguments;
	tandem_call_end(&call->call, status);
}
