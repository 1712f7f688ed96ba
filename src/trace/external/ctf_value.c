/* SPDX-License-Identifier: MIT */
#include "trace/external/ctf_value.h"

#include <stdio.h>
#include <string.h>

uint64_t ctf_number(const bt_field *field)
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

const bt_field *ctf_member(const bt_field *structure, const char *name)
{
	if (!structure || bt_field_get_class_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
		return NULL;
	return bt_field_structure_borrow_member_field_by_name_const(structure, name);
}

bool ctf_member_number(const bt_field *structure, const char *name, int64_t *value)
{
	const bt_field *field = ctf_member(structure, name);
	bt_field_class_type type = field ? bt_field_get_class_type(field) : 0;

	if (!field || (!bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) &&
		       !bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)))
		return false;
	*value = (int64_t)ctf_number(field);
	return true;
}

const char *ctf_string(const bt_field *field, char *room, size_t room_bytes)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	uint64_t length = 0;

	if (type == BT_FIELD_CLASS_TYPE_STRING)
		return bt_field_string_get_value(field);
	if (!bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		return NULL;
	for (; length < bt_field_array_get_length(field) && length + 1 < room_bytes; length++)
		room[length] = (char)ctf_number(
			bt_field_array_borrow_element_field_by_index_const(field, length));
	room[length] = '\0';
	return room;
}

const char *ctf_environment(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

void ctf_boot(const bt_clock_class *clock, char out[CTF_BOOT_BYTES])
{
	bt_uuid uuid = clock ? bt_clock_class_get_uuid(clock) : NULL;

	out[0] = '\0';
	for (int i = 0, at = 0; uuid && i < 16; i++)
		at += snprintf(out + at, (size_t)(CTF_BOOT_BYTES - at), "%s%02x",
			       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

uint64_t ctf_ns(const bt_clock_snapshot *snapshot)
{
	uint64_t hz =
		bt_clock_class_get_frequency(bt_clock_snapshot_borrow_clock_class_const(snapshot));
	uint64_t value = bt_clock_snapshot_get_value(snapshot);

	return hz == 1000000000 || !hz ? value
				       : (uint64_t)((unsigned __int128)value * 1000000000 / hz);
}

void ctf_explain(char *why, uint64_t why_bytes)
{
	const bt_error *error = bt_current_thread_take_error();
	const bt_error_cause *cause = error && bt_error_get_cause_count(error)
					      ? bt_error_borrow_cause_by_index(error, 0)
					      : NULL;

	snprintf(why, why_bytes, "%s",
		 cause ? bt_error_cause_get_message(cause) : "libbabeltrace2 can't read it");
	if (error)
		bt_error_release(error);
}
