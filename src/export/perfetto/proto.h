/* SPDX-License-Identifier: MIT */
/* Protocol Buffers' wire format (protobuf.dev, "Encoding"), as one goes into a
 * text: fields one after another, a message within a message by begin and end.
 *
 *	size_t event = proto_begin(&packet, 11);
 *	proto_number(&packet, 9, 1);
 *	proto_string(&packet, 23, "flush", 5);
 *	proto_end(&packet, event);
 *
 * Out of memory is remembered by the text. One thread.
 */
#ifndef TANDEM_EXPORT_PROTO_H
#define TANDEM_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "util/text.h"

/* int32, int64, uint32, uint64, bool, enum; of a negative number its two's
 * complement. */
void proto_number(struct text *message, uint32_t field, uint64_t value);

/* fixed64 */
void proto_fixed(struct text *message, uint32_t field, uint64_t value);
void proto_double(struct text *message, uint32_t field, double value);

void proto_bytes(struct text *message, uint32_t field, const void *bytes, size_t length);

/* A string is UTF-8: other bytes become U+FFFD. */
void proto_string(struct text *message, uint32_t field, const char *string, size_t length);

/* A message within: its length is filled in at the end. */
size_t proto_begin(struct text *message, uint32_t field);
void proto_end(struct text *message, size_t begun);

#endif
