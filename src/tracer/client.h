/* SPDX-License-Identifier: MIT */
/* A tool: a sink of its own (sinks/sink.h), with what it has enabled by domain and operation. */
#ifndef TANDEM_TRACER_CLIENT_H
#define TANDEM_TRACER_CLIENT_H

struct pool;

/* Nobody records into the pool from now on. */
void clients_leave_pool(struct pool *pool);

/* In the child of a fork: nobody records into any pool. */
void clients_forked(void);

#endif
