/* SPDX-License-Identifier: MIT */
/* What a tool has enabled, by domain and operation: callbacks and pools. The tool's own calls
 * write it (client.c); its delivery reads it in traced calls (delivery.c), without a lock. */
#ifndef TANDEM_TRACER_ENABLED_H
#define TANDEM_TRACER_ENABLED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sinks/sink.h"
#include "tandem/tracer.h"
#include "tracer/op.h"

struct pool;

/* What is to be called: made once, and kept, so that who has it may use it. */
struct registration {
	struct registration *next;
	tandem_tracer_callback_t callback;
	void *arg;
};

struct function {
	struct registration *_Atomic registration;
	struct pool *_Atomic pool;
	_Atomic uint16_t id_offset; /* of the operation id in its record; 0: it has none */
	_Atomic uint16_t bounds;    /* its begin bounds a device's clock */
};

/* Of a domain. */
struct table {
	struct pool *_Atomic operation[OP_KINDS];
	uint32_t functions; /* op_count() */
	struct function function[];
};

struct tandem_tracer {
	struct tandem_tracer *next;
	struct tandem_sink sink;
	struct table *_Atomic table[TANDEM_DOMAINS];
	bool started, attached, gone;
};

#endif
