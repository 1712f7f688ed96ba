/* SPDX-License-Identifier: MIT */
/* Tasks as they are submitted, what they become, and waits. Each in the thread that the event
 * comes in; the calls by which the runtime below does it lie in the same thread within. */
#ifndef TANDEM_DOMAINS_SYCL_TASK_H
#define TANDEM_DOMAINS_SYCL_TASK_H

#include <stdint.h>

#include "xpti/xpti_trace_framework.h"

void sycl_task_begin(xpti_event_data_t *event, uint64_t instance);
void sycl_task_end(void);

/* `handle`: the runtime's event of what the task has enqueued; NULL: a host task's. */
void sycl_task_signal(xpti_event_data_t *event, uint64_t instance, const void *handle);

/* `what`: "event.wait[ADDRESS]", "queue.wait[ADDRESS]", or NULL. */
void sycl_wait_begin(xpti_event_data_t *event, uint64_t instance, const char *what);
void sycl_wait_end(void);

void sycl_barrier_begin(xpti_event_data_t *event, uint64_t instance);
void sycl_barrier_end(void);

#endif
