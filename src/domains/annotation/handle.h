/* SPDX-License-Identifier: MIT */
/* What a program knows by a handle of ours: a scope of annotations (NVTX: a domain), or a
 * registered string. Made at the program's start, few, and kept for the process's life:
 * their makers have no end for strings. */
#ifndef TANDEM_DOMAINS_ANNOTATION_HANDLE_H
#define TANDEM_DOMAINS_ANNOTATION_HANDLE_H

#include <stdint.h>

struct annotation_handle {
	uint32_t scope;		    /* its number; 0: a string */
	_Atomic uint32_t statedump; /* a scope's: when it was described, + 1 */
	uint32_t bytes;
	char text[]; /* with its end */
};

/* NULL: no memory. Any thread. */
struct annotation_handle *annotation_string_create(const char *text, uint32_t bytes);
struct annotation_handle *annotation_scope_create(const char *name, uint32_t bytes);

/* A scope's number; 0 for NULL, which is the program's own. */
static inline uint32_t annotation_scope_number(const struct annotation_handle *scope)
{
	return scope ? scope->scope : 0;
}

#endif
