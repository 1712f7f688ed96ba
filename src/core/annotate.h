/* SPDX-License-Identifier: MIT */
/* Ranges and markers that come by a library of Tandem's own: the tracer, ROCTX. Called by
 * them in libtandem.so, where the annotation domain defines them. Any thread; nothing happens
 * where nobody records annotations. */
#ifndef TANDEM_CORE_ANNOTATE_H
#define TANDEM_CORE_ANNOTATE_H

#include <stdint.h>

/* `source` and `kind`: of annotation.events. `text` may be NULL. */
__attribute__((visibility("default"))) void
tandem_annotation_begin(unsigned source, unsigned kind, uint64_t range, const char *text);

/* range 0: the innermost nested one. */
__attribute__((visibility("default"))) void tandem_annotation_end(unsigned source, uint64_t range);

#endif
