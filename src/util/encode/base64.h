/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648, section 4), for bytes that have to lie within a text. */
#ifndef TANDEM_UTIL_BASE64_H
#define TANDEM_UTIL_BASE64_H

#include "util/text.h"

/* Appends the letters of `bytes`. */
void base64_add(struct text *text, const void *bytes, size_t length);

#endif
