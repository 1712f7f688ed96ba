/* SPDX-License-Identifier: MIT */
/* A text that the runtime hands over, as records have it: bytes, no longer than `--cut`.
 * Points into what the runtime has. */
#ifndef TANDEM_DOMAINS_SYCL_TEXT_H
#define TANDEM_DOMAINS_SYCL_TEXT_H

#include <stdint.h>
#include <string.h>

#include "core/control.h"

#define SYCL_TEXT_MOST 4096u

struct sycl_text {
	const char *at; /* never NULL */
	uint32_t bytes;
};

/* NULL gives an empty one; `most`: where it ends at the latest. */
static inline struct sycl_text sycl_text(const char *text, size_t most)
{
	uint32_t cut = tandem_control.max_string_bytes < SYCL_TEXT_MOST
			       ? tandem_control.max_string_bytes
			       : SYCL_TEXT_MOST;

	if (!text)
		return (struct sycl_text){"", 0};
	return (struct sycl_text){text, (uint32_t)strnlen(text, most < cut ? most : cut)};
}

/* Appends it behind a record's fixed part, or behind another text. */
static inline void *sycl_text_put(void *to, const struct sycl_text *text)
{
	return (char *)memcpy(to, text->at, text->bytes) + text->bytes;
}

/* Where the address begins that the runtime puts behind what it names; NULL: it has none. (GCC
 * with sanitizers takes a memrchr() here for one of NULL, and warns.) */
static inline const char *sycl_text_bracket(struct sycl_text text)
{
	for (uint32_t i = text.bytes; i; i--)
		if (text.at[i - 1] == '[')
			return text.at + i - 1;
	return NULL;
}

/* Without the address that the runtime puts behind what it names: "Memory Allocation" of
 * "Memory Allocation[55d0c0ffee00]". */
static inline struct sycl_text sycl_text_without_address(struct sycl_text text)
{
	const char *bracket = sycl_text_bracket(text);
	const char *at;

	if (!bracket || bracket == text.at || text.at[text.bytes - 1] != ']')
		return text;
	at = bracket + 1;
	if (at[0] == '0' && at[1] == 'x')
		at += 2;
	for (; at < text.at + text.bytes - 1; at++)
		if (!strchr("0123456789abcdef", *at))
			return text;
	text.bytes = (uint32_t)(bracket - text.at);
	return text;
}

/* The address in the same place; 0: there is none. */
static inline uint64_t sycl_text_address(struct sycl_text text)
{
	const char *bracket = sycl_text_bracket(text);
	const char *end = text.at + text.bytes;
	uint64_t address = 0;

	if (!bracket || end[-1] != ']')
		return 0;
	bracket++;
	if (bracket[0] == '0' && bracket[1] == 'x')
		bracket += 2;
	for (; bracket < end - 1; bracket++) {
		if (*bracket >= '0' && *bracket <= '9')
			address = address << 4 | (uint64_t)(*bracket - '0');
		else if (*bracket >= 'a' && *bracket <= 'f')
			address = address << 4 | (uint64_t)(*bracket - 'a' + 10);
		else
			return 0;
	}
	return address;
}

static inline bool sycl_text_begins(struct sycl_text text, const char *with)
{
	size_t bytes = strlen(with);

	return text.bytes >= bytes && !memcmp(text.at, with, bytes);
}

#endif
