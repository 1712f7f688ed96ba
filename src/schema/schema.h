/* SPDX-License-Identifier: MIT */
/* Event descriptors: what a record's bytes mean. Generated tables
 * (src/schema/gen/) that both the traced process and the reader link.
 *
 * A record is: tandem_record, then (API calls) `int32 result, uint64 end`,
 * then the fixed fields one after another without padding, then the data of
 * the variable fields in their order. A variable field has an element count
 * of count_bytes (1 or 2) in the fixed part (the CTF sequence's length) at
 * `offset`.
 *
 * An API call has one layout per argument level; the level of a trace stands
 * in its metadata (env.args_level) and in the control page.
 */
#ifndef TANDEM_SCHEMA_SCHEMA_H
#define TANDEM_SCHEMA_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "schema/gen/objects.h"
#include "schema/ids.h"
#include "schema/record.h"
#include "schema/traits.h"

enum tandem_field_kind {
	TANDEM_FIELD_UINT,
	TANDEM_FIELD_INT,
	TANDEM_FIELD_HEX,   /* address, flags without names */
	TANDEM_FIELD_ENUM,  /* one of names[], else a number */
	TANDEM_FIELD_FLAGS, /* bits of names[] */
	TANDEM_FIELD_FLOAT,
	TANDEM_FIELD_OBJECT, /* uint32: our number of an object; 0 = null, ~0 = unknown */
	TANDEM_FIELD_OP,     /* uint64: operation id; 0 = none, ~0 = unknown event */
	TANDEM_FIELD_STRING, /* variable: bytes, UTF-8, no NUL */
};

/* Types of objects that runtimes share. What else their tables name is a type too
 * (gen/objects.h): the numbers are of this build, sessions have the words. */
#define TANDEM_SHARED_OBJECTS(X) \
	X(none)                  \
	X(platform)              \
	X(device)                \
	X(context)               \
	X(queue)                 \
	X(memory)                \
	X(program)               \
	X(kernel)                \
	X(event)                 \
	X(sampler)               \
	X(command_buffer)        \
	X(command)               \
	X(semaphore)             \
	X(accelerator)           \
	X(launch_config)         \
	X(scope)

#define TANDEM_OBJECTS(X) TANDEM_SHARED_OBJECTS(X) TANDEM_OWN_OBJECTS(X)

enum tandem_object {
#define X(name) TANDEM_OBJECT_##name,
	TANDEM_OBJECTS(X) TANDEM_OBJECT_COUNT
#undef X
};

struct tandem_name { /* of an enumerator or a flag */
	int64_t value;
	const char *name;
};

struct tandem_names {
	const char *type; /* C name of the type */
	const struct tandem_name *names;
	uint32_t count;
	uint8_t bytes; /* of a value */
	uint8_t is_signed;
};

struct tandem_field {
	const char *name;
	uint8_t kind;			  /* enum tandem_field_kind */
	uint8_t object;			  /* enum tandem_object, for OBJECT */
	uint8_t bytes;			  /* of the value, or of one element */
	uint8_t variable;		  /* 1: count at offset, elements behind the fixed part */
	uint8_t count_bytes;		  /* 1 or 2: size of that count; 0 in a fixed field */
	uint8_t role;			  /* enum tandem_role: what it means (traits.h) */
	uint16_t offset;		  /* from the record's start */
	const struct tandem_names *names; /* ENUM, FLAGS; else NULL */
};

struct tandem_layout {
	uint16_t fixed_bytes; /* from the record's start to the end of the fixed part */
	uint16_t field_count;
	const struct tandem_field *fields; /* without result and end */
};

struct tandem_event {
	uint16_t id;
	uint8_t class;	    /* enum tandem_event_class */
	uint8_t has_result; /* the result means something (not void) */
	const char *name;
	const struct tandem_names *results; /* names of `result`; NULL for records */
	struct tandem_traits traits;	    /* what it means beyond its class */
	struct tandem_layout layout[3];	    /* by enum tandem_args_level; a record has all alike */
};

struct tandem_domain {
	uint8_t number;
	const char *name;		   /* "opencl" */
	const char *hash;		   /* of the layouts: changes with any of them */
	const struct tandem_event *events; /* dense, by page and TANDEM_ID_EVENT(id) */
	uint16_t event_count;
	uint8_t pages[64]; /* of its event ids, packet.h; the first is `number` */
	uint8_t page_count;
};

#define DOMAIN(number, name, ...) extern const struct tandem_domain tandem_schema_##name;
#include "schema/domains.def"
#undef DOMAIN

/* NULL where there is no such domain or event. Any thread; static storage. */
const struct tandem_domain *tandem_domain_get(unsigned number);
const struct tandem_domain *tandem_domain_find(const char *name);

const struct tandem_event *tandem_event_get(unsigned id);

/* Whose a page of event ids is, and which of the domain's pages; nobody's: its own number. */
struct tandem_page {
	uint8_t domain, place;
};
extern const struct tandem_page tandem_pages[TANDEM_PAGES];

static inline unsigned tandem_id_domain(uint16_t id)
{
	return tandem_pages[TANDEM_ID_PAGE(id)].domain;
}

/* The event's number in its domain, from page to page: its place in tandem_domain.events. */
static inline unsigned tandem_id_number(uint16_t id)
{
	return tandem_pages[TANDEM_ID_PAGE(id)].place * TANDEM_PAGE_EVENTS + TANDEM_ID_EVENT(id);
}

/* Over all domains; what older versions compared. */
extern const char tandem_schema_hash[];

/* TSDL text that every trace's metadata needs before its events: the integer
 * types that they name (u8 to u64, x8 to x64, i32, i64, f64, utf8). The rest of
 * the prologue is printed by src/schema/metadata.c. */
extern const char tandem_tsdl_types[];

#endif
