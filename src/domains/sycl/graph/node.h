/* SPDX-License-Identifier: MIT */
/* Nodes and edges of the task graph. A node is one visit of its construct: the runtime's event
 * and the number of the visit are it; events are used again, by the earlier generation for each
 * visit of a construct, by the later one after their release. Any thread. */
#ifndef TANDEM_DOMAINS_SYCL_NODE_H
#define TANDEM_DOMAINS_SYCL_NODE_H

#include <stdint.h>

#include "xpti/xpti_trace_framework.h"

/* `what`: the runtime's word for the operation, or NULL. */
void sycl_node_create(xpti_event_data_t *event, uint64_t instance, const char *what);
void sycl_edge_create(xpti_event_data_t *edge);

/* The node that a task of the event is of; 0: it was not seen. */
uint32_t sycl_node_begin(const xpti_event_data_t *event, uint64_t instance);

/* The same, for what comes while its task is under way, or after it. */
uint32_t sycl_node_of(const xpti_event_data_t *event, uint64_t instance);

/* An event of the runtime below (its handle), of that operation, is now that of the node. */
void sycl_node_signals(uint64_t handle, uint64_t op, uint32_t node);
/* 0: not known, or the handle is another operation's by now. */
uint32_t sycl_node_of_handle(uint64_t handle, uint64_t op);

/* The node that a wait for the handle is about, of an event that may be the node's own. */
uint32_t sycl_node_waited(const xpti_event_data_t *event, uint64_t instance, uint64_t handle);

#endif
