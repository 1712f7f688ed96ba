/* SPDX-License-Identifier: MIT */
/* An event's description in the kernel's words (tracefs, events/SYSTEM/NAME/format),
 * of a file that anyone may have written. libtraceevent, which reads them, falls
 * over words that no kernel says; so it is given only what looks like the kernel's,
 * and never the rules of printing, which nobody needs here. */
#ifndef TANDEM_TRACE_FORMAT_TEXT_H
#define TANDEM_TRACE_FORMAT_TEXT_H

#include <stddef.h>

/* The checked part of `text` as a string of its own, to be freed; NULL where it is
 * not such a description, or memory runs out. */
char *format_text_check(const char *text, size_t bytes);

#endif
