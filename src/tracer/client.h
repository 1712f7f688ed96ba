/* SPDX-License-Identifier: MIT */
/* A tool: a sink of its own (sinks/sink.h), and the calls by which it enables operations. */
#ifndef TANDEM_TRACER_CLIENT_H
#define TANDEM_TRACER_CLIENT_H

/* Before the first one. */
void clients_begin(void);

/* In the child of a fork: nobody records into any pool. */
void clients_forked(void);

#endif
