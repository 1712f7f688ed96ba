/* SPDX-License-Identifier: MIT */
#include "util/encode/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct text *text, const void *bytes, size_t length)
{
	const unsigned char *from = bytes;

	for (size_t i = 0; i < length; i += 3) {
		size_t rest = length - i;
		unsigned group = from[i] << 16 | (rest > 1 ? from[i + 1] << 8 : 0) |
				 (rest > 2 ? from[i + 2] : 0);
		char four[4] = {letters[group >> 18], letters[group >> 12 & 63],
				rest > 1 ? letters[group >> 6 & 63] : '=',
				rest > 2 ? letters[group & 63] : '='};

		text_add(text, four, sizeof(four));
	}
}
