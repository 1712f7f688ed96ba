/* SPDX-License-Identifier: MIT */
/* ROCTracer's domains and operations as the tracer's. */
#ifndef TANDEM_ROCTRACER_DOMAIN_H
#define TANDEM_ROCTRACER_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "roctracer/roctracer.h"
#include "tandem/tracer.h"

enum face_what {
	FACE_NONE, /* ROCTracer's, of which nothing is traced */
	FACE_API,
	FACE_OPERATIONS,
	FACE_ROCTX,
	FACE_EXTERNAL,
};

struct face_domain {
	uint32_t number;  /* activity_domain_t */
	const char *name; /* of the tracer's domain; NULL: of none */
	enum face_what what;
	uint32_t op_count; /* of operations that have no names in the tracer */
	const char *const *ops;
	const char *first; /* the function with which ROCTracer's numbers begin, at 0; NULL: they
			    * are the tracer's */
};

/* NULL: there is no such domain. */
const struct face_domain *face_domain(uint32_t number);

/* In the order of the numbers; NULL begins, and ends. */
const struct face_domain *face_domain_next(const struct face_domain *domain);

/* The domain that the tracer's records are of. */
const struct face_domain *face_domain_of(uint32_t tracer_domain, uint32_t kind);

/* The tracer's domain; TANDEM_TRACER_ALL: this build, or process, has none. */
uint32_t face_tracer_domain(const struct face_domain *domain);

/* Whether there is such an operation. Where the runtime is unknown here, every one is. */
bool face_op_exists(const struct face_domain *domain, uint32_t op);

/* ROCTracer's number of one of the tracer's functions, and the tracer's of ROCTracer's.
 * TANDEM_TRACER_ALL: it has none, or all. */
uint32_t face_op_of_call(const struct face_domain *domain, uint32_t function);
uint32_t face_call_of_op(const struct face_domain *domain, uint32_t op);

/* What devices do: dispatch, copy or barrier, of enum tandem_tracer_operation; its kind as
 * HIP's records have it, and its name. */
uint32_t face_op_of(uint32_t operation);
uint32_t face_kind_of(uint32_t operation);

#endif
