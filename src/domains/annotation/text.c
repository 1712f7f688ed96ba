/* SPDX-License-Identifier: MIT */
#include "domains/annotation/text.h"

#include <string.h>

#include "core/control.h"

#define TEXT_MOST 4096u

void annotation_text_narrow(struct annotation_text *text, const char *narrow)
{
	uint32_t most = tandem_control.max_string_bytes < TEXT_MOST
				? tandem_control.max_string_bytes
				: TEXT_MOST;

	text->at = narrow ? narrow : "";
	text->bytes = (uint32_t)strnlen(text->at, most);
}

void annotation_text_wide(struct annotation_text *text, const wchar_t *wide)
{
	uint8_t *to = (uint8_t *)text->converted;

	for (; wide && *wide && to < (uint8_t *)text->converted + sizeof(text->converted) - 4;
	     wide++) {
		uint32_t c = (uint32_t)*wide;

		if (c < 0x80) {
			*to++ = (uint8_t)c;
			continue;
		}
		if (c >= 0x10000)
			*to++ = (uint8_t)(0xf0 | (c >> 18 & 7));
		if (c >= 0x800)
			*to++ = (uint8_t)(c >= 0x10000 ? 0x80 | (c >> 12 & 63) : 0xe0 | c >> 12);
		*to++ = (uint8_t)(c >= 0x800 ? 0x80 | (c >> 6 & 63) : 0xc0 | c >> 6);
		*to++ = (uint8_t)(0x80 | (c & 63));
	}
	text->at = text->converted;
	text->bytes = (uint32_t)(to - (uint8_t *)text->converted);
}
