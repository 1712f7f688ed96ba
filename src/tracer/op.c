/* SPDX-License-Identifier: MIT */
#include "tracer/op.h"

#include <errno.h>
#include <string.h>

#include "core/local.h"
#include "schema/domain.h"
#include "tracer/error.h"

static const char *const operations[OP_KINDS] = {
	[TANDEM_TRACER_KERNEL] = "kernel",
	[TANDEM_TRACER_COPY_TO_DEVICE] = "copy_h2d",
	[TANDEM_TRACER_COPY_TO_HOST] = "copy_d2h",
	[TANDEM_TRACER_COPY_ON_DEVICE] = "copy_d2d",
	[TANDEM_TRACER_FILL] = "fill",
	[TANDEM_TRACER_MAP] = "map",
	[TANDEM_TRACER_UNMAP] = "unmap",
	[TANDEM_TRACER_MIGRATE] = "migrate",
	[TANDEM_TRACER_BARRIER] = "barrier",
	[TANDEM_TRACER_MARKER] = "marker",
	[TANDEM_TRACER_OTHER] = "other",
};

static const char *const annotations[] = {
	[TANDEM_TRACER_MARK] = "mark",
	[TANDEM_TRACER_RANGE_PUSH] = "range_push",
	[TANDEM_TRACER_RANGE_POP] = "range_pop",
	[TANDEM_TRACER_RANGE_START] = "range_start",
	[TANDEM_TRACER_RANGE_STOP] = "range_stop",
};

#define ANNOTATIONS (sizeof(annotations) / sizeof(annotations[0]))

/* Runtimes in the process, and annotations: not what the recorder itself records. */
bool op_domain_exists(uint32_t domain)
{
	const struct tandem_domain_row *row = domain < 64 ? tandem_domain_row(domain) : NULL;

	return row && (row->runtime || domain == TANDEM_DOMAIN_annotation);
}

const struct tandem_event *op_event(uint32_t domain, uint32_t op)
{
	const struct tandem_domain *schema = domain < 64 ? tandem_domain_get(domain) : NULL;
	const struct tandem_event *event;

	if (!schema || !op_domain_exists(domain) || op >= schema->event_count)
		return NULL;
	event = &schema->events[op];
	return event->name && event->class != TANDEM_CLASS_RECORD && TANDEM_ID_EVENT(event->id)
		       ? event
		       : NULL;
}

uint32_t op_count(uint32_t domain, uint32_t kind)
{
	const struct tandem_domain *schema;

	if (!op_domain_exists(domain))
		return 0;
	if (domain == TANDEM_DOMAIN_annotation)
		return kind == TANDEM_TRACER_API ? ANNOTATIONS : 0;
	if (kind == TANDEM_TRACER_OPERATION)
		return TANDEM_TRACER_OTHER + 1;
	schema = tandem_domain_get(domain);
	return !schema || kind != TANDEM_TRACER_API ? 0 : schema->event_count;
}

const char *tandem_tracer_op_string(uint32_t domain, uint32_t kind, uint32_t op)
{
	const struct tandem_event *event;

	if (op >= op_count(domain, kind)) {
		error_set(0, "domain %u has no operation %u of kind %u", domain, op, kind);
		return NULL;
	}
	if (domain == TANDEM_DOMAIN_annotation)
		return annotations[op];
	if (kind == TANDEM_TRACER_OPERATION)
		return operations[op];
	event = op_event(domain, op);
	if (!event)
		error_set(0, "operation %u of domain %u is no function", op, domain);
	return event ? event->name : NULL;
}

const char *tandem_tracer_id_string(uint32_t domain, uint32_t op)
{
	return tandem_tracer_op_string(domain, TANDEM_TRACER_API, op);
}

bool op_exists(uint32_t domain, uint32_t kind, uint32_t op)
{
	if (op >= op_count(domain, kind))
		return false;
	if (domain == TANDEM_DOMAIN_annotation)
		return annotations[op];
	return kind == TANDEM_TRACER_OPERATION || op_event(domain, op);
}

uint32_t tandem_tracer_op_next(uint32_t domain, uint32_t kind, uint32_t op)
{
	for (op = op == TANDEM_TRACER_ALL ? 0 : op + 1; op < op_count(domain, kind); op++)
		if (op_exists(domain, kind, op))
			return op;
	return TANDEM_TRACER_ALL;
}

int tandem_tracer_op_code(uint32_t domain, const char *name, uint32_t *op, uint32_t *kind)
{
	if (!name || !op)
		return error_set(-EINVAL, "no name, or no place for the operation");
	if (!op_domain_exists(domain))
		return error_set(-ENODEV, "no domain %u", domain);
	for (uint32_t of = TANDEM_TRACER_API; of <= TANDEM_TRACER_OPERATION; of++)
		for (uint32_t i = TANDEM_TRACER_ALL;
		     (i = tandem_tracer_op_next(domain, of, i)) != TANDEM_TRACER_ALL;)
			if (!strcmp(tandem_tracer_op_string(domain, of, i), name)) {
				*op = i;
				if (kind)
					*kind = of;
				return 0;
			}
	return error_set(-ENOENT, "domain %u has no operation '%s'", domain, name);
}

int tandem_tracer_domain(const char *name)
{
	const struct tandem_domain_row *row;

	if (!name)
		return error_set(-EINVAL, "no name");
	row = tandem_domain_row_find(name);
	return row && op_domain_exists(row->number) ? row->number
						    : error_set(-ENODEV, "no domain '%s'", name);
}

const char *tandem_tracer_domain_string(uint32_t domain)
{
	if (op_domain_exists(domain))
		return tandem_domain_row(domain)->name;
	error_set(0, "no domain %u", domain);
	return NULL;
}

uint32_t tandem_tracer_domain_next(uint32_t domain)
{
	for (domain = domain == TANDEM_TRACER_ALL ? 0 : domain + 1; domain < 64; domain++)
		if (op_domain_exists(domain))
			return domain;
	return TANDEM_TRACER_ALL;
}

const char *op_function_name(uint32_t domain, uint32_t op)
{
	return tandem_domain_get(domain)->events[op].name;
}

uint16_t op_id_offset(const struct tandem_event *event)
{
	const struct tandem_layout *layout = &event->layout[tandem_local_level() % 3];

	for (uint16_t i = 0; i < layout->field_count; i++)
		if (layout->fields[i].role == TANDEM_ROLE_op)
			return layout->fields[i].offset;
	return 0;
}
