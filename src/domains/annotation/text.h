/* SPDX-License-Identifier: MIT */
/* A text that the program hands over, as records have it: UTF-8, no longer than
 * `--cut`. Points into what the program has, or into itself. */
#ifndef TANDEM_DOMAINS_ANNOTATION_TEXT_H
#define TANDEM_DOMAINS_ANNOTATION_TEXT_H

#include <stdint.h>
#include <wchar.h>

struct annotation_text {
	const char *at; /* never NULL */
	uint32_t bytes;
	char converted[1024]; /* of a wide one */
};

/* NULL gives an empty one. */
void annotation_text_narrow(struct annotation_text *text, const char *narrow);
void annotation_text_wide(struct annotation_text *text, const wchar_t *wide);

#endif
