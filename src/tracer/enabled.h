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
	uint16_t op;
	uint8_t domain;
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
	struct function *_Atomic page[TANDEM_PAGES]; /* of `table`, by a page of event ids */
	bool started, attached, gone;
};

/* The function whose event has that id; NULL: the tool has enabled none of the domain, or it is no
 * runtime's. */
static inline struct function *enabled_function(const struct tandem_tracer *client, uint16_t id)
{
	struct function *page =
		atomic_load_explicit(&client->page[TANDEM_ID_PAGE(id)], memory_order_acquire);

	return page ? page + TANDEM_ID_EVENT(id) : NULL;
}

#endif
