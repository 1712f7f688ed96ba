/* SPDX-License-Identifier: MIT */
/* Values of libbabeltrace2's fields. */
#ifndef TANDEM_TRACE_LTTNG_NUMBER_H
#define TANDEM_TRACE_LTTNG_NUMBER_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bits of an integer, an enumeration's value or a floating-point number; 0 of others. */
static inline uint64_t number_of(const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	uint64_t bits = 0;
	double real;

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return bt_field_integer_unsigned_get_value(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return (uint64_t)bt_field_integer_signed_get_value(field);
	if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		real = bt_field_real_double_precision_get_value(field);
		memcpy(&bits, &real, sizeof(bits));
	}
	return bits;
}

/* A member of a structure by its name; NULL: there is none, or no structure. */
static inline const bt_field *member_of(const bt_field *structure, const char *name)
{
	if (!structure || bt_field_get_class_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
		return NULL;
	return bt_field_structure_borrow_member_field_by_name_const(structure, name);
}

#endif
