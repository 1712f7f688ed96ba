/* SPDX-License-Identifier: MIT */
/* The graph, queues, diagnostics: what comes once, or seldom. */
#ifndef TANDEM_DOMAINS_SYCL_QUEUE_H
#define TANDEM_DOMAINS_SYCL_QUEUE_H

#include "xpti/xpti_trace_framework.h"

void sycl_graph_create(xpti_event_data_t *event);
void sycl_queue_create(xpti_event_data_t *event);
void sycl_queue_destroy(xpti_event_data_t *event);
void sycl_diagnostic(xpti_event_data_t *event, const char *message);

#endif
