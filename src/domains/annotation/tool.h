/* SPDX-License-Identifier: MIT */
/* Ranges and markers that come by a library of Tandem's own: the tracer, ROCTX. Called by
 * them in libtandem.so. Any thread; nothing happens where nobody records annotations. */
#ifndef TANDEM_DOMAINS_ANNOTATION_TOOL_H
#define TANDEM_DOMAINS_ANNOTATION_TOOL_H

#include <stdint.h>

/* `source` and `kind`: of annotation.events. `text` may be NULL. */
__attribute__((visibility("default"))) void
tandem_annotation_begin(unsigned source, unsigned kind, uint64_t range, const char *text);

/* range 0: the innermost nested one. */
__attribute__((visibility("default"))) void tandem_annotation_end(unsigned source, uint64_t range);

#endif
