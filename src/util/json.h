/* SPDX-License-Identifier: MIT */
/* Writes JSON (RFC 8259) into a text, as one goes: begin, members, end. Commas
 * and indentation are the writer's; that every begin has its end is the
 * caller's. Strings may hold any bytes: what is not UTF-8 becomes U+FFFD.
 *
 *	struct json json;
 *	json_init(&json, &text, true);
 *	json_begin_object(&json, NULL);
 *	json_string(&json, "name", "write");
 *	json_unsigned(&json, "calls", 12);
 *	json_end_object(&json);
 *
 * `key` is NULL for an array's element and for the outermost value.
 */
#ifndef TANDEM_UTIL_JSON_H
#define TANDEM_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

struct json {
	struct text *text; /* borrowed */
	unsigned depth;
	bool indented; /* a line for each member of the two outermost levels */
	bool first;
};

void json_init(struct json *json, struct text *text, bool indented);

void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);

void json_string(struct json *json, const char *key, const char *string);
void json_bytes(struct json *json, const char *key, const char *bytes, size_t length);
void json_unsigned(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);
/* `decimals` digits behind the point; null where the number is not finite. */
void json_float(struct json *json, const char *key, double number, int decimals);
/* A thousandth of the number, with three digits behind the point. */
void json_thousandths(struct json *json, const char *key, int64_t number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
